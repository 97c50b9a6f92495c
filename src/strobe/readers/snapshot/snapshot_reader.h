#pragma once

#include "strobe/readers/formats.h"

// Snapshots of a caching allocator, as PyTorch pickles them: docs/formats/allocator_snapshot.md.
namespace strobe::readers {

extern const FileFormat kAllocatorSnapshots;

}  // namespace strobe::readers
