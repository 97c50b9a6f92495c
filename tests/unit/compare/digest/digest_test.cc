#include "strobe/compare/digest/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/side_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::compare {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::SizeIs;

// One of everything that a digest keeps.
SideFacts full_side() {
  SideSketch sketch("normal", {10, 11, 12, 10.5});
  sketch.function("aten::mm", {5, 5.5, 6, 5.25}, FunctionKind::kHostOperator);
  sketch.measure().functions.back().is_operator = true;
  sketch.device("GPU 0").function("gemm", {2, 2.1, 0, 1.9}).calls({1, 2, 0, 1});
  sketch.metric("gpu_sm_frequency", {1980, std::nan(""), 1975.5, 1980});
  SideFacts side = sketch.side();
  RankMeasure& measure = side.ranks.front();
  side.folder = "runs";
  measure.rank = 3;
  measure.path = "runs/normal/trace.json";
  measure.origin_ns = 1'731'654'321'000'000'000;
  measure.remarks = {"something is odd"};
  measure.has_frames = true;
  measure.cycles.method = analysis::CycleMethod::kSteps;
  measure.cycles.confidence = analysis::CycleConfidence::kHigh;
  measure.cycles.clock = analysis::CycleClock::kDevice;
  measure.cycles.marker = "step N";
  measure.cycles.process = "python3";
  measure.cycles.inner = analysis::InnerPeriod{.kernels = 25, .match = 0.98};
  for (analysis::Cycle& cycle : measure.cycles.cycles) {
    cycle.interval.start_ns += measure.origin_ns + 500;
    cycle.interval.end_ns += measure.origin_ns + 500;
  }
  measure.cycles.cycles[0].name = "warm up";
  measure.cycles.cycles[1].name = "step 007";
  measure.cycles.cycles[2].name = "step 8";
  measure.cycles.cycles[2].type = analysis::CycleType::kLong;
  measure.cycles.cycles[3].has_inferred_border = true;
  FunctionCycles& gemm = measure.functions.back();
  gemm.blocks = 131.5;
  gemm.launched_calls = {1, 2, 1, 0};
  gemm.launched_ns = {2'000'000, 2'100'000, 1'900'000, 0};
  FunctionCycles copy = gemm;
  copy.key = {"Memcpy HtoD", FunctionKind::kMemcpy, "GPU 0"};
  copy.copied_bytes = {4096, 0, 8192, 4096};
  copy.launched_calls = {};
  copy.launched_ns = {};
  measure.functions.push_back(copy);
  DeviceCycles& gpu = measure.devices.back();
  gpu.chip = "NVIDIA H200";
  gpu.busy_ns = {4'000'000, 4'200'000, 0, 3'800'000};
  gpu.is_partial[2] = true;
  gpu.launched_ns = {4'000'000, 4'200'000, 1, 3'800'000};
  gpu.overhang_ns = 77;
  gpu.outlasts_cycles = true;
  SeriesCycles& clock = measure.series.back();
  clock.info = device::metric_info(clock.metric, clock.device);
  clock.samples_in_cycles = 8;
  clock.period_ns = std::nan("");
  clock.recording_mean = 1977.25;
  clock.recording_median = 1980;
  clock.sample_of = {0, 0, 1, 2};
  measure.idle.push_back(
      {{analysis::IdleKind::kRuntimeCall, "cudaStreamSynchronize", "aten::item"}, {1, 2, 3, 0}});
  measure.launches.push_back(
      {"GPU 0", {1500, std::nan(""), 1600, 1700}, {0.5, std::nan(""), 2, 0.25}});
  return side;
}

SideFacts through_digest(const SideFacts& side, const DigestLimits& limits = {}) {
  const auto packed = pack_digest(side, limits);
  EXPECT_TRUE(packed) << packed.error().what;
  auto read = unpack_digest(*packed);
  EXPECT_TRUE(read) << read.error().what;
  return read ? *std::move(read) : SideFacts{};
}

