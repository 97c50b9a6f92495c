#include "strobe/writers/track_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/writers/kineto_frame.h"

namespace strobe::writers {
namespace {

std::string text_argument(std::string_view key, std::string_view text) {
  std::string json = fmt::format(R"("{}":)", key);
  append_json_string(text, json);
  return json;
}

class NameWriter {
 public:
  NameWriter(const Trace& trace, const Lanes& lanes, const TrackPlaces& places,
             const TraceInFile& in_file, EventLines& lines)
      : trace_(trace),
        lanes_(lanes),
        places_(places),
        in_file_(in_file),
        lines_(lines),
        keeps_texts_(comes_from_events(trace)) {}

  // Names belong to processes and threads, not to tracks: each is written once.
  void run() {
    std::set<std::pair<StringId, bool>> processes;
    std::set<ViewerLine> threads;
    for (std::size_t i = 0; i < trace_.tracks().size(); ++i) {
      const Track& track = trace_.tracks()[i];
      const ViewerLine line = line_of(trace_, track);
      if (processes.emplace(line.process, line.is_of_device).second) write_process(track, line);
      const bool is_named = track.kind != TrackKind::kAsync || !keeps_texts_;
      if (!is_named || !threads.insert(line).second) continue;
      const std::string_view place = places_.of_track(TrackId(i));
      const std::string name = name_of_thread(track);
      if (!name.empty()) write("thread_name", place, text_argument("name", name));
      write_thread_order(place, track.sort_index);
    }
    write_lanes();
  }

 private:
  void write(std::string_view what, std::string_view place, std::string_view arguments) {
    lines_.add(fmt::format(R"({{"ph":"M","name":"{}",{},"args":{{{}}})", what, place, arguments));
  }

  void write_order(std::string_view what, std::string_view place, std::int64_t index) {
    write(what, place, fmt::format(R"("sort_index":{})", index));
  }

  void write_thread_order(std::string_view place, std::optional<std::int64_t> index) {
    if (index) write_order("thread_sort_index", place, *index);
  }

  // What has become a number is still to be read, and streams are called as Kineto calls them.
  std::string name_of_thread(const Track& track) const {
    if (track.thread_name.valid()) return std::string(trace_.strings()[track.thread_name]);
    if (keeps_texts_) return {};
    const std::string_view own = trace_.strings()[track.thread];
    if (track.kind == TrackKind::kDeviceStream) return fmt::format("stream {}", own);
    return track.thread_number ? std::string() : std::string(own);
  }

  void write_process(const Track& track, const ViewerLine& line) {
    const std::string place = fmt::format(R"("pid":{},"tid":0)", places_.process_of(line));
    const std::string name = name_of_process(track);
    if (!name.empty()) write("process_name", place, text_argument("name", name));
    if (!in_file_.label.empty()) {
      write_order("process_sort_index", place, index_in_several(track));
    } else if (trace_.traits().dialect == "kineto" || !keeps_texts_) {
      write_kineto_order(track, place);
    }
  }

  std::string device_name(std::int32_t device) const {
    return fmt::format("{} {}", trace_.traits().device_label, device);
  }

  std::string own_name_of_process(const Track& track) const {
    if (track.process_name.valid()) return std::string(trace_.strings()[track.process_name]);
    if (keeps_texts_ || (track.process_number && !track.device)) return {};
    return track.device ? device_name(*track.device) : std::string(trace_.strings()[track.process]);
  }

  std::string name_of_process(const Track& track) const {
    std::string own = own_name_of_process(track);
    if (in_file_.label.empty()) return own;
    if (track.device) return fmt::format("{}: {}", in_file_.label, device_name(*track.device));
    const std::string_view text = own.empty() ? trace_.strings()[track.process] : own;
    return text.empty() ? in_file_.label : fmt::format("{}: {}", in_file_.label, text);
  }

  // By trace, its host processes before its devices.
  std::int64_t index_in_several(const Track& track) const {
    constexpr std::int64_t kProcessesOfATrace = 1000;
    const std::int64_t own =
        track.device ? std::min(std::int64_t{*track.device} + 1, kProcessesOfATrace - 1) : 0;
    return in_file_.position * kProcessesOfATrace + own;
  }

  // Host processes by their numbers, then devices.
  void write_kineto_order(const Track& track, std::string_view place) {
    constexpr std::int64_t kFirstDevice = 5'000'000;  // more than any process has
    if (!track.process_number) return;
    write("process_labels", place,
          text_argument("labels", track.device ? device_name(*track.device) : "CPU"));
    write_order("process_sort_index", place,
                track.device ? kFirstDevice + *track.device : *track.process_number);
  }

  // `lane_of` is for strobe's own reader: the thread that the slices belong to.
  void write_lanes() {
    if (lanes_.lanes().empty()) return;
    std::map<ViewerLine, const Track*> first_tracks;
    for (const Track& track : trace_.tracks()) {
      if (track.kind != TrackKind::kAsync) first_tracks.try_emplace(line_of(trace_, track), &track);
    }
    for (std::uint32_t i = 0; i < lanes_.lanes().size(); ++i) {
      const Lanes::Lane& lane = lanes_.lanes()[i];
      const Track& of = *first_tracks.at(lane.of);
      std::string name = name_of_thread(of);
      if (name.empty()) name = trace_.strings()[of.thread];
      write("thread_name", places_.of_lane(i),
            text_argument("name", fmt::format("{}, lane {}", name, lane.number)) +
                fmt::format(R"(,"lane_of":{})", places_.thread_of(lane.of)));
      write_thread_order(places_.of_lane(i), of.sort_index);
    }
  }

  const Trace& trace_;
  const Lanes& lanes_;
  const TrackPlaces& places_;
  const TraceInFile& in_file_;
  EventLines& lines_;
  const bool keeps_texts_;  // as pid and tid
};

}  // namespace

void write_track_names(const Trace& trace, const Lanes& lanes, const TrackPlaces& places,
                       const TraceInFile& in_file, EventLines& lines) {
  NameWriter(trace, lanes, places, in_file, lines).run();
}

}  // namespace strobe::writers
