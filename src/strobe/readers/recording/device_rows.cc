#include "strobe/readers/recording/device_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/text_names.h"
#include "strobe/readers/slice_memory.h"

namespace strobe::readers {
namespace {

using wire::ChunkKind;
using wire::ShapeWhat;

// What the slices of one shape have in common.
struct SliceShape {
  StringId name;
  TrackId track;
  CategoryId category;
  ArgsId args;
  SliceKind kind = SliceKind::kKernel;
  std::uint8_t flags = kNoFlags;
};

struct WorkKind {
  SliceKind kind;
  std::string_view category;
};

WorkKind kind_of(ShapeWhat what) {
  switch (what) {
    case ShapeWhat::kGraph:
      return {SliceKind::kKernel, "graph"};
    case ShapeWhat::kCopy:
      return {SliceKind::kMemcpy, "gpu_memcpy"};
    case ShapeWhat::kMemset:
      return {SliceKind::kMemset, "gpu_memset"};
    case ShapeWhat::kKernel:
      break;
  }
  return {SliceKind::kKernel, "kernel"};
}

ShapeWhat what_of(const ShapeDefinition& shape) {
  return static_cast<ShapeWhat>(shape[wire::kShapeWhat]);
}

bool is_copy(ShapeWhat what) { return what == ShapeWhat::kCopy || what == ShapeWhat::kMemset; }

std::int32_t device_index(const ShapeDefinition& shape) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(shape[wire::kShapeDevice], kMost));
}

// The columns that kernels and copies share.
struct WorkColumns {
  std::size_t shape;
  std::size_t start;
  std::size_t duration;
  std::size_t correlation;
};

class DeviceRows {
 public:
  DeviceRows(const RecordedFile& file, LaunchNumbers& launches, TraceSink& sink)
      : file_(file), launches_(launches), sink_(sink), shapes_(file.segments().size()) {}

  bool add_all() {
    const auto add_work = [&](const DecodedRows& rows) {
      add_slices(rows,
                 {wire::kWorkShape, wire::kWorkStart, wire::kWorkDuration, wire::kWorkCorrelation});
      count_graphs(rows.rows);
      return sink_.pulse(rows.rows);
    };
    const auto add_copies = [&](const DecodedRows& rows) {
      add_slices(rows,
                 {wire::kCopyShape, wire::kCopyStart, wire::kCopyDuration, wire::kCopyCorrelation});
      describe_copies(rows);
      return sink_.pulse(rows.rows);
    };
    return file_.for_each_block(ChunkKind::kWork, sink_.report, add_work) &&
           file_.for_each_block(ChunkKind::kCopies, sink_.report, add_copies);
  }

