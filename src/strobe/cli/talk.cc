#include "strobe/cli/talk.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "strobe/base/error_text.h"
#include "strobe/base/text.h"

namespace strobe::cli {
namespace {

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string colored(std::string_view text, std::string_view code, bool color) {
  return color ? fmt::format("{}{}{}", code, text, kPlain) : std::string(text);
}

// A file name may contain anything; a terminal gets one line of printable text.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

using std::chrono::milliseconds;

constexpr milliseconds kQuietTime{300};
constexpr milliseconds kBetweenDrawings{100};
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string stage_line(std::string_view stage, double seconds, double read_mb = 0) {
  std::string line = fmt::format("strobe:   {:<16} {:>9.1f} ms", stage, seconds * 1e3);
  if (read_mb > 0 && seconds > 0) line += fmt::format("  {:>6.0f} MB/s", read_mb / seconds);
  return line + "\n";
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3)
                           : fmt::format("{:.1f} MB", megabytes(bytes));
}

}  // namespace

std::string failure_text(std::string_view what, std::string_view hint, bool color) {
  std::string text = fmt::format("{} {}\n", colored("strobe:", kRed, color), printable(what));
  if (!hint.empty()) text += fmt::format("  hint: {}\n", printable(hint));
  return text;
}

std::string error_text(const Error& error, bool color) {
  return failure_text(error_sentence(error), error.hint, color);
}

std::string warning_text(std::string_view what, bool color) {
  return fmt::format("strobe: {} {}\n", colored("warning:", kYellow, color), printable(what));
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void warn(const Terminal& terminal, std::string_view what) {
  if (terminal.warns()) say(warning_text(what, terminal.color_error));
}

Progress::Progress(const Terminal& terminal, std::string what, Clock::time_point start)
    : shown_(terminal.shows_progress()),
      columns_(static_cast<std::size_t>(terminal.columns)),
      what_(std::move(what)),
      start_(start),
      last_drawn_(start) {}

Progress::~Progress() {
  if (drawn_) say(kEraseLine);
}

std::string Progress::line(std::uint64_t bytes_done, std::uint64_t bytes_total,
                           Clock::time_point now) const {
  if (now - start_ < kQuietTime) return {};
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double speed = megabytes(bytes_done) / seconds;
  std::string text;
  if (bytes_total > 0) {
    const double done = static_cast<double>(std::min(bytes_done, bytes_total));
    text =
        fmt::format("{}: {:.0f} % of {:.0f} MB ({:.0f} MB/s)", what_,
                    100 * done / static_cast<double>(bytes_total), megabytes(bytes_total), speed);
  } else {
    text = fmt::format("{}: {:.0f} MB ({:.0f} MB/s)", what_, megabytes(bytes_done), speed);
  }
  return text.substr(0, columns_ - 1);  // a full line would wrap and could not be erased
}

void Progress::update(std::uint64_t bytes_done, std::uint64_t bytes_total, Clock::time_point now) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  draw(line(bytes_done, bytes_total, now), now);
}

void Progress::show(std::string_view text, Clock::time_point now) {
  if (!shown_ || now - start_ < kQuietTime) return;
  const std::lock_guard lock(mutex_);
  draw(text.substr(0, columns_ - 1), now);
}

void Progress::draw(std::string_view text, Clock::time_point now) {
  if (text.empty() || (drawn_ && now - last_drawn_ < kBetweenDrawings)) return;
  say(fmt::format("{}{}", kEraseLine, text));
  drawn_ = true;
  last_drawn_ = now;
}

std::string load_text(const readers::LoadedTrace& trace) {
  const ImportReport& report = trace.report;
  std::string text = fmt::format("strobe: {}: {}", trace.path, size_text(report.text_bytes));
  if (report.file_bytes != report.text_bytes && report.file_bytes > 0) {
    text += fmt::format(" (packed {})", size_text(report.file_bytes));
  }
  text += fmt::format(", {} {}, read as {}\n", report.event_count,
                      plural(report.event_count, "event", "events"), trace.trace.traits().dialect);
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
