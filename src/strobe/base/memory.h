#pragma once

#include <cstddef>

namespace strobe {

// From now on, memory that is freed stays with the process and serves its next requests. Without
// this, the C library gives large blocks back to the system at once, and the next list of that size
// pays again for every page it touches. For commands that end soon; call it after the step that
// needs most memory, from the thread that goes on.
// `soon_bytes`: about how much the next step needs. The system is asked to give it in large pages;
// what is not touched costs nothing.
void keep_freed_memory(std::size_t soon_bytes = 0);

}  // namespace strobe
