#pragma once

#include "strobe/readers/databases/database_format.h"

namespace strobe::readers {

// What the profilers of NPUs export: the framework's (with operators) and the vendor's own.
extern const DatabaseFormat kAscendDatabase;

}  // namespace strobe::readers
