#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/tables/summary.h"
#include "tests/property/balance.h"
#include "tests/property/random_trace.h"

// Properties of every trace, tested with random ones. A failure names its seed.
namespace strobe::analysis {
namespace {

constexpr unsigned kSeeds = 150;

Summary summary_of(unsigned seed, std::int64_t shift_ns = 0) {
  const Trace trace = RandomTrace(seed, shift_ns).trace();
  return summarize(trace);
}

std::string text_of(const TimeStat& stat) {
  return std::to_string(stat.calls) + "/" + std::to_string(stat.total_ns) + "/" +
         std::to_string(stat.max_ns) + "/" + std::to_string(stat.min_ns) + " ";
}

// Everything in a summary except times of day, as text.
std::string text_of(const Summary& summary) {
  std::string text = std::to_string(summary.total_ns) + "\n";
  for (const StepRow& row : summary.steps) {
    text += row.name + " " + std::to_string(row.interval.length_ns());
    for (const std::int64_t label_ns : row.label_ns) text += " " + std::to_string(label_ns);
    text += " " + std::to_string(row.kernel_ns) + " " + std::to_string(row.device_ns) + "\n";
  }
  for (const DeviceRow& row : summary.devices) {
    text += std::to_string(row.device) + " " + std::to_string(row.kernel_busy_ns) + " " +
            std::to_string(row.busy_ns) + "\n";
  }
  for (const auto* types : {&summary.host_types, &summary.device_types}) {
    for (const TypeRow& row : *types) {
      text += std::string(word_of(row.kind)) + " " + std::to_string(row.calls) + " " +
              std::to_string(row.busy_ns) + "\n";
    }
  }
  for (const PhaseTotals& row : summary.phases) {
    text += text_of(row.host) + text_of(row.kernels) + text_of(row.device) + "\n";
  }
  const CommunicationTotals& c = summary.communication;
  for (const std::int64_t ns : {c.communication_ns, c.computation_ns, c.overlap_ns}) {
    text += std::to_string(ns) + " ";
  }
  for (const auto& group : summary.operators) {
    for (const OperatorRow& row : group.rows) {
      text += row.name + " " + text_of(row.host) + text_of(row.device) +
              std::to_string(row.self_host_ns) + " " + std::to_string(row.self_device_ns) + "\n";
      for (const OperatorPhaseRow& phase : row.phases) {
        text += "  " + phase.name + " " + text_of(phase.host) + text_of(phase.device) + "\n";
        for (const DeviceWorkRow& work : phase.work) text += work.name + text_of(work.device);
      }
      for (const DeviceWorkRow& work : row.work) text += "  " + work.name + text_of(work.device);
    }
  }
  for (const KernelRow& row : summary.kernels) {
    text += row.name + " " + text_of(row.device) + row.top_operator() + "\n";
  }
  for (const auto& group : summary.user_ranges) {
    for (const UserRangeRow& row : group.rows) text += row.name + text_of(row.host) + "\n";
  }
  return text;
}

TEST(AccountsBalanceTest, the_labels_of_a_step_sum_to_its_length) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    for (const StepRow& row : summary_of(seed).steps) {
      const std::int64_t sum_ns =
          std::accumulate(std::begin(row.label_ns), std::end(row.label_ns), std::int64_t{0});
      ASSERT_EQ(sum_ns, row.interval.length_ns()) << "seed " << seed << " " << row.name;
      for (const std::int64_t label_ns : row.label_ns) ASSERT_GE(label_ns, 0) << "seed " << seed;
    }
  }
}

TEST(AccountsBalanceTest, kernels_add_up_to_what_the_trace_holds) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = RandomTrace(seed, 0).trace();
    std::int64_t in_trace_ns = 0;
    std::uint64_t in_trace = 0;
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      if (trace.kind(SliceId(row)) != SliceKind::kKernel) continue;
      in_trace_ns += trace.duration_ns(SliceId(row));
      ++in_trace;
    }
    TimeStat in_table;
    for (const KernelRow& row : summarize(trace).kernels) in_table.add(row.device);
    ASSERT_EQ(in_table.total_ns, in_trace_ns) << "seed " << seed;
    ASSERT_EQ(in_table.calls, in_trace) << "seed " << seed;
  }
}

