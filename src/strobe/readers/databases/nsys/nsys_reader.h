#pragma once

#include "strobe/readers/databases/database_format.h"

namespace strobe::readers {

// The SQLite export of Nsight Systems (`nsys export --type=sqlite`), in all of its versions.
extern const DatabaseFormat kNsightSystems;

}  // namespace strobe::readers
