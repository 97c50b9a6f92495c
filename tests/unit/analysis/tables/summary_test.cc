#include "strobe/analysis/tables/summary.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "strobe/readers/trace_reader.h"
#include "tests/support/needs_shared.h"
#include "tests/support/sketch.h"
#include "tests/unit/analysis/tables/table_rows.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// One step, one operator with one phase and two kernels.
Trace smallest_useful_trace() {
  return Sketch()
      .thread(9)
      .slice("ProfileStep#20", SliceKind::kStep, 0_us, 95_us)
      .slice("flash_attn pybind_imperative_func", SliceKind::kUserRange, 7_us, 66_us)
      .slice("flash_attn dygraph", SliceKind::kOperator, 10_us, 62_us)
      .slice("launch", SliceKind::kRuntimeCall, 20_us, 7_us)
      .correlation(1)
      .slice("flash_attn compute", SliceKind::kOperatorPhase, 50_us, 18_us)
      .slice("launch", SliceKind::kRuntimeCall, 58_us, 6_us)
      .correlation(2)
      .stream(0, 13)
      .slice("void copyk<4>(int)", SliceKind::kKernel, 30_us, 55_us)
      .correlation(1)
      .slice("void flashk<32>(P)", SliceKind::kKernel, 87_us, 611_us)
      .correlation(2)
      .trace();
}

TEST(SummaryTest, samples_are_of_the_whole_trace_and_unknown_to_the_classic_tables) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("op", SliceKind::kOperator, 0_us, 10_us)
                          .counter("host_load", "host_load", 500_us, 3)
                          .trace();
  const Summary summary = summarize(trace);
  ASSERT_EQ(summary.samples.rows.size(), 1u);
  EXPECT_EQ(summary.samples.rows[0].metric, "host_load");
  SummaryOptions classic;
  classic.rules = TreeRules::kCompatible;
  EXPECT_TRUE(summarize(trace, classic).samples.rows.empty());
}

TEST(SummaryTest, the_smallest_useful_trace_gives_the_worked_example) {
  const Summary summary = summarize(smallest_useful_trace());
  EXPECT_EQ(summary.total_ns, 95_us);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kUserRange).busy_ns, 66_us);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kOperator).busy_ns, 62_us);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kOperatorPhase).busy_ns, 18_us);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kRuntimeCall).calls, 2u);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kRuntimeCall).busy_ns, 13_us);
  EXPECT_EQ(row_of_kind(summary.device_types, SliceKind::kKernel).busy_ns, 666_us);
  EXPECT_EQ(summary.devices[0].kernel_busy_ns, 666_us);
  ASSERT_EQ(summary.operators[0].rows.size(), 1u);
  const OperatorRow& op = summary.operators[0].rows[0];
  EXPECT_EQ(op.device.total_ns, 666_us);
  EXPECT_EQ(op.phases[0].host.total_ns, 18_us);
  EXPECT_EQ(op.phases[0].device.total_ns, 611_us);
  EXPECT_EQ(op.phases[0].work[0].name, "void flashk<32>(P)");
  EXPECT_EQ(op.work[0].name, "void copyk<4>(int)");
  EXPECT_EQ(op.work[0].device.total_ns, 55_us);
  EXPECT_EQ(op.self_host_ns, 37_us);  // 62 - 18 (phase) - 7 (its own call)
  EXPECT_EQ(summary.kernels.size(), 2u);
  EXPECT_FALSE(summary.has_model);
  EXPECT_FALSE(summary.has_communication);
}

TEST(SummaryTest, without_steps_the_total_is_the_span_of_the_host) {
  const Trace trace = Sketch()
                          .slice("op", SliceKind::kOperator, 10_us, 20_us)
                          .slice("call", SliceKind::kRuntimeCall, 40_us, 5_us)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 60_us, 40_us)
                          .trace();
  const Summary summary = summarize(trace);
  EXPECT_FALSE(summary.has_steps);
  EXPECT_EQ(summary.total_ns, 35_us);
  ASSERT_EQ(summary.steps.size(), 1u);
  EXPECT_EQ(summary.steps[0].interval, (Interval{10_us, 100_us}));
}

