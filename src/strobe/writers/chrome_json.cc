#include "strobe/writers/chrome_json.h"

#include <string_view>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/writers/chrome_events.h"
#include "strobe/writers/event_order.h"
#include "strobe/writers/lanes.h"
#include "strobe/writers/text_buffer.h"
#include "strobe/writers/track_places.h"

namespace strobe::writers {
namespace {

constexpr std::string_view kLastComma = ",\n";

// Lines that end with a comma, without the last one.
std::string_view without_last_comma(std::string_view lines) {
  return lines.ends_with(kLastComma) ? lines.substr(0, lines.size() - kLastComma.size()) : lines;
}

}  // namespace

class ChromeJsonFile::Parts {
 public:
  Parts(ByteSink& sink, const ChromeJsonOptions& options)
      : sink_(sink), options_(options), buffer_(sink) {}

  // Decides on the clock of the file; frame(trace, base_time_ns) makes its members.
  template <class MakeFrame>
  void begin(const Trace& first, MakeFrame make_frame) {
    STROBE_CHECK(positions_ == 0, "a file begins once");
    clock_ns_ = clock_to_take_off(first);
    if (clock_ns_ != 0) clock_ns_ = options_.clock_ns.value_or(clock_ns_);
    first_base_ns_ = first.metadata().base_time_ns;
    FileFrame frame = make_frame(first, first_base_ns_ + clock_ns_);
    buffer_.append("{\n");
    buffer_.append(frame.front);
    buffer_.append("  \"traceEvents\": [\n");
    back_ = std::move(frame.back);
  }

  Result<void> add(const Trace& trace, const std::string& label) {
    const Lanes lanes = options_.use_lanes ? Lanes(trace) : Lanes();
    const TrackPlaces places(trace, lanes, label, names_);
    counts_.events += write_events({.trace = &trace,
                                    .lanes = &lanes,
                                    .places = &places,
                                    .in_file = {.label = label, .position = positions_++},
                                    .is_first = counts_.events == 0,
                                    .shift_ns = shift_of(trace)},
                                   buffer_);
    counts_.moved_slices += lanes.moved().size();
    counts_.lanes += lanes.lanes().size();
    return buffer_.has_failed() ? buffer_.flush() : Result<void>();
  }

  Result<ChromeJsonCounts> finish() {
    STROBE_CHECK(positions_ > 0, "a file has a trace");
    buffer_.append("\n  ]");
    if (!back_.empty()) {
      buffer_.append(kLastComma);
      buffer_.append(without_last_comma(back_));
    }
    buffer_.append("\n}\n");
    STROBE_TRY_VOID(buffer_.flush());
    STROBE_TRY_VOID(sink_.finish());
    return counts_;
  }

  bool is_new() const { return positions_ == 0; }
  std::int64_t clock_ns() const { return clock_ns_; }

 private:
  // To the clock of the file, if both clocks are known: with a base, or absolute.
  std::int64_t shift_of(const Trace& trace) const {
    const std::int64_t base_ns = trace.metadata().base_time_ns;
    const bool is_of_one_kind = (base_ns == 0) == (first_base_ns_ == 0);
    return is_of_one_kind ? base_ns - first_base_ns_ - clock_ns_ : -clock_to_take_off(trace);
  }

  ByteSink& sink_;
  ChromeJsonOptions options_;
  TextBuffer buffer_;
  std::string back_;
  ProcessNames names_;
  std::int64_t clock_ns_ = 0;
  std::int64_t first_base_ns_ = 0;
  std::uint32_t positions_ = 0;
  ChromeJsonCounts counts_;
};

ChromeJsonFile::ChromeJsonFile(ByteSink& sink, const ChromeJsonOptions& options)
    : parts_(std::make_unique<Parts>(sink, options)) {}
ChromeJsonFile::~ChromeJsonFile() = default;

Result<void> ChromeJsonFile::add_only(const Trace& trace, const std::optional<GivenRank>& rank) {
  parts_->begin(trace, [&](const Trace& only, std::int64_t base_time_ns) {
    return frame_of(only, base_time_ns, rank);
  });
  return parts_->add(trace, "");
}

Result<void> ChromeJsonFile::add_one_of_several(const Trace& trace, const std::string& label) {
  if (parts_->is_new()) parts_->begin(trace, shared_frame_of);
  return parts_->add(trace, label);
}

std::int64_t ChromeJsonFile::clock_ns() const { return parts_->clock_ns(); }

Result<ChromeJsonCounts> ChromeJsonFile::finish() { return parts_->finish(); }

}  // namespace strobe::writers
