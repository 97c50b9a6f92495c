#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"

namespace strobe::bench {

// Our ends of the pipes of a process that leads a group of its own and dies with us.
struct Spawned {
  pid_t id = -1;
  int in = -1;   // write here, never blocks
  int out = -1;  // read here
  int err = -1;
};
// With these variables in the place of the same ones of ours.
Result<Spawned> spawn(const std::vector<std::string>& command, const Variables& variables = {});

// "SIGSEGV", "signal 64".
std::string signal_name(int signal);

}  // namespace strobe::bench
