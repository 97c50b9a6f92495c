#include <gtest/gtest.h>

#include <algorithm>

#include "strobe/compare/causes/cause_rules.h"
#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

std::vector<Cause> work_causes(const CauseSketch& sketch) {
  return sketch.said_by(work_cause_rules());
}

CauseSketch layers(double factor) {
  CauseSketch sketch(10, 10 * factor);
  for (int i = 0; i < 6; ++i) {
    sketch.kernel("kernel" + std::to_string(i), 1, factor).calls(10, 10 * factor);
  }
  return sketch;
}

TEST(WorkloadRule, calls_that_grew_by_one_factor_are_more_work) {
  const auto causes = work_causes(layers(2));
  const Cause* cause = find(causes, CauseKind::kWorkload);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.9, 1e-9);
  EXPECT_EQ(cause->headline,
            "a cycle does more work: nearly all functions are called x 2.00 as often");
}

TEST(WorkloadRule, calls_that_shrank_by_one_factor_are_less_work) {
  EXPECT_EQ(find(work_causes(layers(0.5)), CauseKind::kWorkload)->headline,
            "a cycle does less work: nearly all functions are called x 0.50 as often");
}

CauseSketch sized(double factor, double slowdown, int resized) {
  CauseSketch sketch(10, 10 * slowdown);
  for (int i = 0; i < 5; ++i) {
    sketch.kernel("kernel" + std::to_string(i), 1, slowdown)
        .blocks(100, i < resized ? 100 * factor : 100);
  }
  return sketch;
}

TEST(WorkloadRule, larger_launches_are_more_work_the_surer_the_more_kernels_have_them) {
  const double all = score_of(work_causes(sized(2, 1.9, 5)), CauseKind::kWorkload);
  const double some = score_of(work_causes(sized(2, 1.9, 2)), CauseKind::kWorkload);
  EXPECT_NEAR(all, 0.95, 1e-9);
  EXPECT_LT(some, all);
  EXPECT_GE(some, kListedScore);
  EXPECT_TRUE(mentions(find(work_causes(sized(2, 1.9, 5)), CauseKind::kWorkload)->evidence,
                       "100 % of the kernels that both runs have"));
}

TEST(WorkloadRule, one_kernel_that_takes_nearly_all_of_the_time_is_enough) {
  auto sketch = CauseSketch(10, 13)
                    .kernel("sweep", 9, 12)
                    .blocks(2048, 2750)
                    .kernel("source", 0.1, 0.1)
                    .blocks(64, 64)
                    .kernel("sum", 0.1, 0.1)
                    .blocks(132, 132);
  EXPECT_GE(score_of(work_causes(sketch), CauseKind::kWorkload), kConfidentScore);
}

TEST(WorkloadRule, more_blocks_of_half_the_size_are_as_much_work) {
  auto sketch = CauseSketch(10, 11).kernel("sweep", 9, 9.1).blocks(1000, 2000);
  EXPECT_EQ(find(work_causes(sketch.kernel("sum", 0.1, 0.5)), CauseKind::kWorkload), nullptr);
}

TEST(WorkloadRule, one_more_call_of_another_size_is_no_other_size_of_all) {
  auto sketch = CauseSketch(10, 13)
                    .kernel("gemm", 9, 12)
                    .calls(10, 11)
                    .blocks(1000, 1300)
                    .kernel("norm", 0.5, 0.5)
                    .blocks(10, 10);
  EXPECT_EQ(find(work_causes(sketch), CauseKind::kWorkload), nullptr);
}

TEST(WorkloadRule, is_silent_about_sizes_where_most_of_the_time_is_in_other_kernels) {
  auto sketch = CauseSketch(10, 20)
                    .kernel("gemm_half", 8, 0)
                    .kernel("gemm_single", 0, 18)
                    .kernel("norm", 1, 1.5)
                    .blocks(100, 200);
  EXPECT_EQ(find(work_causes(sketch), CauseKind::kWorkload), nullptr);
}

// A batch of 1.4 times the size: three kernels have as many blocks more, and one has as many as the
// device has multiprocessors.
CauseSketch larger_batch() {
  CauseSketch sketch(10, 13);
  for (const char* name : {"add", "mul", "relu"}) {
    sketch.kernel(name, 1, 1.4).blocks(100, 140);
  }
  for (int i = 0; i < 8; ++i) {
    sketch.kernel("optimizer" + std::to_string(i), 0.1, 0.1).blocks(40, 40);
  }
  return sketch.kernel("gemm", 4, 5.5).blocks(132, 132);
}

TEST(WorkloadRule, kernels_that_grew_by_one_factor_speak_for_one_whose_blocks_are_fixed) {
  const auto causes = work_causes(larger_batch());
  const Cause* cause = find(causes, CauseKind::kWorkload);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->headline, "a cycle does more work: many kernels have x 1.40 as much to do");
  EXPECT_GE(cause->score, kConfidentScore);
}

