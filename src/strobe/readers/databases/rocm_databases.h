#pragma once

#include "strobe/readers/databases/database_format.h"

// Databases of AMD's profilers.
namespace strobe::readers {

extern const DatabaseFormat kRocpd;      // rocprofv3, since ROCm 7
extern const DatabaseFormat kRpd;        // rocmProfileData
extern const DatabaseFormat kRocprofDb;  // rocprof, the first one

}  // namespace strobe::readers
