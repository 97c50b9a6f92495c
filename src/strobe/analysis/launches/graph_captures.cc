#include "strobe/analysis/launches/graph_captures.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "strobe/base/json_value.h"
#include "strobe/base/row_index.h"

namespace strobe::analysis {
namespace {

using device::LaunchedKind;

LaunchedKind kind_of_work(SliceKind kind) {
  if (kind == SliceKind::kMemcpy) return LaunchedKind::kCopy;
  return kind == SliceKind::kMemset ? LaunchedKind::kMemset : LaunchedKind::kKernel;
}

// A captured graph of the trace, and where its work was captured.
struct Captured {
  std::int64_t end_ns = 0;
  std::vector<NodeId> owners;
};

// Captures of the same kinds in the same order, by end.
using Captures = std::map<std::vector<LaunchedKind>, std::vector<Captured>>;

Captures list_captures(const Trace& trace, const Attribution::Calls& calls,
                       const std::vector<std::uint32_t>& works_of_calls) {
  Captures captures;
  for (std::size_t thread = 0; thread + 1 < calls.thread_begins.size(); ++thread) {
    const std::size_t begin = calls.thread_begins[thread];
    const auto own =
        std::span(calls.slices).subspan(begin, calls.thread_begins[thread + 1] - begin);
    const auto own_works = std::span(works_of_calls).subspan(begin, own.size());
    for (const GraphCapture& capture : find_graph_captures(trace, own, own_works)) {
      Captured captured{capture.end_ns, {}};
      bool ran = false;
      for (const std::uint32_t call : capture.calls) {
        captured.owners.push_back(calls.owners[begin + call]);
        ran = ran || works_of_calls[begin + call] > 0;
      }
      if (!ran && !captured.owners.empty()) {
        captures[capture.kinds].push_back(std::move(captured));
      }
    }
  }
  return captures;
}

// Where work stands in its graph, as the writer says; 0 if it does not.
struct GraphPlace {
  std::int64_t graph = 0;
  std::int64_t node = 0;
};

GraphPlace graph_place(std::string_view args) {
  GraphPlace place;
  for_each_member(args, [&](std::string_view key, const JsonValue& value) {
    if (key == "graph id") place.graph = value.as_int64().value_or(0);
    if (key == "graph node id") place.node = value.as_int64().value_or(0);
  });
  return place;
}

// The work of one launch of a graph.
struct Replay {
  std::int64_t launch_ns = 0;
  std::int64_t graph = 0;            // 0: unknown
  std::vector<std::uint32_t> works;  // in the order of the nodes; empty if that is not known
  std::vector<LaunchedKind> kinds;
};

class ReplayReader {
 public:
  ReplayReader(const Trace& trace, const Attribution::Works& works)
      : trace_(trace), works_(works), args_(trace.args()) {}

  // `works`: of one launch. Nodes are numbered as they are captured. Where the work ran on one
  // stream, its times must agree with that; without numbers, they alone tell.
  Replay read(std::int64_t launch_ns, std::vector<std::uint32_t> works) {
    Replay replay{launch_ns, 0, {}, {}};
    std::vector<std::pair<std::int64_t, std::uint32_t>> by_node;
    bool has_nodes = true;
    bool is_on_one_track = true;
    std::ranges::stable_sort(works, {}, [&](std::uint32_t work) { return start_ns(work); });
    for (const std::uint32_t work : works) {
      const std::size_t row = works_.slices[work].index();
      const GraphPlace place = graph_place(args_.text(trace_.slices().args[row]));
      if (!by_node.empty() && place.graph != replay.graph) return replay;
      replay.graph = place.graph;
      has_nodes = has_nodes && place.node != 0;
      is_on_one_track = is_on_one_track && track(work) == track(works.front());
      by_node.emplace_back(place.node, work);
    }
    if (has_nodes) std::ranges::sort(by_node);
    for (const auto& [node, work] : by_node) replay.works.push_back(work);
    const bool agrees = !is_on_one_track || replay.works == works;
    if (!agrees || (!has_nodes && !is_on_one_track)) replay.works.clear();
    for (const std::uint32_t work : replay.works) {
      replay.kinds.push_back(kind_of_work(trace_.kind(works_.slices[work])));
    }
    return replay;
  }

