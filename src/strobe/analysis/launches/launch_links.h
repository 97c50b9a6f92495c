#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/trace/trace.h"

// The three ways to find the host side of device work.
namespace strobe::analysis {

// Runtime calls by their correlation id. An id that repeats means its last call in the file.
class CallsByCorrelation {
 public:
  // `runtime_slices`: every runtime call of the trace, in file order.
  CallsByCorrelation(const Trace& trace, const std::vector<SliceId>& runtime_slices,
                     const Attribution::Calls& calls);

  enum class Answer : std::uint8_t { kFound, kNotSelected, kUnknown };
  Answer find(std::uint32_t correlation, CallId& call);

 private:
  struct Entry {
    std::uint32_t correlation;
    SliceId slice;
    CallId call;  // invalid: the call is outside the selection
  };
  const Entry* entry_of(std::uint32_t correlation);

  std::vector<Entry> entries_;  // by correlation
  std::size_t latest_ = 0;      // position of the last answer: the next query is near it
};

// The operator of an external id: the last one in the file.
class OperatorsByExternalId {
 public:
  OperatorsByExternalId(const Trace& trace, const OpTree& tree);
  NodeId find(std::uint32_t external) const;  // invalid if unknown

 private:
  std::vector<std::pair<std::uint32_t, NodeId>> sorted_;
};

// Where the arrow comes from that ends in a device slice.
class LaunchesByFlow {
 public:
  LaunchesByFlow(const Trace& trace, const OpTree& tree, const Attribution::Calls& calls);

  struct Source {
    CallId call;   // invalid when the arrow leaves from outside a runtime call
    NodeId owner;  // invalid when there is no arrow
  };
  Source find(SliceId device_slice) const;

 private:
  struct End {
    TrackId track;
    std::int64_t time_ns;
    std::size_t flow;
    bool operator<(const End& other) const {
      return track != other.track ? track < other.track : time_ns < other.time_ns;
    }
  };
  struct Start {
    CategoryId category;
    std::uint64_t id;
    std::size_t flow;
    bool operator<(const Start& other) const {
      return category != other.category ? category < other.category : id < other.id;
    }
  };
  const Trace* trace_;
  const OpTree* tree_;
  const Attribution::Calls* calls_;
  std::vector<End> ends_;
  std::vector<Start> starts_;
};

// The innermost of the node and those above it that does not end before `end_ns`.
inline NodeId innermost_reaching(const Trace& trace, const OpTree& tree, NodeId node,
                                 std::int64_t end_ns) {
  while (!tree.is_thread(node) && nest_end_ns(trace, tree.slices[node.index()]) < end_ns) {
    node = tree.parents[node.index()];
  }
  return node;
}

}  // namespace strobe::analysis
