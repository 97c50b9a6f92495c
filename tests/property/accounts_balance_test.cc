#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/tables/summary.h"
#include "tests/support/sketch.h"

// Properties of every trace, tested with random ones. A failure names its seed.
namespace strobe::analysis {
namespace {

constexpr int kSeeds = 150;

class RandomTrace {
 public:
  RandomTrace(unsigned seed, std::int64_t shift_ns) : random_(seed), shift_ns_(shift_ns) {
    TraceTraits traits;
    traits.nested_operators_are_phases = chance(50);
    traits.steps_cover_all_threads = chance(50);
    sketch_.traits(traits);
    const int threads = number(1, 3);
    may_cross_ = chance(60);
    if (chance(80)) {
      std::int64_t start_ns = may_cross_ ? 0 : 10'000;
      for (int i = number(1, 5); i > 0; --i) {
        const std::int64_t length_ns = number(100, 2'000);
        add(1, "Step#" + std::to_string(i), SliceKind::kStep, start_ns, length_ns);
        start_ns += length_ns + number(0, 50);
      }
    }
    for (int thread = 1; thread <= threads; ++thread) {
      for (int i = number(0, 25); i > 0; --i) {
        add_range(thread, may_cross_ ? number(0, 5'000) : 200 * i, may_cross_ ? 800 : 200, 0);
      }
    }
    for (int i = number(0, 60); i > 0; --i) add_work();
  }

  Trace trace() { return sketch_.trace(); }

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return number(1, 100) <= percent; }

  void add(int thread, const std::string& name, SliceKind kind, std::int64_t start_ns,
           std::int64_t duration_ns) {
    sketch_.thread(thread).slice(name, kind, shift_ns_ + start_ns, duration_ns);
  }

  // A range with ranges and calls inside; some cross its end.
  void add_range(int thread, std::int64_t start_ns, int longest_ns, int depth) {
    constexpr SliceKind kKinds[] = {SliceKind::kOperator,   SliceKind::kOperator,
                                    SliceKind::kOperator,   SliceKind::kOperatorPhase,
                                    SliceKind::kAnnotation, SliceKind::kForward,
                                    SliceKind::kDataLoader, SliceKind::kCommunication,
                                    SliceKind::kUserRange,  SliceKind::kPythonCall};
    const std::int64_t length_ns = number(0, longest_ns);
    const SliceKind kind = kKinds[number(0, 9)];
    add(thread, "range " + std::to_string(number(0, 8)), kind, start_ns, length_ns);
    if (chance(10)) sketch_.flags(kCommunicates);
    if (chance(10)) sketch_.flags(kBackwardWork);
    for (int i = number(0, 3); i > 0 && depth < 4; --i) {
      // A third of the range each, in its own third, unless they may cross.
      const int third_ns = static_cast<int>(length_ns / 3);
      if (may_cross_) {
        add_range(thread, start_ns + number(0, static_cast<int>(length_ns)),
                  static_cast<int>(length_ns), depth + 1);
      } else {
        add_range(thread, start_ns + (i - 1) * third_ns, third_ns, depth + 1);
      }
    }
    for (int i = number(0, 3); i > 0; --i) {
      add(thread, "call", SliceKind::kRuntimeCall, start_ns + number(0, 100), number(0, 20));
      sketch_.correlation(++correlations_);
    }
  }

  void add_work() {
    constexpr SliceKind kKinds[] = {SliceKind::kKernel, SliceKind::kKernel, SliceKind::kMemcpy,
                                    SliceKind::kMemset};
    sketch_.stream(number(0, 1), number(7, 9));
    sketch_.slice("work " + std::to_string(number(0, 5)), kKinds[number(0, 3)],
                  shift_ns_ + number(0, 9'000), number(0, 500));
    if (chance(90) && correlations_ > 0) {
      sketch_.correlation(static_cast<std::uint32_t>(number(1, static_cast<int>(correlations_))));
    }
    if (chance(20)) sketch_.flags(kCommunicates);
  }

  std::mt19937 random_;
  std::int64_t shift_ns_;
  std::uint32_t correlations_ = 0;
  bool may_cross_ = false;
  Sketch sketch_;
};

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

std::int64_t busy_of_threads_ns(const Summary& summary) {
  std::int64_t busy_ns = 0;
  for (const HostThreadRow& thread : summary.threads) busy_ns += thread.busy_ns;
  return busy_ns;
}

template <class Row>
void expect_parts_of(std::int64_t whole_ns, const std::vector<ThreadGroup<Row>>& groups,
                     std::int64_t& self_ns) {
  for (const auto& group : groups) {
    for (const Row& row : group.rows) {
      ASSERT_GE(row.self_host_ns, 0) << row.name;
      ASSERT_LE(row.self_host_ns, row.host.total_ns) << row.name;
      ASSERT_LE(row.host.total_ns, whole_ns) << row.name;
      self_ns += row.self_host_ns;
    }
  }
}

TEST(AccountsBalanceTest, no_host_time_is_negative_counted_twice_or_above_its_whole) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Summary summary = summary_of(seed);
    const std::int64_t busy_ns = busy_of_threads_ns(summary);
    std::int64_t self_ns = 0;
    expect_parts_of(busy_ns, summary.operators, self_ns);
    expect_parts_of(busy_ns, summary.user_ranges, self_ns);
    ASSERT_LE(self_ns, busy_ns);
    for (const PhaseTotals& phase : summary.phases) {
      ASSERT_LE(phase.host.total_ns, summary.total_ns) << word_of(phase.kind);
    }
    ASSERT_GE(summary.outside_phases_ns, 0);
    ASSERT_LE(summary.outside_phases_ns, summary.total_ns);
  }
}

TEST(AccountsBalanceTest, idle_and_busy_time_are_the_span_and_causes_are_the_idle_time) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Trace trace = RandomTrace(seed, 0).trace();
    const Summary summary = summarize(trace);
    std::vector<Interval> works;
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      if (is_device_work(trace.kind(SliceId(row)))) works.push_back(trace.interval(SliceId(row)));
    }
    // Without device work nothing can be idle.
    const std::int64_t known_ns = works.empty() ? 0 : summary.span_ns;
    ASSERT_EQ(summary.waits.idle_ns + total_ns(union_of(works)), known_ns);
    std::int64_t idle_ns = 0;
    std::int64_t in_steps_ns = 0;
    for (const IdleRow& row : summary.waits.idle) {
      ASSERT_GT(row.idle.total_ns, 0);
      ASSERT_GE(row.in_steps_ns, 0);
      ASSERT_LE(row.in_steps_ns, row.idle.total_ns);
      idle_ns += row.idle.total_ns;
      in_steps_ns += row.in_steps_ns;
    }
    ASSERT_EQ(idle_ns, summary.waits.idle_ns);
    ASSERT_EQ(in_steps_ns, summary.waits.idle_in_steps_ns);
    for (const RuntimeCallRow& row : summary.waits.calls) {
      ASSERT_LE(row.device_idle_ns, row.host.total_ns) << row.name;
      ASSERT_LE(row.in_steps_ns, row.host.total_ns) << row.name;
    }
    for (const StreamRow& row : summary.waits.streams) ASSERT_LE(row.busy_ns, summary.span_ns);
    const CommunicationTotals& communication = summary.communication;
    ASSERT_LE(communication.overlap_ns, communication.communication_ns);
    ASSERT_LE(communication.overlap_ns, communication.computation_ns);
    ASSERT_LE(communication.communication_ns, summary.span_ns);
  }
}

TEST(AccountsBalanceTest, every_slice_has_one_kind) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = RandomTrace(seed, 0).trace();
    const Summary summary = summarize(trace);
    std::uint64_t slices = 0;
    for (const auto* types : {&summary.host_types, &summary.device_types}) {
      for (const TypeRow& row : *types) slices += row.calls;
    }
    ASSERT_EQ(slices, trace.slice_count()) << "seed " << seed;
    ASSERT_EQ(summary.slices, slices) << "seed " << seed;
  }
}

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
    ASSERT_EQ(text_of(summary_of(seed)), text_of(summary_of(seed, 1'725'276'914'751'542'123)))
        << "seed " << seed;
    ASSERT_EQ(text_of(summary_of(seed)), text_of(summary_of(seed, -20'000))) << "seed " << seed;
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
