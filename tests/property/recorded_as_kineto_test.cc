#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/base/json_value.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/run_file_sketch.h"

// The same program, seen by PyTorch's profiler and by `strobe record`: both give the same answers.
namespace strobe::readers {
namespace {

using analysis::OperatorRow;
using analysis::Summary;
using wire::ChunkKind;
using wire::ShapeWhat;

// Writes what the profiler has recorded as strobe would have: ranges when they end, device work and
// calls in order, operators as PyTorch writes them into ranges.
class Recorder {
 public:
  Recorder(const Trace& trace, test::RunFileSketch& run) : trace_(trace), run_(run) {}

  void write() {
    run_.process(17);
    std::vector<SliceId> by_end;
    for (std::size_t i = 0; i < trace_.slice_count(); ++i) by_end.emplace_back(i);
    // Of two that end together, the inner one started later, or was written later.
    std::ranges::sort(by_end, [&](SliceId a, SliceId b) {
      return std::tuple(trace_.end_ns(a), -trace_.start_ns(a), ~a.value) <
             std::tuple(trace_.end_ns(b), -trace_.start_ns(b), ~b.value);
    });
    for (const SliceId slice : by_end) add(slice);
    for (wire::ChunkRows* rows : {&ranges_, &calls_, &work_, &copies_}) run_.writer().write(*rows);
  }

 private:
  void add(SliceId slice) {
    switch (trace_.kind(slice)) {
      case SliceKind::kKernel:
        work_.add({shape_of(slice, ShapeWhat::kKernel), start_of(slice), duration_of(slice),
                   correlation_of(slice)});
        break;
      case SliceKind::kMemcpy:
      case SliceKind::kMemset:
        copies_.add({shape_of(slice, trace_.kind(slice) == SliceKind::kMemcpy ? ShapeWhat::kCopy
                                                                              : ShapeWhat::kMemset),
                     start_of(slice), duration_of(slice), correlation_of(slice),
                     bytes_of_copy(slice)});
        break;
      case SliceKind::kRuntimeCall:
        calls_.add({thread_of(slice), run_.text(trace_.name(slice)), start_of(slice),
                    duration_of(slice), correlation_of(slice), 0});
        break;
      default:
        if (!is_tree_kind(trace_.kind(slice))) break;
        ranges_.add({thread_of(slice), run_.text(range_name(slice)), 0, 0, 0, start_of(slice),
                     duration_of(slice), 0, 0});
    }
  }

  std::string range_name(SliceId slice) const {
    std::string name(trace_.name(slice));
    const auto category = trace_.slices().categories[slice.index()];
    const bool is_operator =
        trace_.strings()[trace_.categories()[category.index()].name] == "cpu_op";
    if (is_operator) name += ", seq = 1, op_id = " + std::to_string(slice.value);
    return name;
  }

  std::uint64_t shape_of(SliceId slice, ShapeWhat what) {
    const Track& track = trace_.track(slice);
    const std::tuple key{trace_.slices().names[slice.index()], track.device, track.thread_number};
    const auto [entry, is_new] = shapes_.try_emplace(key, 0);
    if (is_new) {
      entry->second =
          run_.shape(what, trace_.name(slice), static_cast<std::uint64_t>(track.device.value_or(0)),
                     static_cast<std::uint64_t>(track.thread_number.value_or(0)));
    }
    return entry->second;
  }

  std::uint64_t thread_of(SliceId slice) {
    const Track& track = trace_.track(slice);
    const auto id = static_cast<std::uint64_t>(track.thread_number.value_or(0));
    const auto [entry, is_new] = threads_.try_emplace(id, 0);
    if (is_new) entry->second = run_.thread(id);
    return entry->second;
  }

  std::uint64_t bytes_of_copy(SliceId slice) const {
    ArgsReader args(trace_.args());
    const auto bytes = find(args.text(trace_.slices().args[slice.index()]), "bytes").as_int64();
    return static_cast<std::uint64_t>(bytes.value_or(0));
  }
  std::uint64_t start_of(SliceId slice) const {
    return static_cast<std::uint64_t>(trace_.start_ns(slice));
  }
  std::uint64_t duration_of(SliceId slice) const {
    return static_cast<std::uint64_t>(trace_.duration_ns(slice));
  }
  std::uint64_t correlation_of(SliceId slice) const {
    const std::uint32_t id = trace_.slices().correlations[slice.index()];
    return id == kNoLaunchId ? 0 : id;
  }

