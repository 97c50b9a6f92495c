#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {

// A graph as it was captured: what a thread launched between the two calls around a capture, or,
// where these were not recorded, what it launched without any work just before it made a graph of
// it. None of it ran then; it runs whenever the graph is launched.
struct GraphCapture {
  std::int64_t end_ns = 0;
  std::vector<std::uint32_t> calls;  // positions in the given list, in their order
  std::vector<device::LaunchedKind> kinds;
};

// Whether any of the calls begins a capture or makes a graph.
bool has_graph_captures(const Trace& trace, std::span<const SliceId> calls);

// The captures among the calls of one thread, which are sorted by start; `works`: how many works
// each of them has.
std::vector<GraphCapture> find_graph_captures(const Trace& trace, std::span<const SliceId> calls,
                                              std::span<const std::uint32_t> works);

// Per work, the node in which it was captured, if it belongs to the launch of a graph that was
// captured in the trace; empty if there is none. Only if the evidence leaves no choice: the graph's
// work is as long as exactly one earlier capture and of the same kinds in the same order, which is
// that of its nodes; no other graph of the trace is; and what was captured did not run by itself.
std::vector<NodeId> find_capturers(const Trace& trace, const Attribution::Calls& calls,
                                   const Attribution::Works& works);

}  // namespace strobe::analysis
