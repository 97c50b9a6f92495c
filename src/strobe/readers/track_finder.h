#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// The tracks of a recorded trace, each added when it is first asked for.
class TrackFinder {
 public:
  static constexpr std::int64_t kNobody = -1;  // a thread that is not known

  explicit TrackFinder(TraceBuilder& builder) : builder_(builder) {}

  // Names of processes and threads; the last ones apply to all tracks when name_all() is called. A
  // machine has one thread with an id at a time.
  void name_process(std::int64_t process, std::string_view program);
  void name_thread(std::int64_t thread, std::string_view name);
  void name_all();

  TrackId thread(std::int64_t process, std::int64_t thread);
  TrackId stream(std::int32_t device, std::uint64_t stream);
  TrackId stream(std::int32_t device, std::string_view name);
  TrackId lost_stream();  // of work whose device and stream are lost
  // A track of a process beside its threads, whose slices may overlap: "ranges".
  TrackId beside_threads(std::int64_t process, std::string_view what);
  // Tracks without the program's own slices: samples, and what happened to the machine.
  TrackId about_machine(std::string_view what);
  TrackId about_device(std::int32_t device, std::string_view what);
  TrackId about_process(std::int64_t process, std::string_view what);

 private:
  TrackId find_or_add(TrackKind kind, std::string_view process, std::string_view thread,
                      std::optional<std::int32_t> device);

  TraceBuilder& builder_;
  std::map<std::tuple<TrackKind, StringId, StringId, bool>, TrackId> tracks_;
  std::map<std::int64_t, StringId> process_names_;
  std::map<std::int64_t, StringId> thread_names_;
};

}  // namespace strobe::readers
