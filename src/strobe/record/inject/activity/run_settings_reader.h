#pragma once

#include <chrono>
#include <string>

#include "strobe/record/inject/activity/call_names.h"

namespace strobe::record {

// The settings of `strobe record` for this process, read from the environment.
struct RunSettings {
  std::string folder;  // "": nothing is recorded
  std::string recorder;
  std::string cupti_path;
  std::string rank;  // "": none
  std::string world_size;
  CallSet calls = CallSet::kLaunches;
  bool with_graph_nodes = false;
  bool with_ranges = true;
  bool is_redacting = false;
  std::chrono::milliseconds keep{0};    // 0: everything
  std::chrono::milliseconds every{0};   // 0: no windows
  std::chrono::milliseconds window{0};  // the length of each

  bool has_windows() const noexcept { return every.count() > 0 && window.count() > 0; }
};

RunSettings read_run_settings() noexcept;

}  // namespace strobe::record
