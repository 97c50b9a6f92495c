#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/base/sqlite.h"
#include "strobe/readers/databases/event_tables.h"
#include "strobe/readers/databases/process_launches.h"
#include "strobe/readers/databases/process_tracks.h"
#include "strobe/readers/databases/texts_by_id.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// A thread or process in an export of Nsight Systems: the thread in the low 24 bits, the process in
// the next 24, and above them the machine.
struct GlobalId {
  static constexpr std::uint64_t kThreadBits = (1u << 24) - 1;

  std::uint64_t value = 0;

  static GlobalId of(std::int64_t number) { return {static_cast<std::uint64_t>(number)}; }
  std::uint64_t process() const { return value & ~kThreadBits; }  // of every thread of it
  std::int64_t process_id() const { return static_cast<std::int64_t>(value >> 24 & kThreadBits); }
  std::int64_t thread_id() const { return static_cast<std::int64_t>(value & kThreadBits); }
};

// An export of Nsight Systems while it becomes a trace.
struct NsysFile {
  static constexpr std::size_t kPackedAtOnce = 4 * kPackedPageRows;

  NsysFile(const sqlite::Database& database, TraceSink& to)
      : sink(to),
        tables(database, to),
        texts(tables, "StringIds", "id", "value"),
        launches(to.report),
        tracks(to.tracks) {}

  // The thread in a column; nobody's if it is NULL.
  TrackId thread(const sqlite::TableRows& row, std::size_t column);

  // Adds a slice with the times of a row. False if it has no start. A slice without an end lasts as
  // long as the trace.
  bool add(TraceBuilder::SliceRow slice, const sqlite::TableRows& row, std::size_t start,
           std::size_t end, std::string_view table);

  TraceSink& sink;
  EventTables tables;
  TextsById texts;
  ProcessLaunches launches;
  ProcessTracks tracks;
  std::vector<std::size_t> open_slices;  // whose ends are not known yet
};

}  // namespace strobe::readers