TEST(DigestTest, a_run_and_its_cycles_come_back) {
  const SideFacts side = full_side();
  const SideFacts read = through_digest(side);
  EXPECT_EQ(read.label, "normal");
  EXPECT_EQ(read.path, side.path);
  EXPECT_EQ(read.folder, "runs");
  ASSERT_THAT(read.ranks, SizeIs(1));
  const RankMeasure& measure = read.ranks.front();
  EXPECT_EQ(measure.rank, 3);
  EXPECT_EQ(measure.path, "runs/normal/trace.json");
  EXPECT_EQ(measure.origin_ns, 1'731'654'321'000'000'000);
  EXPECT_THAT(measure.remarks, ElementsAre("something is odd"));
  EXPECT_TRUE(measure.has_frames);
  const analysis::CycleList& cycles = measure.cycles;
  EXPECT_EQ(cycles.method, analysis::CycleMethod::kSteps);
  EXPECT_EQ(cycles.confidence, analysis::CycleConfidence::kHigh);
  EXPECT_EQ(cycles.clock, analysis::CycleClock::kDevice);
  EXPECT_EQ(cycles.marker, "step N");
  EXPECT_EQ(cycles.process, "python3");
  ASSERT_TRUE(cycles.inner);
  EXPECT_EQ(cycles.inner->kernels, 25u);
  EXPECT_EQ(cycles.inner->match, 0.98);
  ASSERT_THAT(cycles.cycles, SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    const analysis::Cycle& kept = side.ranks.front().cycles.cycles[i];
    EXPECT_EQ(cycles.cycles[i].interval, kept.interval);
    EXPECT_EQ(cycles.cycles[i].name, kept.name);
    EXPECT_EQ(cycles.cycles[i].type, kept.type);
    EXPECT_EQ(cycles.cycles[i].has_inferred_border, kept.has_inferred_border);
  }
}

TEST(DigestTest, functions_come_back) {
  const SideFacts side = full_side();
  const SideFacts read = through_digest(side);
  ASSERT_THAT(read.ranks.front().functions, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    const FunctionCycles& kept = side.ranks.front().functions[i];
    const FunctionCycles& function = read.ranks.front().functions[i];
    EXPECT_EQ(function.key, kept.key);
    EXPECT_EQ(function.calls, kept.calls);
    EXPECT_EQ(function.copied_bytes, kept.copied_bytes);
    EXPECT_EQ(function.blocks, kept.blocks);
    EXPECT_EQ(function.is_operator, kept.is_operator);
    EXPECT_EQ(function.launched_calls, kept.launched_calls);
    ASSERT_EQ(function.launched_ns.size(), kept.launched_ns.size());
    for (std::size_t cycle = 0; cycle < 4; ++cycle) {
      EXPECT_NEAR(static_cast<double>(function.time_ns[cycle]),
                  static_cast<double>(kept.time_ns[cycle]), 4000);
    }
  }
}