Trace three_steps() {
  Sketch sketch;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::int64_t start_ns = 100_us * i;
    sketch.thread(1)
        .slice("Step#" + std::to_string(i), SliceKind::kStep, start_ns, 100_us)
        .slice("op", SliceKind::kOperator, start_ns + 10_us, 20_us)
        .slice("call", SliceKind::kRuntimeCall, start_ns + 11_us, 2_us)
        .correlation(i);
    // Every kernel runs in the step after the one that launched it.
    sketch.stream(0, 7)
        .slice("k", SliceKind::kKernel, start_ns + 120_us, 10_us * (i + 1))
        .correlation(i);
  }
  return sketch.trace();
}

TEST(SummaryTest, selected_steps_count_what_they_launched) {
  SummaryOptions options;
  options.steps = StepSelection{1, 1};
  const Summary summary = summarize(three_steps(), options);
  EXPECT_EQ(summary.total_ns, 100_us);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kOperator).calls, 1u);
  ASSERT_EQ(summary.kernels.size(), 1u);
  EXPECT_EQ(summary.kernels[0].device.total_ns, 20_us);
  EXPECT_EQ(summary.orphan_device_slices, 0u);
  EXPECT_EQ(summary.slices, 4u);  // the step, its operator, the call and the kernel
}

TEST(SummaryTest, a_device_is_busy_inside_the_selected_steps_whoever_launched_the_work) {
  const Trace trace = three_steps();
  SummaryOptions options;
  options.steps = StepSelection{1, 1};
  const Summary one = summarize(trace, options);
  EXPECT_EQ(one.extent, (Interval{100_us, 200_us}));
  EXPECT_EQ(one.span_ns, 100_us);
  ASSERT_EQ(one.devices.size(), 1u);
  EXPECT_EQ(one.devices[0].busy_ns, 10_us);  // the kernel of step 0 runs here
  EXPECT_EQ(one.devices[0].kernels, 1u);
  EXPECT_DOUBLE_EQ(device_use(one).share(), 0.1);

  const Summary all = summarize(trace);
  EXPECT_EQ(all.span_ns, 350_us);
  EXPECT_EQ(all.devices[0].busy_ns, 60_us);
  EXPECT_EQ(all.slices, trace.slice_count());
}

TEST(SummaryTest, the_breakdown_of_a_step_does_not_depend_on_what_is_selected) {
  const Trace trace = three_steps();
  SummaryOptions options;
  options.steps = StepSelection{1, 1};
  const Summary all = summarize(trace);
  const Summary one = summarize(trace, options);
  ASSERT_EQ(one.steps.size(), 1u);
  for (int i = 0; i < kStepLabels; ++i) {
    EXPECT_EQ(one.steps[0].label_ns[i], all.steps[1].label_ns[i]) << i;
  }
  EXPECT_EQ(one.steps[0].kernel_ns, all.steps[1].kernel_ns);
}

TEST(SummaryTest, steps_cover_all_threads_and_an_option_makes_classic_ones_do_so) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .thread(2)
                          .slice("op", SliceKind::kOperator, 10_us, 20_us)
                          .slice("call", SliceKind::kRuntimeCall, 11_us, 2_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", SliceKind::kKernel, 50_us, 9_us)
                          .correlation(1)
                          .trace();
  EXPECT_EQ(summarize(trace).phases[0].kernels.total_ns, 9_us);
  SummaryOptions options;
  options.rules = TreeRules::kCompatible;
  EXPECT_EQ(summarize(trace, options).phases[0].kernels.total_ns, 0);
  options.steps_cover_all_threads = true;
  EXPECT_EQ(summarize(trace, options).phases[0].kernels.total_ns, 9_us);
}

// Six turns of 100 us. The operator of a turn launches its ten kernels in one call; they run 5 us
// after its start for 75 us.
Trace unmarked_loop() {
  Sketch sketch;
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    const std::int64_t start_ns = 100_us * turn;
    sketch.thread(1)
        .slice("generate", SliceKind::kOperator, start_ns, 10_us)
        .slice("cudaGraphLaunch", SliceKind::kRuntimeCall, start_ns + 1_us, 2_us)
        .correlation(turn + 1);
    std::int64_t at_ns = start_ns + 5_us;
    sketch.stream(0, 7);
    const auto run = [&](std::string_view name, std::int64_t duration_ns) {
      sketch.slice(name, SliceKind::kKernel, at_ns, duration_ns).correlation(turn + 1);
      at_ns += duration_ns;
    };
    run("embed", 5_us);
    for (int layer = 0; layer < 4; ++layer) {
      run("gemm", 10_us);
      run("norm", 6_us);
    }
    run("sample", 6_us);
  }
  return sketch.trace();
}