 private:
  // PERF: a recording has tens of millions of these rows.
  void add_slices(const DecodedRows& rows, const WorkColumns& columns) {
    if (rows.rows == 0) return;
    const std::uint64_t highest = *std::ranges::max_element(rows.columns[columns.shape]);
    const std::vector<SliceShape>& shapes = shapes_of(rows.segment, highest);
    const std::size_t last = shapes.size() - 1;
    const NewRows to = append_rows(sink_.builder.slices(), rows.rows);
    const std::uint64_t* const shape_numbers = rows.column(columns.shape);
    const std::uint64_t* const starts = rows.column(columns.start);
    const std::uint64_t* const durations = rows.column(columns.duration);
    const std::uint64_t* const correlations = rows.column(columns.correlation);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const SliceShape shape = shapes[std::min<std::uint64_t>(shape_numbers[row], last)];
      to.starts_ns[row] = static_cast<std::int64_t>(starts[row]);
      to.durations_ns[row] = static_cast<std::int64_t>(durations[row]);
      to.names[row] = shape.name;
      to.tracks[row] = shape.track;
      to.categories[row] = shape.category;
      to.kinds[row] = shape.kind;
      to.flags[row] = shape.flags;
      to.correlations[row] = launches_.of(rows.segment, correlations[row]);
      to.externals[row] = kNoLaunchId;
      to.args[row] = shape.args;
    }
  }

  void count_graphs(std::size_t rows) {
    if (!graph_category_.valid()) return;
    const auto& categories = sink_.builder.slices().categories;
    const auto graphs = std::count(categories.end() - static_cast<std::ptrdiff_t>(rows),
                                   categories.end(), graph_category_);
    sink_.report.add_many(ImportIssue::kWholeGraphs, static_cast<std::uint64_t>(graphs));
  }

  void describe_copies(const DecodedRows& rows) {
    SliceVectors& slices = sink_.builder.slices();
    const std::size_t first = slices.size() - rows.rows;
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const std::uint64_t shape = rows.at(wire::kCopyShape, row);
      slices.args[first + row] = args_of_copy(rows.segment, shape, rows.at(wire::kCopyBytes, row));
      if (slices.kinds[first + row] != SliceKind::kKernel) continue;
      slices.kinds[first + row] = SliceKind::kMemcpy;  // its shape is lost
    }
  }

  ArgsId args_of_copy(std::uint32_t segment, std::uint64_t shape, std::uint64_t bytes) {
    const auto& shapes = file_.segments()[segment].shapes;
    if (!sink_.keeps_args() || shape >= shapes.size()) return {};
    const CopyKey key{segment, shape, bytes};
    const auto [entry, is_new] = copy_args_.try_emplace(key, ArgsId());
    if (is_new) entry->second = sink_.keep(copy_args(shapes[shape], bytes));
    return entry->second;
  }

  // One for each shape of the segment, and if `highest` has none, one more for those that are lost.
  const std::vector<SliceShape>& shapes_of(std::uint32_t segment, std::uint64_t highest) {
    const auto& definitions = file_.segments()[segment].shapes;
    std::vector<SliceShape>& shapes = shapes_[segment];
    if (shapes.empty()) {
      for (const ShapeDefinition& shape : definitions) {
        shapes.push_back(shape.is_known ? shape_of(segment, shape) : lost_shape());
      }
    }
    if (highest >= shapes.size()) shapes.push_back(lost_shape());
    return shapes;
  }

  SliceShape shape_of(std::uint32_t segment, const ShapeDefinition& shape) {
    const ShapeWhat what = what_of(shape);
    const WorkKind kind = kind_of(what);
    const std::string name = name_of(segment, shape);
    SliceShape made;
    made.kind = kind.kind;
    made.name = sink_.name(name);
    made.track = sink_.tracks.stream(device_index(shape), shape[wire::kShapeStream]);
    made.category = sink_.builder.category(kind.category);
    if (what == ShapeWhat::kGraph) graph_category_ = made.category;
    if (what == ShapeWhat::kKernel && device::is_any_collective(name)) made.flags = kCommunicates;
    if (!is_copy(what)) made.args = sink_.keep(kernel_args(shape));
    return made;
  }

  std::string name_of(std::uint32_t segment, const ShapeDefinition& shape) {
    const auto text = file_.segments()[segment].text(shape[wire::kShapeName]);
    if (!text) {
      sink_.report.add_many(ImportIssue::kLostName, 1);
      return std::string(kLostName);
    }
    if (what_of(shape) == ShapeWhat::kGraph && text->empty()) {
      return fmt::format("CUDA graph {}", shape[wire::kShapeGraph]);
    }
    return what_of(shape) == ShapeWhat::kKernel ? device::readable_name(*text) : std::string(*text);
  }

  SliceShape lost_shape() {
    if (lost_) return *lost_;
    lost_.emplace();
    lost_->name = sink_.builder.intern(kLostName);
    lost_->track = sink_.tracks.lost_stream();
    lost_->category = sink_.builder.category("kernel");
    return *lost_;
  }

  struct CopyKey {
    std::uint32_t segment;
    std::uint64_t shape;
    std::uint64_t bytes;
    bool operator==(const CopyKey&) const = default;
  };
  struct CopyKeyHash {
    std::size_t operator()(const CopyKey& key) const noexcept {
      const std::uint64_t mix = key.bytes * 0x9E3779B97F4A7C15u ^ key.shape * 0xC2B2AE3D27D4EB4Fu;
      return static_cast<std::size_t>(mix ^ (mix >> 32) ^ key.segment);
    }
  };

  const RecordedFile& file_;
  LaunchNumbers& launches_;
  TraceSink& sink_;
  std::vector<std::vector<SliceShape>> shapes_;  // by segment
  std::optional<SliceShape> lost_;
  CategoryId graph_category_;
  std::unordered_map<CopyKey, ArgsId, CopyKeyHash> copy_args_;
};

}  // namespace

bool add_device_work(const RecordedFile& file, LaunchNumbers& launches, TraceSink& sink) {
  return DeviceRows(file, launches, sink).add_all();
}

}  // namespace strobe::readers
