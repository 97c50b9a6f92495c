#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/recording/recording_tracks.h"

namespace strobe::readers {

// The tracks of a process's threads by their numbers in the file.
class ThreadTracks {
 public:
  ThreadTracks(const RecordedFile& file, std::int64_t process, RecordingTracks& tracks)
      : file_(file), process_(process), tracks_(tracks), known_(file.segments().size()) {}

  // Those of one segment. A thread that is unknown or lost has a track, too: that of nobody.
  class InSegment {
   public:
    TrackId find(std::uint64_t thread) {
      TrackId& track = known_[std::min<std::uint64_t>(thread, known_.size() - 1)];
      if (!track.valid()) [[unlikely]]
        track = all_.track_of(segment_, thread);
      return track;
    }

   private:
    friend class ThreadTracks;
    InSegment(ThreadTracks& all, const RecordedSegment& segment, std::vector<TrackId>& known)
        : all_(all), segment_(segment), known_(known) {}

    ThreadTracks& all_;
    const RecordedSegment& segment_;
    std::vector<TrackId>& known_;
  };

  InSegment in(std::uint32_t segment) {
    const RecordedSegment& from = file_.segments()[segment];
    if (known_[segment].empty()) known_[segment].resize(from.threads.size() + 1);  // the last: lost
    return {*this, from, known_[segment]};
  }

 private:
  TrackId track_of(const RecordedSegment& segment, std::uint64_t thread) {
    const bool is_known = thread < segment.threads.size() && segment.threads[thread].is_known;
    return tracks_.thread(
        process_, is_known ? static_cast<std::int64_t>(segment.threads[thread][wire::kThreadId])
                           : RecordingTracks::kNobody);
  }

  const RecordedFile& file_;
  std::int64_t process_;
  RecordingTracks& tracks_;
  std::vector<std::vector<TrackId>> known_;  // by segment
};

}  // namespace strobe::readers
