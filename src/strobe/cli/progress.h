#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "strobe/cli/terminal.h"

namespace strobe::cli {

// The one line on stderr that says how far the loading is. Nothing is shown for loads that are over
// before a person could wonder; what was shown is erased by the destructor.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(const Terminal& terminal, std::string what, Clock::time_point start = Clock::now());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread. `bytes_total` 0: unknown.
  void update(std::uint64_t bytes_done, std::uint64_t bytes_total,
              Clock::time_point now = Clock::now());

  // A line in the caller's words, for work that is not counted in bytes.
  void show(std::string_view text, Clock::time_point now = Clock::now());

  // The line as it would be shown now, "" while it is too early.
  std::string line(std::uint64_t bytes_done, std::uint64_t bytes_total,
                   Clock::time_point now) const;

 private:
  void draw(std::string_view text, Clock::time_point now);

  const bool shown_;
  const std::size_t columns_;
  const std::string what_;
  const Clock::time_point start_;
  std::mutex mutex_;
  Clock::time_point last_drawn_;
  bool drawn_ = false;
};

}  // namespace strobe::cli
