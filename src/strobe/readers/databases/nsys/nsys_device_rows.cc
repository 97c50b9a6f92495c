#include "strobe/readers/databases/nsys/nsys_device_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "strobe/base/hash.h"
#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/databases/nvidia_words.h"
#include "strobe/readers/databases/work_args.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kNsysKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kNsysCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kNsysMemsets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kNsysGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

// The columns that all device work has, first in each statement.
struct NsysWork {
  enum Column : std::size_t {
    kStart,
    kEnd,
    kDevice,
    kContext,
    kStream,
    kCorrelation,
    kProcess,
    kGraph,
    kNode,
    kOwnColumns,
  };
};
constexpr std::array<std::string_view, NsysWork::kOwnColumns> kNsysWorkColumns = {
    "start",         "end",       "deviceId", "contextId",   "streamId",
    "correlationId", "globalPid", "graphId",  "graphNodeId",
};

template <std::size_t own>
constexpr auto with_work_columns(const std::array<std::string_view, own>& columns) {
  std::array<std::string_view, NsysWork::kOwnColumns + own> all;
  std::ranges::copy(columns, std::ranges::copy(kNsysWorkColumns, all.begin()).out);
  return all;
}

struct NsysKernel {
  enum Column : std::size_t {
    kDemangled = NsysWork::kOwnColumns,
    kMangled,
    kShort,
    kRegisters,
    kStaticShared,
    kDynamicShared,
    kGridX,
  };
};
constexpr auto kNsysKernelColumns = with_work_columns(std::to_array<std::string_view>(
    {"demangledName", "mangledName", "shortName", "registersPerThread", "staticSharedMemory",
     "dynamicSharedMemory", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"}));

struct NsysCopy {
  enum Column : std::size_t { kCopyBytes = NsysWork::kOwnColumns, kCopyKind, kCopyFrom, kCopyTo };
};
constexpr auto kNsysCopyColumns =
    with_work_columns(std::to_array<std::string_view>({"bytes", "copyKind", "srcKind", "dstKind"}));

struct NsysMemset {
  enum Column : std::size_t { kMemsetBytes = NsysWork::kOwnColumns, kMemsetMemory };
};
constexpr auto kNsysMemsetColumns =
    with_work_columns(std::to_array<std::string_view>({"bytes", "memKind"}));

constexpr auto kNsysGraphColumns = with_work_columns(std::array<std::string_view, 0>());

// A graph launch: its process and correlation.
using GraphLaunch = std::pair<std::uint64_t, std::int64_t>;
struct GraphLaunchHash {
  std::size_t operator()(const GraphLaunch& launch) const noexcept {
    return fnv1a(fnv1a(kFnvStart, launch.first), static_cast<std::uint64_t>(launch.second));
  }
};

class NsysDeviceRows {
 public:
  explicit NsysDeviceRows(NsysFile& file)
      : file_(file),
        args_(file.sink),
        kernel_names_(file.texts),
        kernels_(file.sink.builder.category("kernel")),
        has_graphs_(file.tables.has(kNsysGraphs)) {}

  bool add_all() { return add_kernels() && add_copies() && add_memsets() && add_graphs(); }

 private:
  struct KernelName {
    StringId name;
    std::uint8_t flags = kNoFlags;
  };

  bool add_kernels() {
    const std::size_t name = name_column();
    return file_.tables.read(kNsysKernels, kNsysKernelColumns, [&](const sqlite::TableRows& row) {
      const KernelName kernel =
          kernel_names_.find(row.integer(name), file_.sink.report,
                             [&](std::string_view text) { return kernel_name_of(text); });
      TraceBuilder::SliceRow slice = work(row, SliceKind::kKernel, kernels_);
      slice.name = kernel.name;
      slice.flags = kernel.flags;
      slice.args = args_.of_kernel([&](KernelShape& shape) { read_shape(row, shape); });
      if (has_graphs_ && row.integer(NsysWork::kNode) != 0) graph_nodes_.insert(launch_of(row));
      file_.add(slice, row, NsysWork::kStart, NsysWork::kEnd, kNsysKernels);
    });
  }

  // The name that people read, with its arguments where the export has them.
  std::size_t name_column() const {
    for (const std::size_t column : {NsysKernel::kDemangled, NsysKernel::kMangled}) {
      if (file_.tables.has(kNsysKernels, kNsysKernelColumns[column])) return column;
    }
    return NsysKernel::kShort;
  }

  KernelName kernel_name_of(std::string_view text) {
    const std::string name = device::readable_name(text);
    return {file_.sink.name(name), device::is_any_collective(name) ? kCommunicates : kNoFlags};
  }

  static void read_shape(const sqlite::TableRows& row, KernelShape& shape) {
    read_place(row, shape);
    shape.registers = row.integer(NsysKernel::kRegisters);
    shape.shared_bytes = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(row.integer(NsysKernel::kStaticShared)) +
        static_cast<std::uint64_t>(row.integer(NsysKernel::kDynamicShared)));
    for (std::size_t side = 0; side < 6; ++side) {
      shape.sides[side] = row.integer(NsysKernel::kGridX + side);
    }
  }

  static void read_place(const sqlite::TableRows& row, WorkPlace& place) {
    place.device = row.integer(NsysWork::kDevice);
    place.context = row.integer(NsysWork::kContext);
    place.stream = row.integer(NsysWork::kStream);
    place.graph = row.integer(NsysWork::kGraph);
    place.node = row.integer(NsysWork::kNode);
  }

  bool add_copies() {
    const CategoryId category = file_.sink.builder.category("gpu_memcpy");
    return file_.tables.read(kNsysCopies, kNsysCopyColumns, [&](const sqlite::TableRows& row) {
      TraceBuilder::SliceRow slice = work(row, SliceKind::kMemcpy, category);
      const std::tuple kinds{row.integer(NsysCopy::kCopyKind), row.integer(NsysCopy::kCopyFrom),
                             row.integer(NsysCopy::kCopyTo)};
      const auto [name, is_new] = copy_names_.try_emplace(kinds);
      if (is_new) {
        const auto& [kind, from, to] = kinds;
        name->second = file_.sink.name(
            copy_name(kind, memory(row, NsysCopy::kCopyFrom), memory(row, NsysCopy::kCopyTo)));
      }
      slice.name = name->second;
      slice.args = args_.of_copy([&](CopyShape& shape) {
        read_place(row, shape);
        shape.bytes = row.integer(NsysCopy::kCopyBytes);
      });
      file_.add(slice, row, NsysWork::kStart, NsysWork::kEnd, kNsysCopies);
    });
  }

  bool add_memsets() {
    const CategoryId category = file_.sink.builder.category("gpu_memset");
    return file_.tables.read(kNsysMemsets, kNsysMemsetColumns, [&](const sqlite::TableRows& row) {
      TraceBuilder::SliceRow slice = work(row, SliceKind::kMemset, category);
      const std::int64_t memory_kind =
          row.is_null(NsysMemset::kMemsetMemory) ? -1 : row.integer(NsysMemset::kMemsetMemory);
      const auto [name, is_new] = memset_names_.try_emplace(memory_kind);
      if (is_new) name->second = file_.sink.name(memset_name(nsys_memory_word(memory_kind)));
      slice.name = name->second;
      slice.args = args_.of_copy([&](CopyShape& shape) {
        read_place(row, shape);
        shape.bytes = row.integer(NsysMemset::kMemsetBytes);
      });
      file_.add(slice, row, NsysWork::kStart, NsysWork::kEnd, kNsysMemsets);
    });
  }

  // A launch of a whole graph is work only if its nodes were not recorded.
  bool add_graphs() {
    if (!has_graphs_) return true;
    const CategoryId category = file_.sink.builder.category("graph");
    std::map<std::int64_t, StringId> names;
    return file_.tables.read(kNsysGraphs, kNsysGraphColumns, [&](const sqlite::TableRows& row) {
      const bool has_nodes = graph_nodes_.contains(launch_of(row));
      TraceBuilder::SliceRow slice =
          work(row, has_nodes ? SliceKind::kDeviceAnnotation : SliceKind::kKernel, category);
      const auto [name, is_new] = names.try_emplace(row.integer(NsysWork::kGraph));
      if (is_new) name->second = file_.sink.name(fmt::format("CUDA graph {}", name->first));
      slice.name = name->second;
      slice.args = args_.of_graph([&](WorkPlace& place) { read_place(row, place); });
      if (file_.add(slice, row, NsysWork::kStart, NsysWork::kEnd, kNsysGraphs) && !has_nodes) {
        file_.sink.report.add(ImportIssue::kWholeGraphs, 0);
      }
    });
  }

  TraceBuilder::SliceRow work(const sqlite::TableRows& row, SliceKind kind, CategoryId category) {
    const auto process = GlobalId::of(row.integer(NsysWork::kProcess));
    TraceBuilder::SliceRow slice;
    slice.kind = kind;
    slice.category = category;
    slice.track =
        file_.tracks.stream(process.process(), process.process_id(),
                            row.is_null(NsysWork::kDevice) ? -1 : row.integer(NsysWork::kDevice),
                            row.integer(NsysWork::kStream));
    slice.correlation = file_.launches.of(process.process(), row.integer(NsysWork::kCorrelation));
    return slice;
  }

  static GraphLaunch launch_of(const sqlite::TableRows& row) {
    return {GlobalId::of(row.integer(NsysWork::kProcess)).process(),
            row.integer(NsysWork::kCorrelation)};
  }
  static std::string_view memory(const sqlite::TableRows& row, std::size_t column) {
    return nsys_memory_word(row.is_null(column) ? -1 : row.integer(column));
  }

  NsysFile& file_;
  WorkArgs args_;
  PerText<KernelName> kernel_names_;
  CategoryId kernels_;
  bool has_graphs_;
  std::unordered_set<GraphLaunch, GraphLaunchHash> graph_nodes_;  // launches with nodes
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, StringId> copy_names_;
  std::map<std::int64_t, StringId> memset_names_;
};

}  // namespace

bool add_nsys_device_work(NsysFile& file) { return NsysDeviceRows(file).add_all(); }

}  // namespace strobe::readers
