#include "strobe/readers/recording/allocation_rows.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/text_names.h"

namespace strobe::readers {
namespace {

using wire::ChunkKind;

// The tracks of calls by the number of their launch; few calls allocate.
class CallTracks {
 public:
  CallTracks(const RecordedFile& file, LaunchNumbers launches, const SliceVectors& slices) {
    ImportReport reported_later;
    file.for_each_block(ChunkKind::kAllocations, reported_later, [&](const DecodedRows& rows) {
      for (const std::uint64_t correlation : rows.columns[wire::kAllocationCorrelation]) {
        tracks_.try_emplace(launches.of(rows.segment, correlation), TrackId());
      }
      return true;
    });
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

// In the words that other readers use for places.
std::string place_of(std::string_view memory, std::uint64_t device) {
  if (memory == "device") return fmt::format("Place(gpu:{})", device);
  return std::string(memory) + " memory";
}

struct Allocation {
  std::int64_t time_ns = 0;
  bool is_free = false;
  StringId place;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  TrackId track;
  ArgsId args;
};

void add_allocation(const Allocation& one, RecordingSink& sink) {
  InstantVectors& instants = sink.builder.instants();
  instants.times_ns.push_back(one.time_ns);
  instants.names.push_back(sink.builder.intern(one.is_free ? "free memory" : "allocate memory"));
  instants.tracks.push_back(one.track);
  instants.categories.push_back(sink.builder.category("memory"));
  instants.args.push_back(one.args);
  MemoryVectors& memory = sink.builder.memory();
  const auto bytes = static_cast<std::int64_t>(one.bytes);
  memory.times_ns.push_back(one.time_ns);
  memory.tracks.push_back(one.track);
  memory.actions.push_back(one.is_free ? MemoryAction::kUnreserve : MemoryAction::kReserve);
  memory.places.push_back(one.place);
  memory.bytes.push_back(one.is_free ? -bytes : bytes);
  memory.addresses.push_back(one.address);
  memory.allocated_bytes.push_back(-1);
  memory.reserved_bytes.push_back(-1);
  memory.peak_allocated_bytes.push_back(-1);
  memory.peak_reserved_bytes.push_back(-1);
  memory.owners.emplace_back();
}

// How much lies at an address: a call that frees memory names only that.
class AllocatedBytes {
 public:
  std::uint64_t of(std::uint64_t address, std::uint64_t bytes, bool is_free) {
    if (!is_free) return bytes_[address] = bytes;
    const auto found = bytes_.find(address);
    if (bytes != 0 || found == bytes_.end()) return bytes;
    const std::uint64_t freed = found->second;
    bytes_.erase(found);
    return freed;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> bytes_;
};

// More than any machine has.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;

}  // namespace

bool add_allocations(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
                     RecordingSink& sink) {
  if (!file.has(ChunkKind::kAllocations)) return true;
  const CallTracks calls(file, launches, sink.builder.slices());
  AllocatedBytes allocated;
  const auto add_block = [&](const DecodedRows& rows) {
    const RecordedSegment& segment = file.segments()[rows.segment];
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (rows.at(wire::kAllocationBytes, row) > kMostBytes) {
        sink.report.add(ImportIssue::kBadNumber, rows.offset, "bytes of an allocation");
        continue;
      }
      const std::string_view memory =
          segment.text(rows.at(wire::kAllocationPlace, row)).value_or("unknown");
      const std::uint64_t address = rows.at(wire::kAllocationAddress, row);
      const bool is_free = rows.at(wire::kAllocationIsFree, row) != 0;
      const std::uint64_t bytes =
          allocated.of(address, rows.at(wire::kAllocationBytes, row), is_free);
      const TrackId track =
          calls.find(launches.of(rows.segment, rows.at(wire::kAllocationCorrelation, row)));
      add_allocation(
          {.time_ns = rows.time(wire::kAllocationTime, row),
           .is_free = is_free,
           .place = intern_name(place_of(memory, rows.at(wire::kAllocationDevice, row)), sink),
           .bytes = bytes,
           .address = address,
           .track = track.valid() ? track : sink.tracks.beside_threads(process, "memory"),
           .args = sink.keep(allocation_args(memory, bytes, address))},
          sink);
    }
    return sink.pulse(rows.rows);
  };
  return file.for_each_block(ChunkKind::kAllocations, sink.report, add_block);
}

}  // namespace strobe::readers
