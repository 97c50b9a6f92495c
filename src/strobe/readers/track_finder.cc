#include "strobe/readers/track_finder.h"

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/trace/metric_series.h"

namespace strobe::readers {

void TrackFinder::name_process(std::int64_t process, std::string_view program) {
  if (!program.empty()) process_names_[process] = builder_.intern(sanitize_utf8(program));
}

void TrackFinder::name_thread(std::int64_t thread, std::string_view name) {
  if (name.empty()) return;
  thread_names_[thread] =
      builder_.intern(fmt::format("thread {} ({})", thread, sanitize_utf8(name)));
}

void TrackFinder::name_all() {
  for (Track& track : builder_.tracks()) {
    if (track.device || !track.process_number) continue;
    if (const auto found = process_names_.find(*track.process_number);
        found != process_names_.end()) {
      track.process_name = found->second;
    }
    if (track.kind != TrackKind::kHostThread || !track.thread_number) continue;
    if (const auto found = thread_names_.find(*track.thread_number); found != thread_names_.end()) {
      track.thread_name = found->second;
    }
  }
}

TrackId TrackFinder::thread(std::int64_t process, std::int64_t thread) {
  return find_or_add(TrackKind::kHostThread, std::to_string(process), std::to_string(thread), {});
}

TrackId TrackFinder::stream(std::int32_t device, std::uint64_t stream) {
  return this->stream(device, std::to_string(stream));
}

TrackId TrackFinder::stream(std::int32_t device, std::string_view name) {
  return find_or_add(TrackKind::kDeviceStream, std::to_string(device), name, device);
}

TrackId TrackFinder::lost_stream() { return find_or_add(TrackKind::kDeviceStream, "0", "lost", 0); }

TrackId TrackFinder::beside_threads(std::int64_t process, std::string_view what) {
  return find_or_add(TrackKind::kAsync, std::to_string(process), what, {});
}

TrackId TrackFinder::about_machine(std::string_view what) {
  return find_or_add(TrackKind::kOther, kHostDevice, what, {});
}

TrackId TrackFinder::about_device(std::int32_t device, std::string_view what) {
  return find_or_add(TrackKind::kOther, std::to_string(device), what, device);
}

TrackId TrackFinder::about_process(std::int64_t process, std::string_view what) {
  return find_or_add(TrackKind::kOther, std::to_string(process), what, {});
}

TrackId TrackFinder::find_or_add(TrackKind kind, std::string_view process, std::string_view thread,
                                 std::optional<std::int32_t> device) {
  Track track;
  track.kind = kind;
  track.process = builder_.intern(process);
  track.thread = builder_.intern(thread);
  track.process_number = parse_whole_number(process);
  track.thread_number = parse_whole_number(thread);
  track.device = device;
  // A process may have a device's number.
  const auto [entry, is_new] =
      tracks_.try_emplace({kind, track.process, track.thread, device.has_value()}, TrackId());
  if (is_new) entry->second = builder_.add_track(track);
  return entry->second;
}

}  // namespace strobe::readers