TEST(WorkloadRule, kernels_that_grew_by_different_factors_are_no_larger_batch) {
  auto sketch = larger_batch();
  sketch.kernel("a", 1, 3).blocks(100, 300).kernel("b", 1, 2).blocks(100, 50);
  EXPECT_EQ(find(work_causes(sketch.kernel("c", 1, 8)), CauseKind::kWorkload), nullptr);
}

TEST(WorkloadRule, a_library_may_choose_other_kernels_for_other_sizes) {
  CauseSketch sketch(10, 14);
  for (int i = 0; i < 8; ++i) {
    sketch.kernel("cell" + std::to_string(i), 0.2, 0.22).calls(100, 112);
  }
  sketch.kernel("conv_64", 1, 0).kernel("conv_128", 0, 1.5);
  const auto causes = find_causes(sketch.comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kWorkload);
}

TEST(WorkloadRule, is_silent_where_other_kernels_do_most_of_the_work) {
  CauseSketch sketch(10, 14);
  for (int i = 0; i < 8; ++i) sketch.kernel("copy" + std::to_string(i), 0.1, 0.2).blocks(100, 200);
  sketch.kernel("conv_half", 6, 0).kernel("conv_single", 0, 9);
  const auto causes = find_causes(sketch.comparison());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().kind, CauseKind::kKernelMix);
}

TEST(WorkloadRule, is_silent_while_calls_and_sizes_stay) {
  EXPECT_EQ(find(work_causes(layers(1)), CauseKind::kWorkload), nullptr);
  EXPECT_EQ(find(work_causes(sized(1, 1.9, 5)), CauseKind::kWorkload), nullptr);
}

TEST(WorkloadRule, is_silent_about_other_sizes_that_change_no_time) {
  EXPECT_EQ(find(work_causes(sized(2, 1, 5)), CauseKind::kWorkload), nullptr);
}

CauseSketch swapped(double new_ms) {
  return CauseSketch(10, 11)
      .kernel("gemm_128x128", 3, 0)
      .kernel("gemm_64x64", 0, new_ms)
      .kernel("norm", 1, 1);
}

TEST(KernelMix, new_and_vanished_kernels_that_make_the_change_are_named) {
  const auto causes = work_causes(swapped(4));
  const Cause* cause = find(causes, CauseKind::kKernelMix);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->score, 0.92, 1e-9);
  EXPECT_TRUE(mentions(cause->evidence, "new: gemm_64x64"));
  EXPECT_TRUE(mentions(cause->evidence, "gone: gemm_128x128"));
  EXPECT_TRUE(mentions(cause->evidence, "100 % of the change on the device"));
}

TEST(KernelMix, kernels_called_more_often_are_named_too) {
  const auto causes =
      work_causes(CauseSketch(10, 11).kernel("gemm", 3, 3).kernel("copy", 1, 2).calls(10, 20));
  ASSERT_NE(find(causes, CauseKind::kKernelMix), nullptr);
  EXPECT_TRUE(
      mentions(find(causes, CauseKind::kKernelMix)->evidence, "called more or less often: copy"));
}

TEST(KernelMix, is_silent_if_the_same_kernels_only_run_in_other_cycles) {
  CauseSketch sketch = CauseSketch(2, 20).kernel("gemm", 0.6, 6).calls(12, 100);
  ASSERT_NE(find(work_causes(sketch), CauseKind::kKernelMix), nullptr);
  LaunchedRow& launched = sketch.edit().functions.back().launched;
  launched.is_known = true;
  launched.calls_normal = launched.calls_abnormal = 100;
  EXPECT_EQ(find(work_causes(sketch), CauseKind::kKernelMix), nullptr);
}

TEST(KernelMix, explains_what_it_takes_the_host_to_launch_more_of_them) {
  const auto sketch = CauseSketch(10, 14)
                          .device("GPU 0", 5, 5.5)
                          .kernel("fused", 1, 0)
                          .kernel("single", 0, 1.5)
                          .call("cudaLaunchKernel", 2, 5)
                          .calls(20, 50);
  const auto causes = work_causes(sketch);
  const Cause* cause = find(causes, CauseKind::kKernelMix);
  ASSERT_NE(cause, nullptr);
  EXPECT_NEAR(cause->explains_ms, 0.5 + 3, 0.01);
  EXPECT_TRUE(mentions(
      cause->evidence,
      "the device is idle for longer, because more calls launch them: +3.00 ms per cycle"));
}

TEST(KernelMix, kernels_that_one_run_launched_and_did_not_record_are_no_other_kernels) {
  const auto unrecorded = [](double launches) {
    return work_causes(CauseSketch(10, 10)
                           .device("GPU 0", 5, 0)
                           .kernel("gemm", 5, 0)
                           .call("cudaLaunchKernel", 1, 1)
                           .calls(10, launches));
  };
  const auto causes = unrecorded(10);
  EXPECT_EQ(find(causes, CauseKind::kKernelMix), nullptr);
  const Cause* measurement = find(causes, CauseKind::kMeasurement);
  ASSERT_NE(measurement, nullptr);
  EXPECT_TRUE(measurement->is_fact);
  EXPECT_TRUE(
      mentions(measurement->evidence,
               "the abnormal run has 10.0 launching calls per cycle, and no kernels of GPU 0"));
  EXPECT_NE(find(unrecorded(0), CauseKind::kKernelMix), nullptr) << "it launches nothing either";
}