TEST(SummaryTest, cycles_that_were_found_are_its_steps) {
  const Summary summary = summarize(unmarked_loop());
  ASSERT_TRUE(summary.cycles);
  EXPECT_EQ(summary.cycles->marker, "embed");
  EXPECT_TRUE(summary.has_steps);
  EXPECT_EQ(summary.total_ns, 500_us);
  EXPECT_EQ(summary.span_ns, 580_us);  // the last turn's kernels end at 580 us
  ASSERT_EQ(summary.steps.size(), 5u);
  const StepRow& second = summary.steps[1];
  EXPECT_EQ(second.name, "cycle 2");
  EXPECT_EQ(second.interval, (Interval{105_us, 205_us}));
  const auto label_ns = [&](StepLabel label) { return second.label_ns[static_cast<int>(label)]; };
  EXPECT_EQ(label_ns(StepLabel::kKernel), 75_us);
  EXPECT_EQ(label_ns(StepLabel::kRuntime), 2_us);  // [201,203)
  EXPECT_EQ(label_ns(StepLabel::kHost), 3_us);     // the rest of [200,205)
  EXPECT_EQ(label_ns(StepLabel::kIdle), 20_us);
  EXPECT_EQ(second.kernel_ns, 75_us) << "the launch at 201 us";
  EXPECT_EQ(summary.phases[0].host.calls, 5u);
  EXPECT_EQ(summary.phases[0].kernels.total_ns, 375_us);
}

TEST(SummaryTest, cycles_can_be_selected_like_steps) {
  const Trace trace = unmarked_loop();
  SummaryOptions options;
  options.steps = find_steps(trace, {2, 3}).value();
  const Summary summary = summarize(trace, options);
  ASSERT_EQ(summary.steps.size(), 2u);
  EXPECT_EQ(summary.steps[1].name, "cycle 3");
  EXPECT_EQ(summary.span_ns, 200_us);
  EXPECT_EQ(summary.devices[0].busy_ns, 150_us);
}

TEST(SummaryTest, the_classic_tables_know_marked_steps_only) {
  SummaryOptions options;
  options.rules = TreeRules::kCompatible;
  const Summary summary = summarize(unmarked_loop(), options);
  EXPECT_FALSE(summary.cycles);
  EXPECT_FALSE(summary.has_steps);
  EXPECT_TRUE(summary.waits.idle.empty());
}

// A collective of the host around a kernel that computes, and a collective kernel on its own.
Trace host_and_device_collectives() {
  return Sketch()
      .slice("c10d::allreduce_", SliceKind::kOperator, 0_us, 50_us)
      .flags(kCommunicates)
      .slice("call", SliceKind::kRuntimeCall, 1_us, 1_us)
      .correlation(1)
      .stream(0, 7)
      .slice("cast", SliceKind::kKernel, 10_us, 20_us)
      .correlation(1)
      .stream(0, 8)
      .slice("ncclKernel_AllReduce", SliceKind::kKernel, 25_us, 30_us)
      .flags(kCommunicates)
      .trace();
}

TEST(SummaryTest, each_rule_has_its_own_communication) {
  const Trace trace = host_and_device_collectives();
  const Summary own = summarize(trace);
  EXPECT_TRUE(own.has_communication);
  EXPECT_EQ(own.communication.communication_ns, 30_us);
  EXPECT_EQ(own.communication.overlap_ns, 5_us);
  EXPECT_EQ(own.communication.host_ns, 50_us);
  SummaryOptions options;
  options.rules = TreeRules::kCompatible;
  const Summary classic = summarize(trace, options);
  EXPECT_EQ(classic.communication.communication_ns, 50_us);  // the host's range and the cast
  EXPECT_EQ(classic.communication.computation_ns, 0);
}

TEST(SummaryTest, what_no_phase_covers_is_outside_of_them) {
  const Trace trace = Sketch()
                          .slice("Step#0", SliceKind::kStep, 0_us, 100_us)
                          .slice("Net", SliceKind::kForward, 10_us, 40_us)
                          .trace();
  EXPECT_EQ(summarize(trace).outside_phases_ns, 60_us);
}

