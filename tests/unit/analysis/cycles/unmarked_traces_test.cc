#include <algorithm>
#include <functional>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/needs_shared.h"

// Real traces without their markers: the positions of the cycles are known, and must be found.
namespace strobe::analysis {
namespace {

bool is_marker(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name == "decode_cycle";
}

std::string without_markers(const std::string& text) {
  std::string kept = "{";
  for_each_member(text, [&](std::string_view key, JsonValue value) {
    if (kept.size() > 1) kept += ',';
    kept.append("\"").append(key).append("\":");
    if (key != "traceEvents") {
      const bool is_text = value.type == JsonType::kString;
      kept.append(is_text ? "\"" : "").append(value.text).append(is_text ? "\"" : "");
      return;
    }
    kept += '[';
    bool is_first = true;
    for_each_element(value.text, [&](JsonValue event) {
      bool is_kept = true;
      for_each_member(event.text, [&](std::string_view field, JsonValue content) {
        if (field == "name" && is_marker(content.text)) is_kept = false;
      });
      if (!is_kept) return;
      if (!is_first) kept += ",\n";
      is_first = false;
      kept += event.text;
    });
    kept += ']';
  });
  return kept + "}";
}

struct Unmarked {
  Trace trace;
  CycleList list;
  std::vector<std::size_t> work;     // per cycle: device slices begun in it
  std::vector<std::size_t> kernels;  // of these, kernels
  std::size_t complete = 0;          // cycles whose borders are not the trace's own
};

class UnmarkedTracesTest : public ::testing::Test {
 protected:
  void read(const std::string& name) {
    STROBE_NEEDS_SHARED();
    const Result<std::string> text = read_text(STROBE_SOURCE_DIR "/../shared/" + name);
    ASSERT_TRUE(text) << text.error().what;
    ASSERT_NE(text->find("ProfilerStep#"), std::string::npos);
    const std::string unmarked = without_markers(*text);
    ASSERT_EQ(unmarked.find("ProfilerStep#"), std::string::npos);
    Result<readers::LoadedTrace> loaded = readers::read_trace_bytes(unmarked, name);
    ASSERT_TRUE(loaded) << loaded.error().what;
    found_.trace = std::move(loaded->trace);
    Result<CycleList> list = find_cycles(found_.trace);
    ASSERT_TRUE(list) << list.error().what;
    found_.list = std::move(list).value();
    count_work();
  }

  void count_work() {
    for (const Cycle& cycle : found_.list.cycles) {
      std::size_t work = 0;
      std::size_t kernels = 0;
      for (std::size_t row = 0; row < found_.trace.slice_count(); ++row) {
        const SliceId slice(row);
        const std::int64_t start_ns = found_.trace.start_ns(slice);
        if (!is_device_work(found_.trace.kind(slice))) continue;
        if (start_ns < cycle.interval.start_ns || start_ns >= cycle.interval.end_ns) continue;
        ++work;
        kernels += found_.trace.kind(slice) == SliceKind::kKernel;
      }
      found_.work.push_back(work);
      found_.kernels.push_back(kernels);
      found_.complete += !cycle.has_inferred_border;
    }
  }

  // The quick way that summaries take finds the same.
  void expect_sure_cycles() {
    const std::optional<CycleList> sure = find_sure_cycles(found_.trace);
    ASSERT_TRUE(sure);
    ASSERT_EQ(sure->cycles.size(), found_.list.cycles.size());
    for (std::size_t i = 0; i < sure->cycles.size(); ++i) {
      EXPECT_EQ(sure->cycles[i].interval, found_.list.cycles[i].interval) << i;
    }
  }

  void expect_sglang_cycles(std::size_t least_complete, std::size_t cycles) {
    EXPECT_EQ(found_.list.method, CycleMethod::kKernelSequence);
    EXPECT_EQ(found_.list.confidence, CycleConfidence::kHigh);
    EXPECT_GE(found_.complete, least_complete);
    EXPECT_EQ(found_.list.cycles.size(), cycles);
    for (std::size_t i = 0; i < found_.work.size(); ++i) {
      if (found_.list.cycles[i].has_inferred_border) continue;
      EXPECT_GE(found_.work[i], 878u) << found_.list.cycles[i].name;
      EXPECT_LE(found_.work[i], 890u) << found_.list.cycles[i].name;
    }
    ASSERT_TRUE(found_.list.inner);
    EXPECT_EQ(found_.list.inner->kernels, 27u);
    expect_sure_cycles();
  }

  void expect_served_cycles() {
    EXPECT_EQ(found_.list.method, CycleMethod::kKernelSequence);
    EXPECT_EQ(found_.list.confidence, CycleConfidence::kHigh);
    EXPECT_EQ(found_.list.cycles.size(), 12u);
    EXPECT_THAT(found_.kernels, ::testing::Each(1372u));
    EXPECT_EQ(found_.complete, 11u);
    expect_sure_cycles();
  }

  Unmarked found_;
};

TEST_F(UnmarkedTracesTest, a_normal_run_of_layered_kernels_is_cut_at_its_cycles_not_its_layers) {
  read("data/sglang_gpu_instability/normal/trace.json.gz");
  if (!IsSkipped() && !HasFailure()) expect_sglang_cycles(10, 12);
}

TEST_F(UnmarkedTracesTest, cycles_that_miss_kernels_do_not_mislead) {
  read("data/sglang_gpu_instability/abnormal/trace.json.gz");
  if (!IsSkipped() && !HasFailure()) expect_sglang_cycles(8, 10);
}

TEST_F(UnmarkedTracesTest, a_served_model_is_cut_at_its_twelve_turns) {
  read("traces/h200_serve/normal/trace.json.gz");
  if (!IsSkipped() && !HasFailure()) expect_served_cycles();
}

TEST_F(UnmarkedTracesTest, a_served_model_beside_another_process_is_cut_alike) {
  read("traces/h200_serve/gpu_contention/trace.json.gz");
  if (!IsSkipped() && !HasFailure()) expect_served_cycles();
}

}  // namespace
}  // namespace strobe::analysis
