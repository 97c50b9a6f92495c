#include "strobe/analysis/headroom/kernel_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kernel_sketch.h"

namespace strobe::analysis {
namespace {

using device::KernelFamily;

TEST(KernelStudyTest, every_launch_is_judged_and_added_up) {
  const KernelTable table = KernelSketch()
                                .launch("some_gemm", 40'000, 70, 20)
                                .launch("softmax_warp_forward", 15'000, 2, 45)
                                .launch("elementwise_kernel", 5'000, 0, 10)
                                .table();
  const KernelStudy study = study_kernels(table);
  ASSERT_EQ(study.launches.size(), 3u);
  EXPECT_EQ(study.launches[0].bound, KernelBound::kTensorBound);
  EXPECT_EQ(study.launches[1].bound, KernelBound::kDramLeaning);
  EXPECT_EQ(study.launches[2].bound, KernelBound::kLatencyBound);
  EXPECT_FALSE(study.launches[1].is_short);
  EXPECT_TRUE(study.launches[2].is_short);
  EXPECT_EQ(study.totals.latency_ns, 60'000);
  EXPECT_EQ(study.under_10us.launches, 1u);
  EXPECT_EQ(study.under_20us.launches, 2u);
  EXPECT_EQ(study.identity(1).family, KernelFamily::kSoftmax);
  EXPECT_FALSE(study.layers);
  EXPECT_EQ(study.fusion.rows, 2u);
  EXPECT_EQ(study.findings.size(), study.bases.size());
}

TEST(KernelStudyTest, bytes_are_a_share_of_the_rate_that_file_or_chip_say) {
  const auto dram_percent = [](KernelSketch sketch, std::string_view chip) {
    sketch.launch("k", 1'000, 0)
        .metric(KernelMetric::kDramReadBytes, 1e6)
        .metric(KernelMetric::kDramWriteBytes, 4e5);
    const KernelTable table = sketch.table();
    StudyOptions options;
    options.chip = chip;
    return study_kernels(table, options).sample(0).dram_percent;
  };
  EXPECT_EQ(dram_percent({}, ""), std::nullopt);
  EXPECT_DOUBLE_EQ(*dram_percent({}, "h200"), 100 * 1.4 / 4.8);
  KernelSketch of_file;
  of_file.device("a chip", 0, 2e12);
  EXPECT_DOUBLE_EQ(*dram_percent(std::move(of_file), "h200"), 70);
  // Caches between the counters and the memory can pass more than the memory does.
  KernelSketch small;
  small.device("a chip", 0, 1e12);
  EXPECT_DOUBLE_EQ(*dram_percent(std::move(small), ""), 100);
}

TEST(KernelStudyTest, names_are_worked_out_once_and_in_all_forms) {
  KernelSketch sketch;
  sketch.launch("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)",
                1);
  sketch.launch("_Z6k_copyPKfPf", 1);
  sketch.launch("_Z6k_copyPKfPf", 1);
  const KernelTable table = sketch.table();
  const KernelStudy study = study_kernels(table);
  ASSERT_EQ(study.identities.size(), 2u);
  EXPECT_EQ(study.identity(0).classic, "vectorized_elementwise_kernel");
  EXPECT_EQ(study.identity(0).brief, "vectorized_elementwise_kernel");
  EXPECT_TRUE(study.identity(0).mangled.empty());
  EXPECT_EQ(study.identity(2).full, "k_copy(float const*, float*)");
  EXPECT_EQ(study.identity(2).mangled, "_Z6k_copyPKfPf");
  EXPECT_EQ(study.identity(2).alike, 1u);
}

TEST(KernelStudyTest, names_that_differ_in_nothing_shown_are_alike) {
  const KernelTable table = KernelSketch()
                                .launch("void scale<4>(float*, int)", 1)
                                .launch("void scale<4>(float*, long)", 1)
                                .table();
  const KernelStudy study = study_kernels(table);
  ASSERT_EQ(study.identities.size(), 2u);
  ASSERT_EQ(study.identities[0].detail, study.identities[1].detail);
  EXPECT_EQ(study.identities[1].alike, 0u);
}

// 8 GB in 1 ms are 8 TB/s of 10.
TEST(KernelStudyTest, a_kernel_that_fills_the_cache_is_bound_by_it_if_the_roof_is_known) {
  const KernelTable table = KernelSketch()
                                .launch("elementwise_kernel", 1'000'000, 0, 20)
                                .metric(KernelMetric::kL2Bytes, 8e9)
                                .table();
  EXPECT_EQ(study_kernels(table).launches[0].bound, KernelBound::kLatencyBound);
  StudyOptions options;
  options.l2_bytes_per_s = 10e12;
  EXPECT_EQ(study_kernels(table, options).launches[0].bound, KernelBound::kL2Bound);
}

TEST(KernelStudyTest, a_low_clock_is_flagged_against_what_the_device_can_do) {
  const KernelTable table = KernelSketch()
                                .device("some chip", 2e9)
                                .launch("a", 1'000)
                                .metric(KernelMetric::kClockHz, 1.5e9)
                                .launch("b", 1'000)
                                .metric(KernelMetric::kClockHz, 1.7e9)
                                .launch("c", 1'000)
                                .table();
  const KernelStudy study = study_kernels(table);
  EXPECT_TRUE(study.launches[0].is_clock_low);
  EXPECT_FALSE(study.launches[1].is_clock_low);
  EXPECT_FALSE(study.launches[2].is_clock_low);
}

TEST(KernelStudyTest, the_chip_is_the_one_asked_for_or_the_one_the_file_names) {
  const KernelTable table = KernelSketch().device("NVIDIA H200").launch("a", 1).table();
  const KernelStudy by_file = study_kernels(table);
  ASSERT_TRUE(by_file.chip);
  EXPECT_TRUE(by_file.chip->name.starts_with("H200"));
  StudyOptions options;
  options.chip = "a100";
  ASSERT_TRUE(study_kernels(table, options).chip);
  EXPECT_TRUE(study_kernels(table, options).chip->name.starts_with("A100"));
  options.chip = "abacus";
  EXPECT_FALSE(study_kernels(table, options).chip);
}

TEST(KernelStudyTest, times_without_counters_give_times_without_bounds) {
  const KernelTable table =
      KernelSketch().launch("some_gemm", 100).launch("elementwise_kernel", 50).table();
  const KernelStudy study = study_kernels(table);
  EXPECT_EQ(study.launches[0].bound, KernelBound::kUnknown);
  EXPECT_FALSE(study.totals.headroom_ns());
  EXPECT_TRUE(study.work_units.empty());
}

TEST(KernelStudyTest, an_empty_list_has_an_empty_study) {
  const KernelTable table;
  const KernelStudy study = study_kernels(table);
  EXPECT_EQ(study.totals.launches, 0u);
  EXPECT_TRUE(study.findings.empty());
  EXPECT_TRUE(study.roofline.points.empty());
}

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> warnings_of(KernelSketch& sketch) {
  const KernelTable table = sketch.table();
  return study_kernels(table).warnings;
}

// A list without any problem.
KernelSketch fine() {
  KernelSketch sketch;
  sketch.device("NVIDIA H200", 1.98e9);
  sketch.launch("k", 50'000, 10, 20).metric(KernelMetric::kClockHz, 1.90e9);
  return sketch;
}

TEST(KernelWarningsTest, a_clean_list_has_none) {
  KernelSketch sketch = fine();
  EXPECT_THAT(warnings_of(sketch), IsEmpty());
}

TEST(KernelWarningsTest, clocks_more_than_five_percent_apart_are_told_with_their_kernels) {
  KernelSketch sketch = fine();
  sketch.launch("slow_gemm", 50'000, 90, 20).metric(KernelMetric::kClockHz, 1.81e9);
  EXPECT_THAT(warnings_of(sketch), IsEmpty());
  KernelSketch apart = fine();
  apart.launch("slow_gemm", 50'000, 90, 20).metric(KernelMetric::kClockHz, 1.80e9);
  EXPECT_THAT(warnings_of(apart),
              Contains("the clock was not the same for all kernels: least 1.80 GHz in slow_gemm "
                       "(row 1), most 1.90 GHz in k (row 0); compare percentages rather than "
                       "times"));
}

TEST(KernelWarningsTest, a_low_and_a_locked_clock_are_told) {
  KernelSketch sketch;
  sketch.device("NVIDIA H200", 2e9);
  sketch.launch("k", 50'000, 10, 20).metric(KernelMetric::kClockHz, 1.5e9);
  sketch.now().clock_policy = ClockPolicy::kLocked;
  const std::vector<std::string> warnings = warnings_of(sketch);
  EXPECT_THAT(warnings,
              Contains(HasSubstr("1 of 1 kernels ran below 80 % of the chip's highest clock "
                                 "(1.50 GHz of 2.00 GHz in k (row 0))")));
  EXPECT_THAT(warnings, Contains(HasSubstr("the profiler locked the clock")));
}

TEST(KernelWarningsTest, several_devices_do_not_add_up) {
  KernelSketch same = fine();
  same.on_device(0).device("NVIDIA H200");
  same.launch("k", 50'000, 10, 20).on_device(1);
  EXPECT_THAT(warnings_of(same), Contains(HasSubstr("the list mixes kernels of 2 devices")));

  KernelSketch different = fine();
  different.on_device(0).device("NVIDIA A100-SXM4-40GB");
  different.launch("k", 50'000, 10, 20).on_device(1);
  EXPECT_THAT(warnings_of(different),
              Contains(HasSubstr("different chips (NVIDIA A100-SXM4-40GB, NVIDIA H200)")));
}

TEST(KernelWarningsTest, a_device_without_a_kernel_does_not_count) {
  KernelSketch sketch = fine();
  sketch.on_device(0).device("NVIDIA A100-SXM4-40GB");
  EXPECT_THAT(warnings_of(sketch), IsEmpty());
}

TEST(KernelWarningsTest, an_unknown_chip_is_told_by_its_name) {
  KernelSketch nameless;
  nameless.launch("k", 50'000, 10, 20);
  EXPECT_THAT(warnings_of(nameless), Contains(HasSubstr("the file does not name its chip")));
  KernelSketch unknown;
  unknown.device("abacus").launch("k", 50'000, 10, 20);
  EXPECT_THAT(warnings_of(unknown), Contains(HasSubstr("the chip 'abacus' is not known")));
}

TEST(KernelWarningsTest, counters_that_are_missing_are_told) {
  const auto warnings_with = [](std::optional<double> tensor, std::optional<double> dram) {
    KernelSketch sketch;
    sketch.device("NVIDIA H200").launch("k", 50'000, tensor, dram);
    return warnings_of(sketch);
  };
  EXPECT_THAT(warnings_with({}, {}), Contains(HasSubstr("no launch has counters")));
  EXPECT_THAT(warnings_with({}, 10), Contains(HasSubstr("the tensor share was not counted")));
  EXPECT_THAT(warnings_with(10, {}), Contains(HasSubstr("the DRAM share was not counted")));
  KernelSketch bytes;
  bytes.launch("k", 50'000).metric(KernelMetric::kDramReadBytes, 1000);
  EXPECT_THAT(warnings_of(bytes), Contains(HasSubstr("name the chip with --chip")));
  KernelSketch some = fine();
  some.launch("k", 50'000, 10);
  EXPECT_THAT(warnings_of(some),
              Contains(HasSubstr("1 of 2 launches lack the tensor or the DRAM")));
}

TEST(KernelWarningsTest, many_short_kernels_are_told) {
  KernelSketch sketch = fine();
  sketch.launch("k", 9'999, 10, 20);
  EXPECT_THAT(warnings_of(sketch), Contains(HasSubstr("1 of 2 launches are shorter than 10 us")));
}

}  // namespace

}  // namespace strobe::analysis