  const Trace& trace_;
  test::RunFileSketch& run_;
  wire::ChunkRows ranges_{ChunkKind::kRanges};
  wire::ChunkRows calls_{ChunkKind::kCalls};
  wire::ChunkRows work_{ChunkKind::kWork};
  wire::ChunkRows copies_{ChunkKind::kCopies};
  std::map<std::tuple<StringId, std::optional<std::int32_t>, std::optional<std::int64_t>>,
           std::uint64_t>
      shapes_;
  std::map<std::uint64_t, std::uint64_t> threads_;
};

class RecordedAsKinetoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto kineto = read_trace(std::filesystem::path(STROBE_SOURCE_DIR) / "examples" /
                             "gpt_inference_compiled.json.gz");
    ASSERT_TRUE(kineto);
    kineto_ = std::move(kineto->trace);
    const std::string bytes =
        test::run_file_bytes([&](test::RunFileSketch& run) { Recorder(kineto_, run).write(); });
    auto recorded = read_trace_bytes(bytes, "recorded");
    ASSERT_TRUE(recorded);
    EXPECT_TRUE(recorded->report.is_clean());
    recorded_ = std::move(recorded->trace);
    expected_ = analysis::summarize(kineto_);
    found_ = analysis::summarize(recorded_);
  }

  Trace kineto_;
  Trace recorded_;
  Summary expected_;
  Summary found_;
};

TEST_F(RecordedAsKinetoTest, kernels_have_the_same_times_and_launchers) {
  ASSERT_EQ(found_.kernels.size(), expected_.kernels.size());
  std::map<std::string, const analysis::KernelRow*> by_name;
  for (const analysis::KernelRow& row : found_.kernels) by_name[row.name] = &row;
  for (const analysis::KernelRow& row : expected_.kernels) {
    ASSERT_TRUE(by_name.contains(row.name)) << row.name;
    const analysis::KernelRow& found = *by_name[row.name];
    EXPECT_EQ(found.device.calls, row.device.calls) << row.name;
    EXPECT_EQ(found.device.total_ns, row.device.total_ns) << row.name;
    EXPECT_EQ(found.communicates, row.communicates) << row.name;
    EXPECT_EQ(found.top_operator(), row.top_operator()) << row.name;
  }
  EXPECT_EQ(found_.orphan_device_slices, expected_.orphan_device_slices);
}

std::map<std::string, const OperatorRow*> operators_of(const Summary& summary) {
  std::map<std::string, const OperatorRow*> rows;
  for (const auto& group : summary.operators) {
    for (const OperatorRow& row : group.rows) rows[row.name] = &row;
  }
  return rows;
}

TEST_F(RecordedAsKinetoTest, operators_nest_as_they_did) {
  const auto expected = operators_of(expected_);
  const auto found = operators_of(found_);
  ASSERT_GT(expected.size(), 5u);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, row] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name)->host.calls, row->host.calls) << name;
    EXPECT_EQ(found.at(name)->host.total_ns, row->host.total_ns) << name;
    EXPECT_EQ(found.at(name)->self_host_ns, row->self_host_ns) << name;
    EXPECT_EQ(found.at(name)->device.total_ns, row->device.total_ns) << name;
  }
}

TEST_F(RecordedAsKinetoTest, steps_and_devices_are_the_same) {
  ASSERT_EQ(found_.steps.size(), expected_.steps.size());
  for (std::size_t i = 0; i < found_.steps.size(); ++i) {
    EXPECT_EQ(found_.steps[i].interval, expected_.steps[i].interval);
    EXPECT_TRUE(std::ranges::equal(found_.steps[i].label_ns, expected_.steps[i].label_ns));
  }
  ASSERT_EQ(found_.devices.size(), expected_.devices.size());
  for (std::size_t i = 0; i < found_.devices.size(); ++i) {
    EXPECT_EQ(found_.devices[i].busy_ns, expected_.devices[i].busy_ns);
    EXPECT_EQ(found_.devices[i].kernels, expected_.devices[i].kernels);
  }
}

}  // namespace
}  // namespace strobe::readers
