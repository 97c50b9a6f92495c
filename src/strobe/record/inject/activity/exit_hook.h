#pragma once

namespace strobe::record {

// Lets `before` run when the program ends with _exit(), which runs no exit handlers: Python ends
// its forked children so. The libraries that are loaded by now call ours instead. `before` may run
// inside a signal handler.
void run_before_exit_without_handlers(void (*before)()) noexcept;

}  // namespace strobe::record