// Device time by the names of the operators around its launch in time, and under "" what was
// launched in any. An empty call at the very end of an operator may count for it.
std::map<std::string, std::int64_t> launched_in_operators(const Trace& trace, bool ends_count) {
  std::map<std::uint32_t, SliceId> calls;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.kind(SliceId(i)) == SliceKind::kRuntimeCall) {
      calls[trace.slices().correlations[i]] = SliceId(i);
    }
  }
  std::map<std::string, std::int64_t> launched_ns;
  for (std::uint32_t work = 0; work < trace.slice_count(); ++work) {
    const auto call = calls.find(trace.slices().correlations[work]);
    if (!is_device_work(trace.kind(SliceId(work))) || call == calls.end()) continue;
    const Interval launch = trace.interval(call->second);
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
      const Interval range = trace.interval(SliceId(i));
      if (trace.kind(SliceId(i)) == SliceKind::kOperator &&
          trace.slices().tracks[i] == trace.slices().tracks[call->second.index()] &&
          range.start_ns <= launch.start_ns && launch.end_ns <= range.end_ns &&
          (ends_count || launch.start_ns < range.end_ns)) {
        names.insert({"", std::string(trace.name(SliceId(i)))});
      }
    }
    for (const std::string& name : names) launched_ns[name] += trace.duration_ns(SliceId(work));
  }
  return launched_ns;
}

TEST(AccountsBalanceTest, device_time_of_operators_is_launched_inside_them_however_ranges_cross) {
  // Every nanosecond launched inside some operator has exactly one innermost operator.
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = RandomTrace(seed, 0).trace();
    std::map<std::string, std::int64_t> least_ns = launched_in_operators(trace, false);
    std::map<std::string, std::int64_t> most_ns = launched_in_operators(trace, true);
    std::int64_t self_ns = 0;
    for (const auto& group : summarize(trace).operators) {
      for (const OperatorRow& row : group.rows) {
        self_ns += row.self_device_ns;
        ASSERT_GE(row.device.total_ns, least_ns[row.name]) << row.name << ", seed " << seed;
        ASSERT_LE(row.device.total_ns, most_ns[row.name]) << row.name << ", seed " << seed;
      }
    }
    ASSERT_GE(self_ns, least_ns[""]) << "seed " << seed;
    ASSERT_LE(self_ns, most_ns[""]) << "seed " << seed;
  }
}

TEST(AccountsBalanceTest,
     classic_host_time_of_operators_is_their_own_their_childrens_and_their_calls) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = RandomTrace(seed, 0).trace();
    const OpTree tree = build_op_tree(trace, {}, TreeRules::kCompatible);
    const Attribution attribution = attribute(trace, tree);
    const auto is_operator = [&](NodeId node) {
      return node.valid() && tree.roles[node.index()] == SliceKind::kOperator;
    };
    std::int64_t operators_ns = 0;
    std::int64_t parts_ns = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (is_operator(NodeId(i))) operators_ns += trace.duration_ns(tree.slices[i]);
      if (is_operator(tree.parents[i])) parts_ns += trace.duration_ns(tree.slices[i]);
    }
    for (std::size_t i = 0; i < attribution.calls.size(); ++i) {
      if (!is_operator(attribution.calls.owners[i])) continue;
      parts_ns += trace.duration_ns(attribution.calls.slices[i]);
    }
    SummaryOptions classic;
    classic.rules = TreeRules::kCompatible;
    for (const auto& group : summarize(trace, classic).operators) {
      for (const OperatorRow& row : group.rows) parts_ns += row.self_host_ns;
    }
    ASSERT_EQ(parts_ns, operators_ns) << "seed " << seed;
  }
}

// Applies a property to every random trace, up to the first that does not have it.
void expect_of_all(void (*expect)(const Trace&, const Summary&)) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Trace trace = RandomTrace(seed, 0).trace();
    expect(trace, summarize(trace));
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

