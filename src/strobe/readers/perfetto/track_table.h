#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/readers/trace_sink.h"

namespace strobe::readers::perfetto {

// The tracks of a trace while it is read. An event may come before the description of its track, so
// it gets the number of a place; at the end each place becomes a track.
class TrackTable {
 public:
  struct Place {
    enum class Kind : std::uint8_t { kDescribed, kThread, kStream, kAsync } kind = Kind::kDescribed;
    std::uint64_t id = 0;  // the file's
    std::optional<std::uint64_t> parent;
    std::string name;
    std::optional<std::int64_t> process;
    std::optional<std::int64_t> thread;
    std::int32_t device = 0;  // of a stream
    // Of a counter:
    bool is_counter = false;
    bool is_incremental = false;
    double factor = 1;
    std::string unit;
    TrackId track;  // once it is made
  };

  explicit TrackTable(TraceSink& sink) : sink_(sink) {}

  void describe(std::string_view message);        // a track descriptor
  void name_processes(std::string_view message);  // a process tree
  void name_process(std::string_view message);    // a process descriptor
  // Names the thread, and says which it is.
  std::pair<std::int64_t, std::int64_t> name_thread(std::string_view message);

  std::uint32_t of_id(std::uint64_t id);
  std::uint32_t of_thread(std::int64_t process, std::int64_t thread);
  std::uint32_t of_stream(std::int32_t device, const std::string& stream);
  // Slices of older writers that may overlap.
  std::uint32_t of_pair(std::int64_t process, std::string_view category, std::uint64_t id);

  Place& operator[](std::uint32_t place) { return places_[place]; }
  std::size_t size() const { return places_.size(); }

  // The track of a place; made when it is first asked for, after everything was described.
  TrackId track_of(std::uint32_t place);
  std::string counter_name(std::uint32_t place) const;
  // The line of the process or thread that a counter is about.
  TrackId counter_track(std::uint32_t place);

 private:
  std::uint32_t add(Place place);
  // The nearest place at or above it with a process.
  std::optional<std::uint32_t> owner_of(std::uint32_t place) const;
  std::string path_of(std::uint32_t place) const;
  Track describe_track(std::uint32_t place);

  static constexpr std::size_t kDeepest = 64;  // parents; a circle has no end

  TraceSink& sink_;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> by_thread_;
  std::map<std::pair<std::int32_t, std::string>, std::uint32_t> by_stream_;
  std::map<std::tuple<std::int64_t, std::string, std::uint64_t>, std::uint32_t> by_pair_;
};

}  // namespace strobe::readers::perfetto
