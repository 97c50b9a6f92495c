#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strobe/readers/rocm/correlation_numbers.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

// A kernel's name as a trace has it.
struct KernelName {
  StringId id;
  std::uint8_t flags = kNoFlags;
};

// What a launch says beside its times; 0 is unknown. The grid is counted in work-items, as the
// vendor does.
struct LaunchFacts {
  std::array<std::uint64_t, 3> grid{};
  std::array<std::uint64_t, 3> block{};
  std::uint64_t queue = 0;
  std::uint64_t shared_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  std::uint64_t registers = 0;
  std::uint64_t accumulation_registers = 0;
  std::uint64_t scalar_registers = 0;

  bool operator==(const LaunchFacts&) const = default;
};

struct WorkTimes {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t offset = 0;  // of its row in the file
};

// The counters of one dispatch under the vendor's names. Parts of the device that count one thing
// each for themselves add up.
using NamedCounters = std::map<std::string, double, std::less<>>;

struct KernelRow {
  WorkTimes times;
  KernelName name = {};
  std::int32_t device = 0;
  std::uint64_t stream = 0;
  std::uint32_t launch = kNoLaunchId;
  LaunchFacts facts = {};
  const NamedCounters* counters = nullptr;  // if there are some
};

enum class CopyWay : std::uint8_t {
  kUnknown,
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice
};
// "MEMORY_COPY_HOST_TO_DEVICE", "HOST_TO_DEVICE", "CopyHostToDevice", "hipMemcpyHtoD".
CopyWay copy_way(std::string_view words);
CopyWay way_between(bool from_gpu, bool to_gpu);

struct CopyRow {
  WorkTimes times;
  CopyWay way = CopyWay::kUnknown;
  std::int32_t device = 0;
  std::optional<std::uint64_t> stream = {};
  std::uint32_t launch = kNoLaunchId;
  std::optional<std::uint64_t> bytes = {};
};

struct FillRow {
  WorkTimes times;
  std::int32_t device = 0;
  std::uint64_t stream = 0;
  std::uint32_t launch = kNoLaunchId;
};

// Something that a host thread did.
struct HostRow {
  WorkTimes times;
  StringId name;
  SliceKind kind = SliceKind::kRuntimeCall;
  std::string_view category;
  TrackId track;
  std::uint32_t launch = kNoLaunchId;
  std::string_view args = {};  // JSON
};

struct AllocationFacts {
  std::int64_t time_ns = 0;
  bool is_free = false;
  std::optional<std::int32_t> device = {};
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  TrackId track;
};

// Puts what the formats of this vendor's profilers have in common into a trace: they differ in
// their containers and in the words for the same columns.
class WorkRows {
 public:
  WorkRows(TraceSink& sink, std::string_view dialect);

  TraceSink& sink() { return sink_; }
  CorrelationNumbers launches;

  // Any spelling: quoted, mangled, with the loader's ending.
  KernelName kernel_name(std::string_view written);

  void add_kernel(const KernelRow& row);
  void add_copy(const CopyRow& row);
  void add_fill(const FillRow& row);
  SliceId add_host(const HostRow& row);
  void add_mark(const WorkTimes& times, StringId name, TrackId track, std::string_view category);
  void add_allocation(const AllocationFacts& one);

  // How a call into one of the vendor's libraries counts, by its name and the word of its group.
  static SliceKind call_kind(std::string_view name, std::string_view domain);

  // The chip behind a number, once for each; only those that worked are listed.
  void describe_device(DeviceProperties properties);

  // Orders the slices, lists the devices, reports what was left out.
  void finish();

 private:
  struct ArgsKey {
    std::int32_t device;
    std::uint64_t stream;
    LaunchFacts facts;
    bool operator==(const ArgsKey&) const = default;
  };
  struct ArgsKeyHash {
    std::size_t operator()(const ArgsKey& key) const noexcept;
  };
  struct CopyKey {
    std::int32_t device;
    std::uint64_t stream;
    std::uint64_t bytes;
    bool has_bytes;
    bool operator==(const CopyKey&) const = default;
  };
  struct CopyKeyHash {
    std::size_t operator()(const CopyKey& key) const noexcept;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };

  ArgsId kernel_args(const KernelRow& row);
  static std::string kernel_text(const KernelRow& row);
  ArgsId copy_args(const CopyRow& row);
  TrackId stream_of(std::int32_t device, std::uint64_t stream);
  void list_devices();

  TraceSink& sink_;
  CategoryId kernel_category_;
  std::unordered_map<std::string, KernelName, NameHash, std::equal_to<>> names_;
  std::unordered_map<ArgsKey, ArgsId, ArgsKeyHash> kernel_args_;
  std::unordered_map<CopyKey, ArgsId, CopyKeyHash> copy_args_;
  std::unordered_map<std::int32_t, DeviceProperties> described_;
};

}  // namespace strobe::readers
