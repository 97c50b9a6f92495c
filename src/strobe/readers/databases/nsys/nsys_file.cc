#include "strobe/readers/databases/nsys/nsys_file.h"

namespace strobe::readers {

TrackId NsysFile::thread(const sqlite::TableRows& row, std::size_t column) {
  const auto id = GlobalId::of(row.integer(column));
  const bool is_nobody = id.value == 0 && row.is_null(column);
  return tracks.thread(id.process(), id.process_id(),
                       is_nobody ? TrackFinder::kNobody : id.thread_id());
}

bool NsysFile::add(TraceBuilder::SliceRow slice, const sqlite::TableRows& row, std::size_t start,
                   std::size_t end, std::string_view table) {
  if (!read_time(row, start, table, sink.report, slice.start_ns)) return false;
  const std::int64_t end_ns = row.integer(end);
  if (end_ns == 0 && row.is_null(end)) [[unlikely]] {
    open_slices.push_back(sink.builder.slices().size());
    slice.flags |= kUnfinished;
    sink.add(slice, slice.start_ns);
    return true;
  }
  sink.add(slice, end_ns);
  return true;
}

void NsysFile::add_instant(std::int64_t time_ns, StringId name, TrackId track, CategoryId category,
                           ArgsId args) {
  InstantVectors& instants = sink.builder.instants();
  instants.times_ns.push_back(time_ns);
  instants.names.push_back(name);
  instants.tracks.push_back(track);
  instants.categories.push_back(category);
  instants.args.push_back(args);
}

}  // namespace strobe::readers
