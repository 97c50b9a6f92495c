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
  std::int64_t end_ns = row.integer(end);
  if (end_ns == 0 && row.is_null(end)) [[unlikely]] {
    open_slices.push_back(sink.builder.slice_count());
    slice.flags |= kUnfinished;
    end_ns = slice.start_ns;
  }
  sink.add(slice, end_ns);
  const std::size_t unpacked = sink.builder.slices().size();
  if (unpacked == kPackedAtOnce) [[unlikely]]
    sink.builder.pack_slices(unpacked);
  return true;
}

}  // namespace strobe::readers
