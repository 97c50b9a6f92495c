#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "strobe/cli/terminal.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::cli {

// What `-v` says: strobe's own stages with their times, on stderr. Silent without it.
class Stages {
 public:
  explicit Stages(const Terminal& terminal) : is_on_(terminal.verbose) {}

  void loaded(const readers::LoadedTrace& trace);
  void begin() { start_ = Clock::now(); }
  void end(std::string_view stage);  // and the next one begins

 private:
  using Clock = std::chrono::steady_clock;
  bool is_on_;
  Clock::time_point start_ = Clock::now();
};

// The lines of one loaded trace: its size, then stage by stage.
std::string load_text(const readers::LoadedTrace& trace);

}  // namespace strobe::cli
