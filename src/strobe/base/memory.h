#pragma once

namespace strobe {

// From now on, memory that is freed stays with the process and serves its next requests. Without
// this, the C library gives large blocks back to the system at once, and the next list of that size
// pays again for every page it touches. For commands that end soon; call it after the step that
// needs most memory.
void keep_freed_memory();

}  // namespace strobe
