#include "strobe/analysis/findings/finding.h"

#include <gtest/gtest.h>

#include "strobe/analysis/findings/finding_rules.h"
#include "strobe/base/text.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(FindingTest, heavier_findings_come_first_then_those_that_explain_more) {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("next batch", SliceKind::kDataLoader, 0_us, 200_us);
  sketch.slice("work", SliceKind::kAnnotation, 200_us, 800_us);
  sketch.stream(0, 7).slice("orphan", SliceKind::kKernel, 900_us, 50_us);
  const Trace trace = sketch.trace();
  const auto findings = find_in(trace, summarize(trace));
  ASSERT_GE(findings.size(), 3u);
  EXPECT_EQ(findings[0].code, "device_idle_host_bound");
  EXPECT_EQ(findings[1].code, "device_waits_for_data");
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LE(findings[i].weight, findings[i - 1].weight);
  }
}

TEST(FindingTest, an_empty_trace_has_no_findings) {
  const Trace trace = Sketch().trace();
  EXPECT_TRUE(find_in(trace, summarize(trace)).empty());
}

TEST(FindingEvidenceTest, it_adds_up_steps_kernels_and_calls) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("xLaunchKernel", kCall, 1_us, 4_us)
                          .slice("xStreamSynchronize", kCall, 50_us, 10_us)
                          .slice("xDeviceSynchronize", kCall, 70_us, 20_us)
                          .slice("xGetDevice", kCall, 95_us, 1_us)
                          .flags(kUnfinished)
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
  EXPECT_EQ(evidence.waits.time.total_ns, 30_us);
  EXPECT_EQ(evidence.waits.longest, "xDeviceSynchronize");
  EXPECT_EQ(evidence.unfinished_slices, 1u);
  EXPECT_EQ(evidence.device_slices, 3u);
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
  EXPECT_EQ(evidence.waits.time.total_ns, 30_us);
  EXPECT_EQ(evidence.waits.longest, "cnrtSyncDevice");
}

TEST(FindingEvidenceTest, an_empty_trace_has_no_shares) {
  const Trace trace = Sketch().trace();
  const Summary summary = summarize(trace);
  const Evidence evidence = gather_evidence(trace, summary);
  EXPECT_EQ(evidence.use.share(), 0);
  EXPECT_EQ(evidence.share_of(StepLabel::kHost), 0);
}

// Steps of 100 ms with this much exposed communication.
Summary waiting_rank(std::int64_t exposed_ms) {
  Summary summary;
  summary.has_steps = true;
  summary.has_communication = true;
  for (int i = 0; i < 2; ++i) {
    StepRow step;
    step.interval = {0, 100'000'000};
    step.label_ns[static_cast<std::size_t>(StepLabel::kCommunication)] = exposed_ms * 1'000'000;
    summary.steps.push_back(step);
  }
  return summary;
}

TEST(StragglerTest, own_work_is_a_step_without_exposed_communication) {
  EXPECT_EQ(own_step_ns(waiting_rank(30)), 70'000'000);
  EXPECT_EQ(own_step_ns(Summary()), 0);
}

// 60, 90 and 64 ms: the median is 64, and 26 of 90 ms are what the others wait for.
TEST(StragglerTest, the_rank_with_clearly_most_own_work_keeps_the_others_waiting) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(10);
  const Summary c = waiting_rank(36);
  const auto found = find_straggler({{"rank 0", &a}, {"rank 1", &b}, {"rank 2", &c}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->code, "straggling_rank");
  EXPECT_EQ(found->weight, FindingWeight::kMatters);
  EXPECT_NEAR(found->share, 26.0 / 90, 1e-9);
  EXPECT_EQ(found->headline,
            "rank 1 keeps the others waiting: 90.0 ms of its own work per step, 1.41 times the "
            "median rank with 64.0 ms");
}

TEST(StragglerTest, even_ranks_and_a_rank_alone_have_none) {
  const Summary a = waiting_rank(40);
  const Summary b = waiting_rank(37);
  EXPECT_FALSE(find_straggler({{"rank 0", &a}, {"rank 1", &b}}).has_value());
  EXPECT_FALSE(find_straggler({{"rank 0", &a}}).has_value());
}

TEST(StragglerTest, without_communication_no_rank_is_said_to_wait) {
  Summary a = waiting_rank(50);
  Summary b = waiting_rank(0);
  a.has_communication = b.has_communication = false;
  EXPECT_TRUE(find_straggler({{"a", &a}, {"b", &b}})->headline.starts_with("b is the slowest: "));
}

TEST(FindingTextTest, times_have_three_digits_and_their_unit) {
  EXPECT_EQ(mean_duration_text(0), "0 ns");
  EXPECT_EQ(mean_duration_text(999), "999 ns");
  EXPECT_EQ(mean_duration_text(1'856), "1.86 us");
  EXPECT_EQ(mean_duration_text(999'700), "1.00 ms");
  EXPECT_EQ(mean_duration_text(94'240'000), "94.2 ms");
  EXPECT_EQ(mean_duration_text(942'000'000), "942 ms");
  EXPECT_EQ(mean_duration_text(3'393'563'374), "3.39 s");
}

TEST(FindingTextTest, shares_are_percent) { EXPECT_EQ(share_text(0.0963), "9.6 %"); }

TEST(FindingTextTest, long_names_are_cut_but_never_inside_a_letter) {
  EXPECT_EQ(short_name("gemm"), "gemm");
  EXPECT_EQ(short_name(std::string(48, 'x')), std::string(48, 'x'));
  EXPECT_EQ(short_name(std::string(60, 'x')), std::string(48, 'x') + "...");
  EXPECT_EQ(short_name(std::string(47, 'x') + "\xC3\xA9" + "tail"), std::string(47, 'x') + "...");
}

TEST(FindingTextTest, long_names_of_code_lose_templates_and_namespaces_first) {
  EXPECT_EQ(short_name(
                "void at::native::(anonymous namespace)::softmax_kernel<2, c10::Half, float>(int)"),
            "softmax_kernel<...>");
  EXPECT_EQ(short_name("a::b<4>"), "a::b<4>");
}

TEST(FindingTextTest, places_go_without_their_wrapping) {
  EXPECT_EQ(place_text("Place(gpu:0)"), "gpu:0");
  EXPECT_EQ(place_text("pinned"), "pinned");
}

}  // namespace

}  // namespace strobe::analysis
