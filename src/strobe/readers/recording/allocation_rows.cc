#include "strobe/readers/recording/allocation_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/text_names.h"

namespace strobe::readers {
namespace {

using wire::ChunkKind;

// In the words that other readers use for places.
std::string place_of(std::string_view memory, std::uint64_t device) {
  if (memory == "device") return fmt::format("Place(gpu:{})", device);
  return std::string(memory) + " memory";
}

// A row of the file, and where it says that the memory is.
struct AllocationRow {
  std::int64_t time_ns = 0;
  bool is_free = false;
  std::string_view memory;
  std::uint64_t device = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::uint32_t launch = kNoLaunchId;
};

// The tracks of calls by the number of their launch; few calls allocate.
class CallTracks {
 public:
  CallTracks(const std::vector<AllocationRow>& rows, const SliceVectors& slices) {
    for (const AllocationRow& row : rows) tracks_.try_emplace(row.launch, TrackId());
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (slices.kinds[row] != SliceKind::kRuntimeCall) continue;
      const auto found = tracks_.find(slices.correlations[row]);
      if (found != tracks_.end()) found->second = slices.tracks[row];
    }
  }

  // Invalid if it has no call.
  TrackId find(std::uint32_t launch) const {
    return launch == kNoLaunchId ? TrackId() : tracks_.at(launch);
  }

 private:
  std::unordered_map<std::uint32_t, TrackId> tracks_;
};

// Calls that free memory name only its address: the rest is known from its allocation.
class LivingAllocations {
 public:
  void complete(AllocationRow& row) {
    if (!row.is_free) {
      living_.insert_or_assign(row.address, row);
      return;
    }
    const auto found = living_.find(row.address);
    if (found == living_.end()) return;
    if (row.bytes == 0) row.bytes = found->second.bytes;
    row.memory = found->second.memory;
    row.device = found->second.device;
    living_.erase(found);
  }

 private:
  std::unordered_map<std::uint64_t, AllocationRow> living_;  // by address
};

// More than any machine has.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;

}  // namespace

// Threads write their rows each for itself: one may free what another has allocated.
bool add_allocations(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
                     TraceSink& sink) {
  if (!file.has(ChunkKind::kAllocations)) return true;
  std::vector<AllocationRow> all;
  const auto take_block = [&](const DecodedRows& rows) {
    const RecordedSegment& segment = file.segments()[rows.segment];
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (rows.at(wire::kAllocationBytes, row) > kMostBytes) {
        sink.report.add(ImportIssue::kBadNumber, rows.offset, "bytes of an allocation");
        continue;
      }
      all.push_back(
          {.time_ns = rows.time(wire::kAllocationTime, row),
           .is_free = rows.at(wire::kAllocationIsFree, row) != 0,
           .memory = segment.text(rows.at(wire::kAllocationPlace, row)).value_or("unknown"),
           .device = rows.at(wire::kAllocationDevice, row),
           .bytes = rows.at(wire::kAllocationBytes, row),
           .address = rows.at(wire::kAllocationAddress, row),
           .launch = launches.of(rows.segment, rows.at(wire::kAllocationCorrelation, row))});
    }
    return sink.pulse(rows.rows);
  };
  if (!file.for_each_block(ChunkKind::kAllocations, sink.report, take_block)) return false;
  std::ranges::stable_sort(all, {}, &AllocationRow::time_ns);
  const CallTracks calls(all, sink.builder.slices());
  LivingAllocations living;
  for (AllocationRow& row : all) {
    living.complete(row);
    const TrackId track = calls.find(row.launch);
    sink.add_reservation(
        {.time_ns = row.time_ns,
         .is_free = row.is_free,
         .place = sink.name(place_of(row.memory, row.device)),
         .bytes = row.bytes,
         .address = row.address,
         .track = track.valid() ? track : sink.tracks.beside_threads(process, "memory"),
         .args = sink.keep(allocation_args(row.memory, row.bytes, row.address))});
  }
  return true;
}

}  // namespace strobe::readers
