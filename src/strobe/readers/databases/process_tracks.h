#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/readers/track_finder.h"

namespace strobe::readers {

// The tracks of a database with several processes, by what its rows say. PERF: asked for each row.
class ProcessTracks {
 public:
  explicit ProcessTracks(TrackFinder& tracks) : tracks_(tracks) {}

  // `process` is the file's key of a process, of which `process_id` is the number for people.
  TrackId thread(std::uint64_t process, std::int64_t process_id, std::int64_t thread_id);
  // Processes number their streams for themselves: each has tracks of its own.
  TrackId stream(std::uint64_t process, std::int64_t process_id, std::int64_t device,
                 std::int64_t stream);
  // Of a thread's track; 0 if it is none.
  std::uint64_t process_of(TrackId thread) const {
    return thread.index() < processes_.size() ? processes_[thread.index()] : 0;
  }

 private:
  struct Key {
    std::uint64_t process = 0;
    std::int64_t device = 0;  // kHost for a thread
    std::int64_t number = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  static constexpr std::int64_t kHost = -1;

  TrackId make_stream(std::uint64_t process, std::int64_t process_id, std::int64_t device,
                      std::int64_t stream);

  TrackFinder& tracks_;
  std::unordered_map<Key, TrackId, KeyHash> known_;
  std::unordered_map<Key, std::uint64_t, KeyHash> owners_;  // of a device's streams: who came first
  std::vector<std::uint64_t> processes_;                    // by the track of a thread
  Key latest_;
  TrackId latest_track_;
};

}  // namespace strobe::readers