 private:
  std::int64_t start_ns(std::uint32_t work) const { return trace_.start_ns(works_.slices[work]); }
  TrackId track(std::uint32_t work) const {
    return trace_.slices().tracks[works_.slices[work].index()];
  }

  const Trace& trace_;
  const Attribution::Works& works_;
  ArgsReader args_;
};

std::vector<Replay> list_replays(const Trace& trace, const Attribution::Calls& calls,
                                 const Attribution::Works& works) {
  OncePerName is_graph(trace.strings(), device::is_graph_launch);
  std::map<CallId, std::vector<std::uint32_t>> works_of_launches;
  for (std::uint32_t work = 0; work < works.size(); ++work) {
    const CallId call = works.calls[work];
    if (!call.valid() || works.evidence[work] != LaunchEvidence::kCorrelation) continue;
    if (!is_graph(trace.slices().names[calls.slices[call.index()].index()])) continue;
    works_of_launches[call].push_back(work);
  }
  ReplayReader reader(trace, works);
  std::vector<Replay> replays;
  for (auto& [call, own] : works_of_launches) {
    replays.push_back(reader.read(trace.start_ns(calls.slices[call.index()]), std::move(own)));
  }
  return replays;
}

}  // namespace

bool has_graph_captures(const Trace& trace, std::span<const SliceId> calls) {
  OncePerName captures(trace.strings(), [](std::string_view name) {
    return device::begins_capture(name) || device::makes_graph(name);
  });
  return std::ranges::any_of(
      calls, [&](SliceId call) { return captures(trace.slices().names[call.index()]); });
}

std::vector<GraphCapture> find_graph_captures(const Trace& trace, std::span<const SliceId> calls,
                                              std::span<const std::uint32_t> works) {
  std::vector<GraphCapture> captures;
  GraphCapture open;
  bool is_capturing = false;
  const auto close = [&](SliceId last) {
    open.end_ns = trace.end_ns(last);
    if (!open.calls.empty()) captures.push_back(std::move(open));
    open = {};
    is_capturing = false;
  };
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    const std::string_view name = trace.name(calls[i]);
    const LaunchedKind kind = device::launched_kind(name);
    if (device::begins_capture(name)) {
      open = {};
      is_capturing = true;
    } else if (is_capturing ? device::ends_capture(name) : device::makes_graph(name)) {
      close(calls[i]);
    } else if (kind == LaunchedKind::kGraph && !is_capturing) {
      open = {};
    } else if (kind != LaunchedKind::kNothing) {
      if (!is_capturing && works[i] > 0) {
        open = {};
        continue;
      }
      open.calls.push_back(i);
      open.kinds.push_back(kind);
    }
  }
  return captures;
}

std::vector<NodeId> find_capturers(const Trace& trace, const Attribution::Calls& calls,
                                   const Attribution::Works& works) {
  if (!has_graph_captures(trace, calls.slices)) return {};
  std::vector<std::uint32_t> works_of_calls(calls.size());
  for (const CallId call : works.calls) {
    if (call.valid()) ++works_of_calls[call.index()];
  }
  const Captures captures = list_captures(trace, calls, works_of_calls);
  const std::vector<Replay> replays = list_replays(trace, calls, works);
  std::map<std::vector<LaunchedKind>, std::vector<std::int64_t>> graphs;
  for (const Replay& replay : replays) {
    std::vector<std::int64_t>& known = graphs[replay.kinds];
    if (std::ranges::find(known, replay.graph) == known.end()) known.push_back(replay.graph);
  }
  std::vector<NodeId> capturers(works.size());
  bool has_any = false;
  for (const Replay& replay : replays) {
    const auto alike = captures.find(replay.kinds);
    if (replay.works.empty() || alike == captures.end() || alike->second.size() != 1) continue;
    const Captured& capture = alike->second.front();
    if (graphs[replay.kinds].size() != 1 || capture.end_ns > replay.launch_ns) continue;
    for (std::size_t i = 0; i < replay.works.size(); ++i) {
      capturers[replay.works[i]] = capture.owners[i];
    }
    has_any = true;
  }
  return has_any ? capturers : std::vector<NodeId>();
}

}  // namespace strobe::analysis
