#include "strobe/cli/verbose.h"

#include <fmt/format.h>

#include "strobe/cli/message.h"

namespace strobe::cli {
namespace {

std::string stage_line(std::string_view stage, double seconds, double megabytes = 0) {
  std::string line = fmt::format("strobe:   {:<16} {:>9.1f} ms", stage, seconds * 1e3);
  if (megabytes > 0 && seconds > 0) line += fmt::format("  {:>6.0f} MB/s", megabytes / seconds);
  return line + "\n";
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string size_text(std::uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3)
                           : fmt::format("{:.1f} MB", megabytes(bytes));
}

}  // namespace

std::string load_text(const readers::LoadedTrace& trace) {
  const ImportReport& report = trace.report;
  std::string text = fmt::format("strobe: {}: {}", trace.path, size_text(report.text_bytes));
  if (report.file_bytes != report.text_bytes && report.file_bytes > 0) {
    text += fmt::format(" (packed {})", size_text(report.file_bytes));
  }
  text += fmt::format(", {} {}, read as {}\n", report.event_count,
                      report.event_count == 1 ? "event" : "events", trace.trace.traits().dialect);
  double seconds = 0;
  for (const readers::LoadStage& stage : trace.stages) {
    text += stage_line(stage.name, stage.seconds);
    seconds += stage.seconds;
  }
  return text + stage_line("load", seconds, megabytes(report.text_bytes));
}

void Stages::loaded(const readers::LoadedTrace& trace) {
  if (is_on_) say(load_text(trace));
}

void Stages::end(std::string_view stage) {
  const Clock::time_point now = Clock::now();
  if (is_on_) say(stage_line(stage, std::chrono::duration<double>(now - start_).count()));
  start_ = now;
}

}  // namespace strobe::cli