TEST(DigestTest, devices_metrics_and_waits_come_back) {
  const SideFacts read = through_digest(full_side());
  const RankMeasure& measure = read.ranks.front();
  ASSERT_THAT(measure.devices, SizeIs(2));
  const DeviceCycles& gpu = measure.devices[1];
  EXPECT_EQ(gpu.device, "GPU 0");
  EXPECT_EQ(gpu.chip, "NVIDIA H200");
  EXPECT_THAT(gpu.slices, ElementsAre(100, 100, 100, 100));
  EXPECT_THAT(gpu.is_partial, ElementsAre(false, false, true, false));
  EXPECT_NEAR(static_cast<double>(gpu.busy_ns[1]), 4'200'000, 4000);
  EXPECT_GT(gpu.launched_ns[2], 0);
  EXPECT_EQ(gpu.overhang_ns, 77);
  EXPECT_TRUE(gpu.outlasts_cycles);
  ASSERT_THAT(measure.series, SizeIs(1));
  const SeriesCycles& clock = measure.series[0];
  EXPECT_EQ(clock.metric, "gpu_sm_frequency");
  EXPECT_EQ(clock.info.role, device::MetricRole::kCoreClock);
  EXPECT_EQ(clock.samples, 10u);
  EXPECT_EQ(clock.samples_in_cycles, 8u);
  EXPECT_THAT(clock.period_ns, IsNan());
  EXPECT_EQ(clock.recording_mean, 1977.25);
  EXPECT_THAT(clock.sample_of, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(clock.mean[1], IsNan());
  EXPECT_NEAR(clock.busy_mean[2], 1975.5, 0.5);
  ASSERT_THAT(measure.idle, SizeIs(1));
  EXPECT_EQ(measure.idle[0].cause.inside, "aten::item");
  EXPECT_THAT(measure.idle[0].idle_ns, ElementsAre(1, 2, 3, 0));
  ASSERT_THAT(measure.launches, SizeIs(1));
  EXPECT_THAT(measure.launches[0].median_delay_ns[1], IsNan());
  EXPECT_NEAR(measure.launches[0].mean_queue[3], 0.25, 0.01);
}

TEST(DigestTest, the_metrics_of_single_functions_are_left_out) {
  EXPECT_THAT(through_digest(full_side()).ranks.front().metrics, IsEmpty());
}

TEST(DigestTest, the_smallest_functions_are_left_out_and_a_remark_says_so) {
  const SideFacts read = through_digest(full_side(), {.most_functions = 2});
  const RankMeasure& measure = read.ranks.front();
  ASSERT_THAT(measure.functions, SizeIs(2));
  EXPECT_EQ(measure.functions[0].key.name, "aten::mm");
  EXPECT_EQ(measure.functions[1].key.name, "gemm");
  EXPECT_THAT(measure.remarks, Contains(HasSubstr("2 of 3 functions")));
}

TEST(DigestTest, a_run_without_cycles_has_no_digest) {
  SideFacts side;
  side.ranks.emplace_back();
  const auto packed = pack_digest(side);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, ErrorCode::kTooLittleData);
}

TEST(DigestTest, a_file_is_recognised_by_its_content) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder / "some name").string();
  EXPECT_FALSE(is_digest_file(path));
  EXPECT_FALSE(is_digest_file(folder.path().string()));
  testing::put_bytes(path, *pack_digest(full_side()));
  EXPECT_TRUE(is_digest_file(path));
  const auto read = read_digest(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->label, "normal");
}

TEST(DigestTest, errors_name_the_file_and_say_what_it_is) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder / "digest").string();
  testing::put_bytes(path, "strobe digest 9\nfrom the future");
  EXPECT_TRUE(is_digest_file(path));
  const auto later = read_digest(path);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(later.error().what, HasSubstr("another version"));
  EXPECT_EQ(later.error().where, path);
  EXPECT_THAT(unpack_digest("[]").error().what, HasSubstr("no digest"));
}

TEST(DigestTest, every_cut_is_noticed) {
  const std::string packed = *pack_digest(full_side());
  for (std::size_t bytes = 0; bytes < packed.size(); ++bytes) {
    EXPECT_FALSE(unpack_digest(std::string_view(packed).substr(0, bytes))) << bytes;
  }
}

TEST(DigestTest, every_flipped_byte_is_noticed) {
  const std::string packed = *pack_digest(full_side());
  for (std::size_t place = 0; place < packed.size(); ++place) {
    std::string damaged = packed;
    damaged[place] = static_cast<char>(~damaged[place]);
    EXPECT_FALSE(unpack_digest(damaged)) << place;
  }
}

// Behind the checksum: whatever the bytes are, what is read can be compared.
TEST(DigestTest, damage_behind_the_checksum_does_no_harm) {
  const SideFacts side = full_side();
  const std::string content = measures_of(side);
  ASSERT_TRUE(read_measures(content));
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = content;
    for (int flips = 0; flips < 1 + i % 3; ++flips) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    auto read = read_measures(damaged);
    if (!read) continue;
    auto comparison = compare_measures(side, *std::move(read), {}, {});
    if (comparison) judge(*comparison);
  }
}

}  // namespace
}  // namespace strobe::compare
