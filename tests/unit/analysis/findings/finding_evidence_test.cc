#include "strobe/analysis/findings/finding_evidence.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/findings/step_summary.h"

namespace strobe::analysis {
namespace {

TEST(FindingEvidenceTest, it_adds_up_steps_kernels_and_calls) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("xLaunchKernel", kCall, 1_us, 4_us)
                          .slice("xStreamSynchronize", kCall, 50_us, 10_us)
                          .slice("xDeviceSynchronize", kCall, 70_us, 20_us)
                          .slice("xGetDevice", kCall, 95_us, 1_us)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 10_us, 2_us)
                          .slice("k", SliceKind::kKernel, 20_us, 3_us)
                          .slice("k", SliceKind::kKernel, 30_us, 15_us)
                          .trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.labelled_ns, 100_us);
  EXPECT_EQ(evidence.use.busy_ns, 20_us);
  EXPECT_DOUBLE_EQ(evidence.use.share(), 0.2);
  EXPECT_EQ(evidence.kernels.calls, 3u);
  EXPECT_EQ(evidence.median_kernel_ns, 3_us);
  EXPECT_EQ(evidence.tiny_kernels.calls, 2u);
  EXPECT_EQ(evidence.launches.time.total_ns, 4_us);
  EXPECT_EQ(evidence.waiting.inside_ns, 30_us);
  EXPECT_EQ(evidence.waiting.longest, "xDeviceSynchronize");
  EXPECT_EQ(evidence.device_slices, 3u);
  EXPECT_EQ(evidence.last_device_end_ns, 45_us);
  EXPECT_EQ(evidence.whole_text(), "the step");
}

TEST(FindingEvidenceTest, calls_of_every_vendor_count) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("cnInvokeKernel", kCall, 1_us, 4_us)
                          .slice("cnrtQueueSync", kCall, 50_us, 10_us)
                          .slice("cnrtSyncDevice", kCall, 70_us, 20_us)
                          .trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.launches.longest, "cnInvokeKernel");
  EXPECT_EQ(evidence.waiting.inside_ns, 30_us);
  EXPECT_EQ(evidence.waiting.longest, "cnrtSyncDevice");
}

TEST(FindingEvidenceTest, an_empty_trace_has_no_shares) {
  const Trace trace = Sketch().trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.use.share(), 0);
  EXPECT_EQ(evidence.share_of(StepLabel::kHost), 0);
}

// Half of the kernels are collectives of 5 ms: they do not tell how long a kernel computes.
TEST(FindingEvidenceTest, collectives_are_no_computing_kernels) {
  Sketch sketch;
  sketch.stream(0, 7);
  for (int i = 0; i < 4; ++i) sketch.slice("k", kKernel, 10_ms * i, 8_us);
  for (int i = 0; i < 4; ++i) {
    sketch.slice("reduce", kKernel, 10_ms * i + 1_ms, 5_ms).flags(kCommunicates);
  }
  const Trace trace = sketch.trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.kernels.calls, 4u);
  EXPECT_EQ(evidence.kernels.average_ns(), 8000.0);
  EXPECT_EQ(evidence.median_kernel_ns, 8_us);
  EXPECT_EQ(evidence.device_slices, 8u);
}

// The driver's launch inside the runtime's is the same launch; another thread has its own rhythm.
TEST(FindingEvidenceTest, launches_of_a_thread_are_so_far_apart) {
  Sketch sketch;
  for (int i = 0; i < 5; ++i) {
    sketch.thread(1).slice("xLaunchKernel", kCall, 40_us * i, 10_us);
    sketch.slice("xuLaunchKernel", kCall, 40_us * i + 1_us, 8_us);
    sketch.thread(2).slice("xLaunchKernel", kCall, 40_us * i + 20_us, 10_us);
  }
  const Trace trace = sketch.trace();
  const Summary summary = summarize(trace);
  EXPECT_EQ(gather_evidence(trace, summary).launches.apart_ns, 40_us);
}

TEST(FindingEvidenceTest, the_stream_with_most_launches_tells_the_delay) {
  Summary summary = five_steps();
  add_delay(summary, 4_us, 6_us);
  StreamRow few = summary.waits.streams[0];
  few.stream = "9";
  few.with_launch = 3;
  few.p90_delay_ns = 900_us;
  summary.waits.streams.push_back(few);
  const Trace trace = trace_of_launches();
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.launches.late_ns, 6_us);
  EXPECT_EQ(evidence.launches.stream, "7");
}

TEST(FindingEvidenceTest, steps_that_were_found_are_called_cycles) {
  Summary summary = five_steps();
  const Trace trace = trace_of_launches();
  EXPECT_EQ(gather_evidence(trace, summary).whole_text(), "the 5 steps");
  summary.cycles = FoundCycles{"a host range that recurs", "batch"};
  EXPECT_EQ(gather_evidence(trace, summary).whole_text(), "the 5 cycles");
  EXPECT_EQ(gather_evidence(trace, summary).steps_text(), "the cycles");
  summary.steps.resize(1);
  EXPECT_EQ(gather_evidence(trace, summary).whole_text(), "the cycle");
  EXPECT_EQ(gather_evidence(trace, summary).steps_text(), "the cycle");
  summary.has_steps = false;
  EXPECT_EQ(gather_evidence(trace, summary).whole_text(), "the trace");
}

