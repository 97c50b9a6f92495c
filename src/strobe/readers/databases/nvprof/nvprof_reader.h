#pragma once

#include "strobe/readers/databases/database_format.h"

namespace strobe::readers {

// The SQLite file of nvprof (`nvprof -o FILE`), which the Visual Profiler imports.
extern const DatabaseFormat kNvprof;

}  // namespace strobe::readers
