#include "strobe/query/trace_source.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "strobe/base/json_value.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/query/run_job.h"

namespace strobe::query {

using analysis::NodeId;
using analysis::OpTree;

std::vector<SliceId> TraceSource::slices_of(const std::function<bool(SliceKind)>& is_wanted) const {
  std::array<bool, kSliceKinds> wanted{};
  for (int i = 0; i < kSliceKinds; ++i) {
    wanted[static_cast<std::size_t>(i)] = is_wanted(static_cast<SliceKind>(i));
  }
  const auto& kinds = trace().slices().kinds;
  std::vector<SliceId> slices;
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    if (wanted[static_cast<std::size_t>(kinds[row])]) slices.emplace_back(row);
  }
  return slices;
}

const std::vector<SliceId>& TraceSource::kernels() const {
  return kernels_.get(
      [&] { return slices_of([](SliceKind kind) { return kind == SliceKind::kKernel; }); });
}

const std::vector<SliceId>& TraceSource::copies() const {
  return copies_.get([&] {
    return slices_of(
        [](SliceKind kind) { return kind == SliceKind::kMemcpy || kind == SliceKind::kMemset; });
  });
}

const analysis::AttributedTrace& TraceSource::attributed() const {
  return attributed_.get([&] { return analysis::attribute_trace(trace()); });
}

const analysis::Summary& TraceSource::summary() const {
  return summary_.get([&] { return analysis::summarize(trace()); });
}

std::vector<NodeId> TraceSource::nodes_of(bool are_operators) const {
  const OpTree& tree = attributed().tree;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.is_thread(NodeId(i))) continue;
    if ((tree.roles[i] == SliceKind::kOperator) == are_operators) nodes.emplace_back(i);
  }
  return nodes;
}

const std::vector<NodeId>& TraceSource::operators() const {
  return operators_.get([&] { return nodes_of(true); });
}

const std::vector<NodeId>& TraceSource::ranges() const {
  return ranges_.get([&] { return nodes_of(false); });
}

const std::vector<std::uint32_t>& TraceSource::depths() const {
  return depths_.get([&] {
    const OpTree& tree = attributed().tree;
    std::vector<std::uint32_t> depths(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (tree.is_thread(NodeId(i))) continue;
      const NodeId parent = tree.parents[i];
      depths[i] = tree.is_thread(parent) ? 0 : depths[parent.index()] + 1;
    }
    return depths;
  });
}

const std::vector<std::int64_t>& TraceSource::self_device_ns() const {
  return self_device_ns_.get([&] {
    const OpTree& tree = attributed().tree;
    std::vector<std::int64_t> own_ns(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const std::int64_t device_ns = attributed().own_device_ns(NodeId(i));
      const NodeId owner = tree.operators[i].valid() ? tree.operators[i] : NodeId(i);
      own_ns[owner.index()] += device_ns;
    }
    return own_ns;
  });
}

const std::vector<bool>& TraceSource::outermost() const {
  return outermost_.get([&] {
    const OpTree& tree = attributed().tree;
    std::vector<bool> is_outermost(tree.size(), true);
    // Nodes are in preorder: a name is open until the end of its outermost node's subtree.
    std::unordered_map<std::uint64_t, std::uint32_t> open_until;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (tree.is_thread(NodeId(i))) continue;
      const bool is_operator = tree.roles[i] == SliceKind::kOperator;
      const std::uint64_t key =
          (std::uint64_t{attributed().name(NodeId(i)).value} << 1) | (is_operator ? 1u : 0u);
      std::uint32_t& until = open_until[key];
      if (i < until) {
        is_outermost[i] = false;
      } else {
        until = tree.subtree_ends[i].value;
      }
    }
    return is_outermost;
  });
}

const std::vector<std::uint32_t>& TraceSource::works_of_slices() const {
  return works_.get([&] {
    std::vector<std::uint32_t> works(trace().slice_count(), kNoWork);
    const auto& slices = attributed().attribution.works.slices;
    for (std::size_t work = 0; work < slices.size(); ++work) {
      works[slices[work].index()] = static_cast<std::uint32_t>(work);
    }
    return works;
  });
}

const std::vector<TraceSource::Module>& TraceSource::modules() const {
  return modules_.get([&] {
    const auto& tree = module_tree_.get([&] { return analysis::list_modules(attributed()); });
    std::vector<Module> all;
    struct Open {
      const std::vector<analysis::ModuleRow>* rows;
      std::size_t next;
      std::int64_t parent;
    };
    std::vector<Open> open = {{&tree, 0, -1}};
    while (!open.empty()) {
      Open& level = open.back();
      if (level.next == level.rows->size()) {
        open.pop_back();
        continue;
      }
      const analysis::ModuleRow& row = (*level.rows)[level.next++];
      all.push_back({&row, static_cast<std::int32_t>(open.size() - 1), level.parent});
      open.push_back({&row.children, 0, static_cast<std::int64_t>(all.size() - 1)});
    }
    return all;
  });
}

const std::vector<std::uint64_t>& TraceSource::argument_ends() const {
  return argument_ends_.get([&] {
    ArgsReader reader(trace().args());
    std::vector<std::uint64_t> ends;
    ends.reserve(trace().slice_count());
    std::uint64_t count = 0;
    for (const ArgsId args : trace().slices().args) {
      for_each_member(reader.text(args), [&](std::string_view, const JsonValue&) { ++count; });
      ends.push_back(count);
    }
    return ends;
  });
}

const RankInJob& TraceSource::in_job() const { return job_->rank(place_in_run_); }

const std::vector<SliceId>& TraceSource::slices_of_calls() const {
  return slices_of_calls_.get([&] { return fleet::slices_of_calls(trace()); });
}

std::int32_t TraceSource::step_at(std::int64_t time_ns) const {
  const analysis::Summary& all = summary();
  if (!all.has_steps) return -1;
  const auto after = std::ranges::upper_bound(
      all.steps, time_ns, {}, [](const analysis::StepRow& step) { return step.interval.start_ns; });
  for (auto step = after; step != all.steps.begin();) {
    --step;
    if (time_ns < step->interval.end_ns) return static_cast<std::int32_t>(step - all.steps.begin());
    if (after - step > 64) break;  // steps overlap only between processes
  }
  return -1;
}

void add_sources(std::vector<TraceInput> traces, const std::function<const Names&()>& names,
                 unsigned threads, std::deque<TraceSource>& sources) {
  std::map<std::string, std::vector<TraceInput>> runs;
  for (const TraceInput& trace : traces) runs[trace.run].push_back(trace);
  struct Begun {
    std::shared_ptr<const RunJob> job;
    std::size_t traces = 0;
  };
  std::map<std::string, Begun> jobs;
  for (auto& [run, of_run] : runs) {
    jobs[run].job = std::make_shared<const RunJob>(std::move(of_run), threads);
  }
  for (TraceInput& trace : traces) {
    Begun& run = jobs[trace.run];
    sources.emplace_back(std::move(trace), sources.size(), names, run.job, run.traces++);
  }
}

Names names_of(const std::deque<TraceSource>& sources) {
  std::vector<const StringPool*> pools;
  std::vector<std::string_view> words;
  for (const TraceSource& source : sources) {
    pools.push_back(&source.trace().strings());
    words.push_back(source.input().run);
  }
  for (int i = 0; i < kSliceKinds; ++i) words.push_back(word_of(static_cast<SliceKind>(i)));
  return Names(pools, words);
}

}  // namespace strobe::query