CauseSketch fusion_lost(double abnormal_ms) {
  return CauseSketch(10, abnormal_ms)
      .kernel("gemm", 4, 4)
      .kernel("fused", 1, 0)
      .kernel("single", 0, 2.5);
}

TEST(KernelMix, kernels_that_explain_little_of_the_change_are_not_called_confident) {
  const auto few = find_causes(fusion_lost(22).comparison());
  const Cause* cause = find(few, CauseKind::kKernelMix);
  ASSERT_NE(cause, nullptr);
  EXPECT_LT(cause->score, kConfidentScore);
  EXPECT_TRUE(mentions(cause->against, "it explains only +1.50 of +12.0 ms per cycle, 12 %"));
  const auto most = find_causes(fusion_lost(12).comparison());
  EXPECT_GE(score_of(most, CauseKind::kKernelMix), kConfidentScore);
  EXPECT_TRUE(
      mentions(find(most, CauseKind::kKernelMix)->evidence, "it explains +1.50 of +2.00 ms"));
}

TEST(KernelMix, a_program_with_mostly_other_kernels_is_another_program_whatever_they_take) {
  const auto causes =
      find_causes(CauseSketch(10, 22).kernel("half", 4, 0).kernel("single", 0, 4.2).comparison());
  EXPECT_GE(score_of(causes, CauseKind::kKernelMix), kConfidentScore);
}

TEST(KernelMix, little_other_work_is_less_sure) {
  const auto causes = work_causes(
      CauseSketch(10, 10).kernel("gemm", 10, 10).kernel("old", 0.2, 0).kernel("new", 0, 0.2));
  EXPECT_GE(score_of(causes, CauseKind::kKernelMix), kListedScore);
  EXPECT_LT(score_of(causes, CauseKind::kKernelMix), kConfidentScore);
}

TEST(KernelMix, is_silent_when_every_kernel_slowed_alike) {
  EXPECT_EQ(find(work_causes(CauseSketch(10, 20).kernel("gemm", 3, 6).kernel("norm", 1, 2)),
                 CauseKind::kKernelMix),
            nullptr);
}

TEST(KernelMix, is_silent_when_the_new_kernel_is_the_smaller_part_of_the_change) {
  EXPECT_EQ(find(work_causes(CauseSketch(10, 20).kernel("gemm", 3, 8).kernel("new", 0, 1)),
                 CauseKind::kKernelMix),
            nullptr);
}

TEST(KernelMix, is_silent_when_a_cycle_simply_does_more) {
  EXPECT_EQ(find(work_causes(layers(2)), CauseKind::kKernelMix), nullptr);
}

CauseSketch with_partial(std::size_t cycles) {
  CauseSketch sketch(10, 10);
  auto& is_partial = sketch.edit().abnormal.ranks.front().devices.front().is_partial;
  std::fill_n(is_partial.begin(), cycles, true);
  return sketch;
}

TEST(Measurement, many_cut_cycles_are_told_the_more_the_stronger) {
  const auto causes = work_causes(with_partial(4));
  const Cause* cause = find(causes, CauseKind::kMeasurement);
  ASSERT_NE(cause, nullptr);
  EXPECT_TRUE(mentions(cause->evidence, "0 % of the normal and 33 % of the abnormal cycles"));
  EXPECT_GT(score_of(work_causes(with_partial(6)), CauseKind::kMeasurement), cause->score);
  EXPECT_LT(score_of(work_causes(with_partial(6)), CauseKind::kMeasurement), kConfidentScore);
}

TEST(Measurement, the_profilers_own_work_is_surer_the_more_it_explains) {
  const auto with = [](double ms) {
    return work_causes(
        CauseSketch(10, 20).function("Buffer Request", FunctionKind::kOverhead, 0.1, ms));
  };
  EXPECT_NEAR(score_of(with(10.1), CauseKind::kMeasurement), 0.9, 1e-2);
  EXPECT_LT(score_of(with(5), CauseKind::kMeasurement), kConfidentScore);
  EXPECT_TRUE(mentions(with(10.1).front().evidence, "the profiler's own work"));
}

TEST(Measurement, a_full_queue_of_the_driver_is_not_the_profilers_work) {
  const auto sketch =
      CauseSketch(10, 20).function("Command Buffer Full", FunctionKind::kOverhead, 0, 10);
  EXPECT_EQ(find(work_causes(sketch), CauseKind::kMeasurement), nullptr);
}

TEST(Measurement, is_silent_about_one_cut_cycle_and_little_overhead) {
  EXPECT_TRUE(work_causes(with_partial(1)).empty());
  EXPECT_TRUE(
      work_causes(CauseSketch(10, 20).function("Buffer Request", FunctionKind::kOverhead, 0.1, 0.5))
          .empty());
}

}  // namespace
}  // namespace strobe::compare
