#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/csv.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"

// Traces of NPUs, of MTIA and of an AIU, value by value against what an independent program and the
// vendors' own tables counted in the same files.
namespace strobe::readers {
namespace {

const std::filesystem::path kVendorFiles = kShared / "traces/vendors";

class NpuTruth {
 public:
  explicit NpuTruth(const std::string& file)
      : text_(file_text(kShared / "data/vendors_expected.json")) {
    for (const simdjson::dom::element entry : parser_.parse(text_).get_array()) {
      if (std::string_view(entry["file"]) == "vendors/" + file) entry_ = entry;
    }
  }
  simdjson::dom::element operator[](const char* path) const { return entry_.at_pointer(path); }
  std::int64_t number(const char* path) const { return (*this)[path].get_int64(); }

 private:
  std::string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element entry_;
};

struct NpuSum {
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  void add(std::int64_t duration_ns) {
    ++calls;
    total_ns += duration_ns;
  }
};

// Everything that the trace holds of devices, counted in the plainest way.
struct NpuCounted {
  explicit NpuCounted(const Trace& trace) {
    std::map<std::int32_t, std::vector<Interval>> works;
    std::map<std::int32_t, std::vector<Interval>> without_copies;
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      const SliceId slice(row);
      const SliceKind kind = trace.kind(slice);
      const std::int64_t duration_ns = trace.duration_ns(slice);
      if (kind == SliceKind::kRuntimeCall) calls.add(duration_ns);
      steps += kind == SliceKind::kStep;
      const Category& category = trace.categories()[trace.slices().categories[row].index()];
      annotations += trace.strings()[category.name] == "user_annotation";
      if (!is_device_work(kind)) continue;
      const std::int32_t device = trace.track(slice).device.value_or(-1);
      works[device].push_back(trace.interval(slice));
      if (kind == SliceKind::kMemcpy) {
        copies.add(duration_ns);
        copies_by_name[std::string(trace.name(slice))].add(duration_ns);
        continue;
      }
      if (kind == SliceKind::kMemset) continue;
      without_copies[device].push_back(trace.interval(slice));
      const bool communicates = (trace.slices().flags[row] & kCommunicates) != 0;
      (communicates ? collectives : kernels).add(duration_ns);
      if (!communicates) by_name[std::string(trace.name(slice))].add(duration_ns);
    }
    for (auto& [device, intervals] : works) {
      busy_ns[device] = length_of_union(intervals);
      std::int64_t first_ns = intervals.front().start_ns;
      std::int64_t last_ns = first_ns;
      for (const Interval& one : intervals) {
        first_ns = std::min(first_ns, one.start_ns);
        last_ns = std::max(last_ns, one.end_ns);
      }
      span_ns[device] = last_ns - first_ns;
    }
    for (auto& [device, intervals] : without_copies) {
      busy_without_copies_ns += length_of_union(intervals);
    }
  }

  static std::int64_t length_of_union(std::vector<Interval>& intervals) {
    std::ranges::sort(intervals, {}, &Interval::start_ns);
    std::int64_t length_ns = 0;
    std::int64_t end_ns = intervals.front().start_ns;
    for (const Interval& one : intervals) {
      length_ns += std::max<std::int64_t>(0, one.end_ns - std::max(end_ns, one.start_ns));
      end_ns = std::max(end_ns, one.end_ns);
    }
    return length_ns;
  }

