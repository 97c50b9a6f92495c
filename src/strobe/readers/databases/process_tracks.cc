#include "strobe/readers/databases/process_tracks.h"

#include <limits>
#include <string>

#include <fmt/format.h>

#include "strobe/base/hash.h"

namespace strobe::readers {

std::size_t ProcessTracks::KeyHash::operator()(const Key& key) const noexcept {
  const std::uint64_t device =
      fnv1a(fnv1a(kFnvStart, key.process), static_cast<std::uint64_t>(key.device));
  const std::uint64_t hash = fnv1a(device, static_cast<std::uint64_t>(key.number));
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

TrackId ProcessTracks::thread(std::uint64_t process, std::int64_t process_id,
                              std::int64_t thread_id) {
  const Key key{process, kHost, thread_id};
  if (key == latest_ && latest_track_.valid()) return latest_track_;
  const auto [entry, is_new] = known_.try_emplace(key);
  if (is_new) {
    entry->second = tracks_.thread(process_id, thread_id);
    const std::size_t row = entry->second.index();
    if (row >= processes_.size()) processes_.resize(row + 1);
    processes_[row] = process;
  }
  latest_ = key;
  latest_track_ = entry->second;
  return latest_track_;
}

TrackId ProcessTracks::stream(std::uint64_t process, std::int64_t process_id, std::int64_t device,
                              std::int64_t stream) {
  if (device < 0 || device > std::numeric_limits<std::int32_t>::max()) {
    return tracks_.lost_stream();
  }
  const Key key{process, device, stream};
  if (key == latest_ && latest_track_.valid()) return latest_track_;
  const auto [entry, is_new] = known_.try_emplace(key);
  if (is_new) entry->second = make_stream(process, process_id, device, stream);
  latest_ = key;
  latest_track_ = entry->second;
  return latest_track_;
}

TrackId ProcessTracks::make_stream(std::uint64_t process, std::int64_t process_id,
                                   std::int64_t device, std::int64_t stream) {
  const auto on_device = static_cast<std::int32_t>(device);
  const auto [owner, is_first] = owners_.try_emplace(Key{0, device, stream}, process);
  if (is_first || owner->second == process) {
    return tracks_.stream(on_device, std::to_string(stream));
  }
  return tracks_.stream(on_device, fmt::format("{} of process {}", stream, process_id));
}

}  // namespace strobe::readers