TEST(AccountsBalanceTest, no_host_time_is_negative_counted_twice_or_above_its_whole) {
  expect_of_all(expect_host_balance);
}

TEST(AccountsBalanceTest, idle_and_busy_time_are_the_span_and_causes_are_the_idle_time) {
  expect_of_all(expect_idle_balance);
}

TEST(AccountsBalanceTest, no_device_time_is_above_its_whole) {
  expect_of_all(expect_device_balance);
}

TEST(AccountsBalanceTest, every_slice_has_one_kind) { expect_of_all(expect_kinds_balance); }

TEST(AccountsBalanceTest, device_time_of_a_node_is_its_own_and_its_childrens) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = RandomTrace(seed, 0).trace();
    const AttributedTrace input = attribute_trace(trace);
    std::vector<std::int64_t> expected_ns(input.tree.size());
    for (std::size_t i = input.tree.size(); i-- > 0;) {
      for (const std::uint32_t work : input.works_of(NodeId(i))) {
        expected_ns[i] += trace.duration_ns(input.attribution.works.slices[work]);
      }
      ASSERT_EQ(input.device_ns(NodeId(i)), expected_ns[i]) << "seed " << seed << " node " << i;
      const NodeId parent = input.tree.parents[i];
      if (parent.valid()) expected_ns[parent.index()] += expected_ns[i];
    }
  }
}

TEST(AccountsBalanceTest, no_phase_or_work_of_an_operator_exceeds_it) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    for (const auto& group : summary_of(seed).operators) {
      for (const OperatorRow& row : group.rows) {
        // The phases together may: an operator nested in itself has its phases at both depths.
        for (const OperatorPhaseRow& phase : row.phases) {
          ASSERT_LE(phase.host.total_ns, row.host.total_ns) << "seed " << seed << " " << row.name;
          ASSERT_LE(phase.device.total_ns, row.device.total_ns) << "seed " << seed;
        }
        std::int64_t work_ns = 0;
        for (const DeviceWorkRow& work : row.work) work_ns += work.device.total_ns;
        ASSERT_LE(work_ns, row.device.total_ns) << "seed " << seed << " " << row.name;
      }
    }
  }
}

TEST(AccountsBalanceTest, shifting_all_times_changes_nothing) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const std::string expected = text_of(summary_of(seed));
    ASSERT_EQ(text_of(summary_of(seed, 1'725'276'914'751'542'123)), expected) << "seed " << seed;
    ASSERT_EQ(text_of(summary_of(seed, -20'000)), expected) << "seed " << seed;
  }
}

TEST(AccountsBalanceTest, the_order_of_ranks_changes_nothing) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const std::vector<Summary> ranks = {summary_of(seed), summary_of(seed + 1000),
                                        summary_of(seed + 2000)};
    const std::string expected = text_of(merge_ranks(ranks));
    ASSERT_EQ(text_of(merge_ranks({ranks[2], ranks[0], ranks[1]})), expected) << "seed " << seed;
    ASSERT_EQ(text_of(merge_ranks({ranks[1], ranks[2], ranks[0]})), expected) << "seed " << seed;
  }
}

TEST(AccountsBalanceTest, selecting_every_step_one_by_one_finds_all_kernels_once) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = RandomTrace(seed, 0).trace();
    const Summary all = summarize(trace);
    if (!all.has_steps) continue;
    SummaryOptions every;
    every.steps = StepSelection{0, all.steps.size() - 1};
    TimeStat together;
    for (const KernelRow& row : summarize(trace, every).kernels) together.add(row.device);
    TimeStat one_by_one;
    for (std::size_t i = 0; i < all.steps.size(); ++i) {
      SummaryOptions one;
      one.steps = StepSelection{i, i};
      for (const KernelRow& row : summarize(trace, one).kernels) one_by_one.add(row.device);
    }
    ASSERT_EQ(one_by_one.total_ns, together.total_ns) << "seed " << seed;
    ASSERT_EQ(one_by_one.calls, together.calls) << "seed " << seed;
  }
}

}  // namespace
}  // namespace strobe::analysis