  NpuSum kernels;
  NpuSum collectives;
  NpuSum copies;
  NpuSum calls;
  std::map<std::string, NpuSum> by_name;
  std::map<std::string, NpuSum> copies_by_name;
  std::int64_t steps = 0;
  std::int64_t annotations = 0;
  std::map<std::int32_t, std::int64_t> busy_ns;
  std::map<std::int32_t, std::int64_t> span_ns;
  std::int64_t busy_without_copies_ns = 0;
};

Trace load_npu_file(const std::string& file) {
  auto loaded = read_trace(kVendorFiles / file);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  EXPECT_FALSE(loaded->report.lost_something());
  return std::move(loaded->trace);
}

void expect_npu(const NpuCounted& counted, const NpuTruth& truth) {
  EXPECT_EQ(counted.kernels.calls, truth.number("/kernels/count"));
  EXPECT_EQ(counted.kernels.total_ns, truth.number("/kernels/total_ns"));
  EXPECT_EQ(static_cast<std::int64_t>(counted.by_name.size()),
            truth.number("/kernels/distinct_names"));
  EXPECT_EQ(counted.copies.calls, truth.number("/copies/count"));
  EXPECT_EQ(counted.copies.total_ns, truth.number("/copies/total_ns"));
  EXPECT_EQ(counted.collectives.calls, truth.number("/collectives_on_device/count"));
  EXPECT_EQ(counted.collectives.total_ns, truth.number("/collectives_on_device/total_ns"));
  for (const simdjson::dom::element kernel : truth["/top_kernels"].get_array()) {
    const std::string name{std::string_view(kernel["name"])};
    ASSERT_TRUE(counted.by_name.contains(name)) << name;
    EXPECT_EQ(counted.by_name.at(name).calls, std::int64_t(kernel["calls"])) << name;
    EXPECT_EQ(counted.by_name.at(name).total_ns, std::int64_t(kernel["total_ns"])) << name;
  }
  for (const auto& [device, busy_ns] : truth["/busy_ns_per_device"].get_object()) {
    const auto number = static_cast<std::int32_t>(parse_whole_number(device).value());
    EXPECT_EQ(counted.busy_ns.at(number), std::int64_t(busy_ns));
    EXPECT_EQ(counted.span_ns.at(number),
              truth.number(("/device_span_ns_per_device/" + std::string(device)).c_str()));
  }
  EXPECT_EQ(counted.calls.calls, truth.number("/host/api_calls/count"));
  EXPECT_EQ(counted.calls.total_ns, truth.number("/host/api_calls/total_ns"));
  EXPECT_EQ(counted.annotations, truth.number("/host/annotations/count"));
}

const std::string kNpuText = "ascend/text_rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/";

TEST(NpuTruthTest, events_of_an_npu) {
  STROBE_NEEDS_SHARED();
  const NpuTruth truth(kNpuText + "trace_view.json.zst");
  const Trace trace = load_npu_file(kNpuText + "trace_view.json.zst");
  const NpuCounted counted(trace);
  expect_npu(counted, truth);
  EXPECT_EQ(counted.steps, truth.number("/host/steps"));
  EXPECT_EQ(counted.busy_without_copies_ns, truth.number("/busy_without_copies_ns"));
}

TEST(NpuTruthTest, a_database_of_an_npu) {
  STROBE_NEEDS_SHARED();
  const std::string file = "ascend/db_rank0_ascend_pt/ascend_pytorch_profiler_0.db.gz";
  const NpuTruth truth(file);
  const Trace trace = load_npu_file(file);
  const NpuCounted counted(trace);
  expect_npu(counted, truth);
  EXPECT_EQ(counted.steps, truth.number("/host/steps"));
  EXPECT_EQ(counted.busy_without_copies_ns, truth.number("/busy_without_copies_ns"));
  EXPECT_EQ(trace.metadata().devices.at(0).name, "Ascend910B");
  EXPECT_EQ(trace.metadata().distributed.rank, 0);
}

TEST(NpuTruthTest, the_folder_of_a_rank_is_one_trace) {
  STROBE_NEEDS_SHARED();
  const Trace trace = load_npu_file("ascend/text_rank0_ascend_pt");
  EXPECT_EQ(NpuCounted(trace).kernels.calls, 187);
  EXPECT_EQ(trace.metadata().distributed.rank, 0);
  EXPECT_EQ(NpuCounted(load_npu_file("ascend/db_rank0_ascend_pt")).kernels.calls, 187);
}

// The vendor's own tables of the same run: their durations are cut or rounded, each a little.
TEST(NpuTruthTest, the_tables_of_the_vendor_follow_from_the_events) {
  STROBE_NEEDS_SHARED();
  constexpr std::int64_t kRounding_ns = 100;
  const NpuCounted events(load_npu_file(kNpuText + "trace_view.json.zst"));
  const NpuCounted table(load_npu_file(kNpuText + "kernel_details.csv"));
  EXPECT_EQ(table.kernels.calls, events.kernels.calls);
  EXPECT_EQ(table.collectives.calls, events.collectives.calls);
  EXPECT_NEAR(static_cast<double>(table.kernels.total_ns),
              static_cast<double>(events.kernels.total_ns), kRounding_ns);

  const std::string steps = file_text(kVendorFiles / (kNpuText + "step_trace_time.csv"));
  CsvRecords records(steps);
  ASSERT_TRUE(records.next());
  const std::vector<std::string> header = records.fields();
  ASSERT_TRUE(records.next());
  const auto column_ns = [&](std::string_view name) {
    const auto place = std::ranges::find(header, name) - header.begin();
    return parse_number(records.field(static_cast<std::size_t>(place))).value() * 1000;
  };
  const auto computing_ns = static_cast<double>(events.kernels.total_ns);
  const auto communication_ns = static_cast<double>(events.collectives.total_ns);
  const auto busy_ns = static_cast<double>(events.busy_without_copies_ns);
  EXPECT_NEAR(column_ns("Computing"), computing_ns, kRounding_ns);
  EXPECT_NEAR(column_ns("Communication"), communication_ns, kRounding_ns);
  EXPECT_NEAR(column_ns("Communication(Not Overlapped)"), busy_ns - computing_ns, kRounding_ns);
  EXPECT_NEAR(column_ns("Overlapped"), computing_ns + communication_ns - busy_ns, kRounding_ns);

  const std::string operators = file_text(kVendorFiles / (kNpuText + "op_statistic.csv"));
  CsvRecords statistic(operators);
  ASSERT_TRUE(statistic.next());
  std::int64_t calls = 0;
  double total_ns = 0;
  while (statistic.next()) {
    calls += parse_whole_number(statistic.field(2)).value();
    total_ns += parse_number(statistic.field(3)).value() * 1000;
  }
  EXPECT_EQ(calls, events.kernels.calls);
  EXPECT_NEAR(total_ns, computing_ns, kRounding_ns);
}

TEST(NpuTruthTest, the_queues_of_an_mtia) {
  STROBE_NEEDS_SHARED();
  const std::string file = "mtia/mtia_inference_rank_0.json.zst";
  const NpuTruth truth(file);
  const Trace trace = load_npu_file(file);
  const NpuCounted counted(trace);
  expect_npu(counted, truth);
  std::map<std::string, std::int64_t> bytes;
  ArgsReader args(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.kind(SliceId(row)) != SliceKind::kMemcpy) continue;
    bytes[std::string(trace.name(SliceId(row)))] +=
        find(args.text(trace.slices().args[row]), "size").as_int64().value();
  }
  for (const std::string ends : {"HtoD", "DtoH"}) {
    const std::string name = "dma_request " + ends;
    EXPECT_EQ(bytes.at(name), truth.number(("/copies/bytes_by_direction/" + ends).c_str()));
    EXPECT_EQ(counted.copies_by_name.at(name).calls,
              truth.number(("/copies/count_by_direction/" + ends).c_str()));
  }
  EXPECT_EQ(trace.metadata().devices.at(0).id, 17);
}

