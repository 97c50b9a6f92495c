#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/timeline/timeline.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// The arrows of the trace, from slice to slice. An end of an arrow belongs to the innermost slice
// of its track at its time.
class FlowIndex {
 public:
  explicit FlowIndex(const Timeline& timeline);

  struct Ends {
    std::vector<SliceId> to;    // where arrows go that leave from the slice, by time
    std::vector<SliceId> from;  // where arrows come from that end in it
  };
  Ends arrows_of(SliceId slice) const;

 private:
  SliceId slice_of(std::uint32_t flow) const;
  bool is_one_arrow(std::uint32_t a, std::uint32_t b) const;

  const Timeline* timeline_;
  std::vector<std::uint32_t> by_place_;   // flows by track, then time
  std::vector<std::uint32_t> by_id_;      // by category, id, time, then start before end
  std::vector<std::uint32_t> positions_;  // per flow: in by_id_
};

// A backward operator and the forward operator whose gradient it computes.
struct BackwardLink {
  SliceId backward;
  SliceId forward;
};

// Joined by sequence number. Several forward operators may carry one number, because a number is
// valid until the next one is assigned; the match is the last one that starts before the backward
// operator. Ascending by the backward's slice; those without a forward are absent.
std::vector<BackwardLink> link_backward(const Trace& trace);

enum class LinkKind : std::uint8_t {
  kLaunches,    // from a host slice to the device work it started
  kLaunchedBy,  // and back, to the runtime call, the range around it, its innermost operator and
                // its outermost one
  kBackward,    // from an operator to the one that computes its gradient
  kForward,     // and back
  kFlowOut,     // any other arrow of the trace
  kFlowIn,
};
std::string_view word_of(LinkKind kind);  // "launched_by"

struct SliceLink {
  LinkKind kind = LinkKind::kLaunches;
  SliceId slice;
};

// Links between slices of different tracks.
class SliceLinks {
 public:
  SliceLinks(const Timeline& timeline, const AttributedTrace& input);

  // The best evidence first; arrows that repeat a known link are left out.
  std::vector<SliceLink> of(SliceId slice) const;
  // Device work started inside a host slice, by start.
  std::vector<SliceId> works_below(SliceId host_slice) const;
  // The runtime call that started the device work; invalid if unknown.
  SliceId call_of(SliceId device_slice) const;

 private:
  struct CallOfSlice {
    SliceId slice;
    CallId call;
  };
  struct WorkOfCall {
    CallId call;
    std::uint32_t work;
  };

  CallId call_at(SliceId slice) const;
  std::size_t work_at(SliceId slice) const;  // their number if it is not device work
  void add_works_of(CallId call, std::vector<SliceId>& works) const;
  void add_launchers(SliceId slice, std::vector<SliceLink>& links) const;
  void add_gradients(SliceId slice, std::vector<SliceLink>& links) const;
  void add_arrows(SliceId slice, std::vector<SliceLink>& links) const;

  const AttributedTrace* input_;
  FlowIndex flows_;
  std::vector<CallOfSlice> calls_of_slices_;
  std::vector<WorkOfCall> works_of_calls_;
  std::vector<BackwardLink> by_backward_;
  std::vector<BackwardLink> by_forward_;
};

}  // namespace strobe::analysis