TEST(SummaryTest, an_empty_trace_has_an_empty_summary) {
  const Summary summary = summarize(Sketch().trace());
  EXPECT_EQ(summary.total_ns, 0);
  EXPECT_TRUE(summary.steps.empty());
  EXPECT_TRUE(summary.operators.empty());
}

// Whole traces, compared with their known figures.
class RealTraceTest : public ::testing::Test {
 protected:
  void SetUp() override { STROBE_NEEDS_SHARED(); }

  // The figures of these are known from the framework's own tables.
  Summary classic_summary_of(const std::string& name, SummaryOptions options = {}) {
    options.rules = TreeRules::kCompatible;
    return summary_of(name, options);
  }

  Summary summary_of(const std::string& name, const SummaryOptions& options = {}) {
    const auto path = std::filesystem::path(STROBE_SOURCE_DIR) / ".." / "shared" / "traces" / name;
    return summarize(readers::read_trace(path).value().trace, options);
  }
};

TEST_F(RealTraceTest, the_synthetic_attention_trace_has_its_design_totals) {
  const Summary summary = classic_summary_of("paddle_flash_attn.json.gz");
  EXPECT_EQ(summary.total_ns, 9'586'500);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kUserRange).busy_ns, 7'532'100);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kRuntimeCall).calls, 1'900u);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kRuntimeCall).busy_ns, 2'978'500);
  EXPECT_EQ(summary.devices[0].kernel_busy_ns, 77'802'100);
  const auto& rows = summary.operators[0].rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "transpose dygraph");
  EXPECT_EQ(rows[0].host.total_ns, 612'200);
  EXPECT_EQ(rows[0].host.max_ns, 9'500);
  EXPECT_EQ(rows[0].host.min_ns, 5'842);
  EXPECT_EQ(rows[1].host.total_ns, 6'205'800);
  EXPECT_EQ(rows[1].device.total_ns, 77'802'100);
  EXPECT_EQ(rows[1].device.max_ns, 783'600);
  EXPECT_EQ(rows[1].device.min_ns, 770'000);
  EXPECT_EQ(rows[1].phases[0].host.total_ns, 94'300);
  EXPECT_EQ(rows[1].phases[1].host.total_ns, 1'823'200);
  EXPECT_EQ(rows[1].work[0].device.total_ns, 16'675'600);
}

TEST_F(RealTraceTest, a_real_attention_run_has_the_figures_it_was_printed_with) {
  const Summary summary = classic_summary_of("paddle_real_attn_flash.json.gz");
  EXPECT_EQ(summary.total_ns, 9'586'556);
  EXPECT_EQ(summary.devices[0].kernel_busy_ns, 77'802'110);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kRuntimeCall).calls, 1'900u);
}

TEST_F(RealTraceTest, a_static_graph_run_keeps_its_threads_apart_and_its_steps_without_kernels) {
  SummaryOptions options;
  options.separate_threads = true;
  const Summary summary = classic_summary_of("paddle_real_attn_cinn.json.gz", options);
  ASSERT_EQ(summary.operators.size(), 2u);
  EXPECT_EQ(summary.operators[0].thread, "194340");
  EXPECT_EQ(summary.operators[0].rows[0].name, "pd_op.full");
  EXPECT_EQ(summary.operators[1].thread, "194344");
  EXPECT_EQ(summary.phases[0].kernels.total_ns, 0);
  ASSERT_EQ(summary.phases.size(), 2u);
  EXPECT_EQ(summary.phases[1].host.calls, 100u);
  EXPECT_EQ(row_of_kind(summary.host_types, SliceKind::kOperator).calls, 500u);
}

TEST_F(RealTraceTest, a_training_run_spends_its_kernel_time_step_by_step) {
  const Summary summary = summary_of("h200_gpt_train_stack.json.gz");
  ASSERT_EQ(summary.steps.size(), 3u);
  const auto rounded_us = [](std::int64_t ns) { return (ns + 500) / 1'000; };
  EXPECT_EQ(rounded_us(summary.steps[0].kernel_ns), 19'954);
  EXPECT_EQ(rounded_us(summary.steps[1].kernel_ns), 19'912);
  EXPECT_EQ(rounded_us(summary.steps[2].kernel_ns), 19'917);
  EXPECT_EQ(summary.steps[0].kernel_ns + summary.steps[1].kernel_ns + summary.steps[2].kernel_ns,
            row_of_kind(summary.device_types, SliceKind::kKernel).busy_ns);
}

}  // namespace

}  // namespace strobe::analysis
