#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "strobe/trace/column.h"
#include "strobe/trace/ids.h"
#include "strobe/trace/slice_kind.h"

namespace strobe {

enum class TrackKind : std::uint8_t { kHostThread, kDeviceStream, kAsync, kOther };

// One line of the timeline: a host thread, a device stream, or anything else with a (pid, tid).
struct Track {
  TrackKind kind = TrackKind::kOther;
  StringId process;  // as written: "589", "Traces"
  StringId thread;   // as written, without the dialect's decoration: "589", "7"
  std::optional<std::int64_t> process_number;  // present when the text is a number
  std::optional<std::int64_t> thread_number;
  std::optional<std::int32_t> device;  // device streams only
  StringId process_name;               // from metadata, may be invalid
  StringId thread_name;
  std::optional<std::int64_t> sort_index;
};

// One accelerator as the trace describes it. 0 if unknown.
struct DeviceProperties {
  std::int32_t id = 0;
  std::string name;
  std::int64_t memory_bytes = 0;
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
  std::int32_t multiprocessors = 0;
  std::int32_t warp_threads = 0;
  std::int32_t max_threads_per_block = 0;
  std::int32_t max_threads_per_multiprocessor = 0;
  std::int64_t registers_per_block = 0;
  std::int64_t registers_per_multiprocessor = 0;
  std::int64_t shared_bytes_per_block = 0;
  std::int64_t shared_bytes_per_multiprocessor = 0;
  std::int64_t shared_bytes_per_block_optin = 0;
};

struct Distributed {
  std::string backend;
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
};

// The dialect of what `strobe record` wrote.
inline constexpr const char* kRecordingDialect = "strobe record";

// How to interpret this trace's slices; set by its dialect, so that analyses need not distinguish
// vendors.
struct TraceTraits {
  std::string dialect;                       // its name, for people
  std::string runtime_label;                 // the name of runtime calls in tables
  std::string device_label = "GPU";          // the name of the device in tables
  bool nested_operators_are_phases = false;  // an operator below another one is its phase
  bool steps_cover_all_threads = false;      // a step owns the launches of every thread in its time
};

// Data outside the events.
struct Metadata {
  TraceTraits traits;
  std::vector<DeviceProperties> devices;
  Distributed distributed;
  std::int64_t base_time_ns =
      0;  // added to every time to get the wall clock; 0 if times are absolute
  std::optional<double> process_cpu_utilization;  // 1.0 = one core
  std::optional<double> system_cpu_utilization;   // 1.0 = all cores
  std::vector<std::pair<std::string, std::string>>
      members;  // key and JSON text of every top-level member with more than the fields above
};

// The tables of a trace. Each exists twice with the same columns: as growing vectors while a reader
// fills it (SliceVectors), and as const columns afterwards (SliceColumns).

inline constexpr std::uint32_t kNoLaunchId = 0xFFFFFFFFu;

// One row per slice, in file order: 40 bytes. Some writers encode ownership in the order, so it is
// never lost; code that needs time order sorts row numbers.
template <template <class> class Values>
struct SliceTable {
  Values<std::int64_t> starts_ns;
  Values<std::int64_t> durations_ns;  // >= 0
  Values<StringId> names;
  Values<TrackId> tracks;
  Values<CategoryId> categories;
  Values<SliceKind> kinds;
  Values<std::uint8_t> flags;          // SliceFlag bits
  Values<std::uint32_t> correlations;  // joins a runtime call with its device work, or kNoLaunchId
  Values<std::uint32_t>
      externals;  // joins device work and runtime calls with an operator, or kNoLaunchId
  Values<ArgsId> args;

  std::size_t size() const { return starts_ns.size(); }
  static auto columns_of(auto& table) {
    return std::tie(table.starts_ns, table.durations_ns, table.names, table.tracks,
                    table.categories, table.kinds, table.flags, table.correlations, table.externals,
                    table.args);
  }
};

// One column of a table of slices, whatever keeps its values.
struct SliceColumn {
  static constexpr auto kStarts = [](auto& slices) -> auto& { return slices.starts_ns; };
  static constexpr auto kDurations = [](auto& slices) -> auto& { return slices.durations_ns; };
  static constexpr auto kNames = [](auto& slices) -> auto& { return slices.names; };
  static constexpr auto kTracks = [](auto& slices) -> auto& { return slices.tracks; };
  static constexpr auto kKinds = [](auto& slices) -> auto& { return slices.kinds; };
  static constexpr auto kCorrelations = [](auto& slices) -> auto& { return slices.correlations; };
};

// What times alone do not tell: where a slice ends for nesting, if times are rounded, and who owns
// calls and work, if the order of the file or its arrows say so. A column without a use is empty.
template <template <class> class Values>
struct NestingHintTable {
  Values<std::int64_t> ends_ns;  // per slice
  // Per slice: for a runtime call the host range that made it, maybe on another thread (invalid =
  // its own thread), for device work the call that launched it (invalid = correlations say it).
  Values<SliceId> owners;

