#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace strobe::record {

// Who runs a kernel again for the next pass. The library saves and restores memory for it, which is
// slow even if one pass is enough: on an H200 30 ms per launch instead of 2.
enum class Replay { kAsNeeded, kKernel, kUser };

// The launcher's settings for the library, read from the environment.
struct Settings {
  std::string folder;                           // "": no recording; the library does nothing
  std::vector<std::string> metrics;             // of all windows, in their order
  std::vector<std::size_t> metrics_per_window;  // one number if there are no windows
  bool has_windows = false;  // only launches between cuProfilerStart and cuProfilerStop
  bool is_strict = false;
  std::string kernel_pattern;    // "": every name
  std::string isolated_pattern;  // "": chosen automatically
  std::uint64_t first_launch = 0;
  std::uint64_t last_launch = std::numeric_limits<std::uint64_t>::max();  // inclusive
  std::string cupti_path;
  // Launches between two read-outs, which take 33 ms on an H200; room for 256 takes 0.2 s longer to
  // create than for 64, and many programs have fewer launches.
  std::size_t batch = 64;
  Replay replay = Replay::kAsNeeded;
  bool with_registers = true;
  std::string problem;  // what could not be parsed; "" if everything could
};

Settings read_settings() noexcept;

// "A:B", "A:", ":B" or "A"; both ends are included. False if it is something else.
bool read_launch_window(const char* text, std::uint64_t& first, std::uint64_t& last) noexcept;

}  // namespace strobe::record
