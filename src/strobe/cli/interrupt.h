#pragma once

#include <atomic>
#include <string>

#include "strobe/base/result.h"

// Ctrl-C, SIGTERM and a closed terminal. The first one asks the work to stop; whoever holds an
// unfinished file removes it on the way out. A second one, or a second without an answer (a pipe
// that never delivers), ends the process at once, the unfinished file included. Signals belong to
// the process, so this is the one place with a process-wide state.
namespace strobe::cli {

void catch_interrupts();
// For LoadOptions::cancelled, and to look at between stages.
const std::atomic<bool>& interrupted();
// kInterrupted, if it has happened.
Result<void> check_interrupted();

// The work has stopped and strobe is on its way out by itself: no further impatience.
void answered_interrupt();

// The file to remove if the process ends abruptly; one at a time. "" forgets it.
void remember_unfinished_file(const std::string& path);

}  // namespace strobe::cli