  static auto columns_of(auto& table) { return std::tie(table.ends_ns, table.owners); }
};

// Links an operator to its backward: same number, other thread. Ascending by slice.
template <template <class> class Values>
struct SequenceTable {
  Values<SliceId> slices;
  Values<std::int64_t> sequence_numbers;
  Values<std::int64_t> forward_threads;  // 0 on the forward side

  std::size_t size() const { return slices.size(); }
  static auto columns_of(auto& table) {
    return std::tie(table.slices, table.sequence_numbers, table.forward_threads);
  }
};

template <template <class> class Values>
struct InstantTable {
  Values<std::int64_t> times_ns;
  Values<StringId> names;
  Values<TrackId> tracks;
  Values<CategoryId> categories;
  Values<ArgsId> args;

  std::size_t size() const { return times_ns.size(); }
  static auto columns_of(auto& table) {
    return std::tie(table.times_ns, table.names, table.tracks, table.categories, table.args);
  }
};

enum class FlowPhase : std::uint8_t { kStart, kStep, kEnd };

template <template <class> class Values>
struct FlowTable {
  Values<std::int64_t> times_ns;
  Values<std::uint64_t> ids;  // equal on both ends, within one category
  Values<TrackId> tracks;
  Values<CategoryId> categories;
  Values<FlowPhase> phases;

  std::size_t size() const { return times_ns.size(); }
  static auto columns_of(auto& table) {
    return std::tie(table.times_ns, table.ids, table.tracks, table.categories, table.phases);
  }
};

template <template <class> class Values>
struct CounterTable {
  Values<std::int64_t> times_ns;
  Values<TrackId> tracks;
  Values<StringId> names;
  Values<StringId> series;  // the key inside args
  Values<double> values;

  std::size_t size() const { return times_ns.size(); }
  static auto columns_of(auto& table) {
    return std::tie(table.times_ns, table.tracks, table.names, table.series, table.values);
  }
};

enum class MemoryAction : std::uint8_t { kAllocate, kFree, kReserve, kUnreserve };

// Allocator events. They are also instants; this table has their numbers.
template <template <class> class Values>
struct MemoryTable {
  Values<std::int64_t> times_ns;
  Values<TrackId> tracks;
  Values<MemoryAction> actions;
  Values<StringId> places;               // "Place(cpu)", "Place(gpu:0)"
  Values<std::int64_t> bytes;            // signed: negative when freed
  Values<std::uint64_t> addresses;       // 0 if unknown
  Values<std::int64_t> allocated_bytes;  // after the event, -1 if unknown
  Values<std::int64_t> reserved_bytes;
  Values<std::int64_t> peak_allocated_bytes;
  Values<std::int64_t> peak_reserved_bytes;
  Values<SliceId> owners;  // from the file's order if that is known, else invalid
  bool owners_are_known = false;

  std::size_t size() const { return times_ns.size(); }
  static auto columns_of(auto& table) {
    return std::tie(table.times_ns, table.tracks, table.actions, table.places, table.bytes,
                    table.addresses, table.allocated_bytes, table.reserved_bytes,
                    table.peak_allocated_bytes, table.peak_reserved_bytes, table.owners);
  }
};

// std::vector has a second parameter, which clang 14 does not ignore.
template <class T>
using Vector = std::vector<T>;

using SliceVectors = SliceTable<Vector>;
using NestingHintVectors = NestingHintTable<Vector>;
using SequenceVectors = SequenceTable<Vector>;
using InstantVectors = InstantTable<Vector>;
using FlowVectors = FlowTable<Vector>;
using CounterVectors = CounterTable<Vector>;
using MemoryVectors = MemoryTable<Vector>;

using SliceColumns = SliceTable<Column>;
using NestingHints = NestingHintTable<Column>;
using SequenceColumns = SequenceTable<Column>;
using InstantColumns = InstantTable<Column>;
using FlowColumns = FlowTable<Column>;
using CounterColumns = CounterTable<Column>;
using MemoryColumns = MemoryTable<Column>;

// A table's columns, as references, in the order of their declaration.
template <class Table>
auto columns_of(Table& table) {
  return std::remove_const_t<Table>::columns_of(table);
}

template <class Table>
bool has_rows(const Table& table, std::size_t rows) {
  return std::apply([&](const auto&... columns) { return ((columns.size() == rows) && ...); },
                    columns_of(table));
}

}  // namespace strobe
