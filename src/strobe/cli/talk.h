#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/cli/terminal.h"
#include "strobe/readers/trace_reader.h"

// strobe's output on stderr: errors, warnings, progress, and with -v its own stages.
namespace strobe::cli {

// "strobe: cannot read 'x': it is a directory\n  hint: ...\n"
std::string error_text(const Error& error, bool color = false);
// The same format for a failed gate, which is not an error.
std::string failure_text(std::string_view what, std::string_view hint, bool color = false);
// "strobe: warning: ...\n"
std::string warning_text(std::string_view what, bool color = false);

// Writes everything to stderr.
void say(std::string_view text);
void warn(const Terminal& terminal, std::string_view what);  // silent with --quiet

// A single line on stderr that shows the loading progress. Short loads show nothing; the destructor
// erases the line.
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

  // A line with the caller's own text, for work that is not counted in bytes.
  void show(std::string_view text, Clock::time_point now = Clock::now());

  // The line as it would be shown now; "" if it is too early.
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

// The output of `-v`: strobe's own stages with their times, on stderr. Silent without it.
class Stages {
 public:
  explicit Stages(const Terminal& terminal) : is_on_(terminal.verbose) {}

  void loaded(const readers::LoadedTrace& trace);
  void begin() { start_ = Clock::now(); }
  void end(std::string_view stage);  // ends this stage and begins the next

 private:
  using Clock = std::chrono::steady_clock;
  bool is_on_;
  Clock::time_point start_ = Clock::now();
};

// The lines of one loaded trace: its size, then stage by stage.
std::string load_text(const readers::LoadedTrace& trace);

}  // namespace strobe::cli
