#include "strobe/writers/track_places.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/writers/kineto_frame.h"

namespace strobe::writers {
namespace {

// Nothing for texts that are not spelled as a number is: "07".
std::optional<std::int64_t> plain_number(std::string_view name) {
  const std::optional<std::int64_t> number = parse_whole_number(name);
  return number && fmt::format_int(*number).c_str() == name ? number : std::nullopt;
}

std::string json_text(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

// A process or thread as JSON: a number if its name is one, else a text.
std::string place_json(std::string_view name) {
  return plain_number(name) ? std::string(name) : json_text(name);
}

std::string place_text(std::string_view process, std::string_view thread) {
  return fmt::format(R"("pid":{},"tid":{})", process, thread);
}

// Viewers keep 32 bits: new numbers do not follow those of 2^31 and more.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 31;

// Numbers for threads that have none: they follow the others of their process.
class ThreadNumbers {
 public:
  explicit ThreadNumbers(const Trace& trace) {
    for (const Track& track : trace.tracks()) {
      std::int64_t& highest = highest_[key_of(line_of(trace, track))];
      const auto number = plain_number(trace.strings()[track.thread]);
      if (number && *number < kMostNumbers) highest = std::max(highest, *number);
    }
  }

  std::string next(const ViewerLine& line) { return std::to_string(++highest_[key_of(line)]); }

 private:
  static std::pair<StringId, bool> key_of(const ViewerLine& line) {
    return {line.process, line.is_of_device};
  }

  std::map<std::pair<StringId, bool>, std::int64_t> highest_;
};

}  // namespace

std::string ProcessNames::take_number() {
  const auto too_high = numbers_.lower_bound(kMostNumbers);
  std::int64_t next =
      too_high == numbers_.begin() ? 1 : std::max<std::int64_t>(*std::prev(too_high), 0) + 1;
  next = std::max(next, last_found_ + 1);
  while (!numbers_.insert(next).second) ++next;
  last_found_ = next;
  return std::to_string(next);
}

std::string ProcessNames::take(std::string_view process, std::string_view trace) {
  if (const auto number = plain_number(process)) {
    return numbers_.insert(*number).second ? std::string(process) : take_number();
  }
  std::string text(process);
  while (!texts_.insert(text).second) text += fmt::format(" ({})", trace);
  return json_text(text);
}

// Processes with numbers come first, so that they keep them.
void TrackPlaces::number_processes(std::string_view label, ProcessNames& names) {
  const bool keeps_texts = comes_from_events(*trace_);
  for (const bool has_number : {true, false}) {
    for (const Track& track : trace_->tracks()) {
      const ViewerLine line = line_of(*trace_, track);
      const std::string_view name = trace_->strings()[line.process];
      if (plain_number(name).has_value() != has_number) continue;
      const auto [process, is_new] = processes_.try_emplace({line.process, line.is_of_device});
      if (!is_new) continue;
      process->second = has_number || keeps_texts ? names.take(name, label) : names.take_number();
    }
  }
}

TrackPlaces::TrackPlaces(const Trace& trace, const Lanes& lanes, std::string_view label,
                         ProcessNames& names)
    : trace_(&trace) {
  number_processes(label, names);
  const bool keeps_texts = comes_from_events(trace);
  ThreadNumbers numbers(trace);
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    const ViewerLine line = line_of(trace, track);
    if (track.kind != TrackKind::kAsync) {
      last_threads_[{line.process, line.is_of_device}] = TrackId(i);
    }
    const std::string_view name = trace.strings()[track.thread];
    const auto [thread, is_new] = threads_.try_emplace(line);
    if (is_new) {
      thread->second = keeps_texts || plain_number(name) ? place_json(name) : numbers.next(line);
    }
    tracks_.push_back(place_text(process_of(line), thread->second));
  }
  for (const Lanes::Lane& lane : lanes.lanes()) {
    lanes_.push_back(place_text(process_of(lane.of), numbers.next(lane.of)));
  }
}

std::string TrackPlaces::beside_threads(TrackId track) const {
  const ViewerLine line = line_of(*trace_, trace_->tracks()[track.index()]);
  // The last one, because readers add the threads of such slices last.
  const auto thread = last_threads_.find({line.process, line.is_of_device});
  if (thread != last_threads_.end()) return std::string(of_track(thread->second));
  return place_text(process_of(line), "0");
}

}  // namespace strobe::writers