TEST(FindingEvidenceTest, without_steps_all_idle_time_counts) {
  Summary summary = five_steps();
  IdleRow row = idle_row(IdleKind::kOperator, "aten::add", 2, 10_ms);
  row.in_steps_ns = 5_ms;
  add_idle(summary, row);
  EXPECT_EQ(list_idle_causes(summary)[0].inside_ns, 5_ms);
  EXPECT_EQ(list_idle_causes(summary)[0].outside_ns(), 15_ms);
  summary.has_steps = false;
  EXPECT_EQ(list_idle_causes(summary)[0].inside_ns, 20_ms);
  const Trace trace = trace_of_launches();
  EXPECT_EQ(gather_evidence(trace, summary).idle_ns, 20_ms);
}

TEST(FindingEvidenceTest, idle_rows_of_one_kind_and_name_are_one_cause) {
  Summary summary = five_steps();
  IdleRow small = idle_row(IdleKind::kRuntimeCall, "xMalloc", 1, 10_ms);
  small.inside = "aten::empty";
  IdleRow large = idle_row(IdleKind::kRuntimeCall, "xMalloc", 1, 30_ms);
  large.inside = "aten::cat";
  add_idle(summary, small);
  add_idle(summary, idle_row(IdleKind::kOperator, "xMalloc", 1, 20_ms));
  add_idle(summary, large);
  const auto causes = list_idle_causes(summary);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].kind, IdleKind::kRuntimeCall);
  EXPECT_EQ(causes[0].purpose, device::RuntimeCall::kAllocate);
  EXPECT_EQ(causes[0].main_place.inside, "aten::cat");
  EXPECT_EQ(causes[0].at_main_ns, 30_ms);
  EXPECT_EQ(causes[0].inside_ns, 40_ms);
  EXPECT_EQ(causes[0].gaps.max_ns, 30_ms);
  EXPECT_EQ(causes[0].longest.length_ns(), 30_ms);
  EXPECT_EQ(causes[1].kind, IdleKind::kOperator);
}

// 60 ms in many calls, and one of 50 ms somewhere else.
TEST(FindingEvidenceTest, the_longest_stretch_has_a_place_of_its_own) {
  Summary summary = five_steps();
  IdleRow many = idle_row(IdleKind::kRuntimeCall, "xMalloc", 60, 1_ms);
  many.inside = "aten::cat";
  IdleRow one = idle_row(IdleKind::kRuntimeCall, "xMalloc", 1, 50_ms);
  one.inside = "aten::empty";
  add_idle(summary, many);
  add_idle(summary, one);
  const auto causes = list_idle_causes(summary);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].main_place.inside, "aten::cat");
  EXPECT_EQ(causes[0].at_main_ns, 60_ms);
  EXPECT_EQ(causes[0].longest_place.inside, "aten::empty");
  EXPECT_EQ(causes[0].longest_inside_ns, 50_ms);
}

// "save" is short in the steps and long after them; its longest stretch begins in the last step.
TEST(FindingEvidenceTest, causes_inside_and_outside_steps_are_told_apart) {
  Summary summary = five_steps();
  summary.extent = {0, 3000_ms};
  IdleRow row = idle_row(IdleKind::kRange, "save", {30_ms, 500_ms});
  row.in_steps_ns = 40_ms;
  row.longest = {990_ms, 1490_ms};
  add_idle(summary, row);
  add_idle(summary, idle_row(IdleKind::kOperator, "aten::add", 2, 100_ms));
  const auto inside = list_idle_causes(summary);
  EXPECT_EQ(inside[0].name, "aten::add");
  EXPECT_EQ(inside[1].inside_ns, 40_ms);
  EXPECT_EQ(inside[1].longest_inside_ns, 10_ms);
  const auto outside = list_idle_causes(summary, IdlePart::kOutsideSteps);
  EXPECT_EQ(outside[0].name, "save");
  EXPECT_EQ(outside[0].inside_ns, 490_ms);
  EXPECT_EQ(outside[1].inside_ns, 0);
}

// The file ends early: the last 80 ms of the host have no device work any more.
TEST(FindingEvidenceTest, the_end_of_a_file_that_is_cut_off_is_no_idle_time) {
  Sketch sketch;
  sketch.thread(1).slice("aten::a", kOp, 0_ms, 10_ms).slice("aten::b", kOp, 20_ms, 80_ms);
  sketch.stream(0, 7).slice("k", kKernel, 5_ms, 5_ms).slice("k", kKernel, 18_ms, 2_ms);
  const Trace trace = sketch.trace();
  const Summary summary = summarize(trace);
  EXPECT_EQ(gather_evidence(trace, summary).idle_ns, 93_ms);
  const Evidence cut = gather_evidence(trace, summary, {.is_cut_off = true});
  EXPECT_EQ(cut.labelled_ns, 20_ms);
  EXPECT_EQ(cut.idle_ns, 13_ms);
  std::int64_t causes_ns = 0;
  for (const IdleCause& cause : cut.idle_causes) {
    causes_ns += cause.inside_ns;
    if (cause.name == "aten::b") {
      EXPECT_EQ(cause.inside_ns, 0);
    }
  }
  EXPECT_EQ(causes_ns, 13_ms);
}

TEST(FindingEvidenceTest, work_that_ends_after_the_step_that_launched_it_outlasts_the_steps) {
  Sketch sketch;
  sketch.thread(1).slice("Step#0", SliceKind::kStep, 0_us, 100_us);
  sketch.slice("xLaunchKernel", kCall, 10_us, 5_us).correlation(1);
  sketch.slice("xLaunchKernel", kCall, 300_us, 5_us).correlation(2);
  sketch.stream(0, 7).slice("k", kKernel, 50_us, 200_us).correlation(1);
  sketch.slice("k", kKernel, 310_us, 100_us).correlation(2);
  const Trace trace = sketch.trace();
  const Summary summary = summarize(trace);
  EXPECT_EQ(gather_evidence(trace, summary).outlasting_ns, 150_us);
}

}  // namespace

}  // namespace strobe::analysis
