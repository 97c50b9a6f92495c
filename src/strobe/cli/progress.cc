#include "strobe/cli/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/cli/message.h"

namespace strobe::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{300};
constexpr milliseconds kBetweenDrawings{100};
constexpr std::string_view kEraseLine = "\r\x1b[K";

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

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
  if (now - start_ < kPatience) return {};
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
  if (!shown_ || now - start_ < kPatience) return;
  const std::lock_guard lock(mutex_);
  draw(text.substr(0, columns_ - 1), now);
}

void Progress::draw(std::string_view text, Clock::time_point now) {
  if (text.empty() || (drawn_ && now - last_drawn_ < kBetweenDrawings)) return;
  say(fmt::format("{}{}", kEraseLine, text));
  drawn_ = true;
  last_drawn_ = now;
}

}  // namespace strobe::cli
