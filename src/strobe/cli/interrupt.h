#pragma once

#include <atomic>
#include <string>

#include "strobe/base/result.h"

// Ctrl-C, SIGTERM and a closed terminal. The first signal requests a stop; code with an unfinished
// file removes it when it returns. A second signal, or one second without a reaction (a pipe that
// never delivers), ends the process at once and removes the unfinished file. Signals belong to the
// process, so this is the only place with process-wide state.
namespace strobe::cli {

inline constexpr int kInterruptedExit = 130;  // the exit code

void catch_interrupts();
// Whether SIGPIPE was ignored before catch_interrupts() ignored it: programs that strobe starts
// inherit that.
bool pipes_were_ignored();
// For LoadOptions::cancelled, and for checks between stages.
const std::atomic<bool>& interrupted();
// kInterrupted after a signal.
Result<void> check_interrupted();

// The work has stopped and strobe is exiting by itself: no forced exit any more.
void answered_interrupt();

// A shell has stopped what ran, and goes on.
void forget_interrupt();

// The file to remove if the process ends abruptly; one at a time. "" clears it.
void remember_unfinished_file(const std::string& path);
// Before the process ends abruptly.
void remove_unfinished_file();

}  // namespace strobe::cli