TEST(NpuTruthTest, an_array_of_an_aiu) {
  STROBE_NEEDS_SHARED();
  const std::string file = "other/ibm_aiu_allreduce_tp4.json";
  const NpuTruth truth(file);
  const Trace trace = load_npu_file(file);
  EXPECT_EQ(static_cast<std::int64_t>(trace.slice_count()), truth.number("/complete_slices"));
  std::map<std::string, NpuSum> by_name;
  NpuSum all;
  std::map<TrackId, bool> tracks;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    all.add(trace.duration_ns(SliceId(row)));
    by_name[std::string(trace.name(SliceId(row)))].add(trace.duration_ns(SliceId(row)));
    tracks[trace.slices().tracks[row]] = true;
    EXPECT_TRUE(trace.slices().args[row].valid());
  }
  EXPECT_EQ(all.total_ns, truth.number("/total_ns"));
  EXPECT_EQ(static_cast<std::int64_t>(tracks.size()), truth.number("/tracks"));
  for (const simdjson::dom::element one : truth["/by_name"].get_array()) {
    const std::string name{std::string_view(one["name"])};
    EXPECT_EQ(by_name[name].calls, std::int64_t(one["calls"])) << name;
    EXPECT_EQ(by_name[name].total_ns, std::int64_t(one["total_ns"])) << name;
  }
}

}  // namespace
}  // namespace strobe::readers
