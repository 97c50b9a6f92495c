#include "strobe/analysis/findings/host_moments.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

namespace strobe::analysis {
namespace {

bool comes_earlier(const HostMoment& a, const HostMoment& b) {
  return std::tuple(a.track.value, a.time_ns) < std::tuple(b.track.value, b.time_ns);
}

// Positions of the moments inside a slice; `moments` are sorted.
std::pair<std::size_t, std::size_t> positions_in(const Trace& trace,
                                                 const std::vector<HostMoment>& moments,
                                                 SliceId slice) {
  const TrackId track = trace.slices().tracks[slice.index()];
  const auto position_of = [&](std::int64_t time_ns) {
    return static_cast<std::size_t>(std::lower_bound(moments.begin(), moments.end(),
                                                     HostMoment{track, time_ns, 0}, comes_earlier) -
                                    moments.begin());
  };
  return {position_of(trace.start_ns(slice)), position_of(trace.end_ns(slice))};
}

HeldMoments heaviest_name(const Trace& trace, const std::vector<std::int64_t>& weights_ns) {
  const auto most = std::max_element(weights_ns.begin(), weights_ns.end());
  if (most == weights_ns.end() || *most == 0) return {};
  const StringId name(static_cast<std::uint32_t>(most - weights_ns.begin()));
  return {std::string(trace.strings()[name]), *most, 0};
}

bool may_be_named(SliceKind kind) {
  return is_tree_kind(kind) && kind != SliceKind::kStep && kind != SliceKind::kOperator &&
         kind != SliceKind::kOperatorPhase;
}

}  // namespace

HeldMoments operator_around(const Trace& trace, std::vector<HostMoment> moments) {
  std::sort(moments.begin(), moments.end(), comes_earlier);
  const auto& slices = trace.slices();
  std::vector<std::uint32_t> innermost(moments.size(), SliceId().value);
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] != SliceKind::kOperator) continue;
    const auto [begin, end] = positions_in(trace, moments, SliceId(row));
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_inner = innermost[i] == SliceId().value ||
                            slices.durations_ns[row] < slices.durations_ns[innermost[i]];
      if (is_inner) innermost[i] = row;
    }
  }
  std::vector<std::int64_t> weights_ns(trace.strings().size());
  HeldMoments outside;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (innermost[i] == SliceId().value) {
      outside.weight_ns += moments[i].weight_ns;
    } else {
      weights_ns[slices.names[innermost[i]].index()] += moments[i].weight_ns;
    }
  }
  const HeldMoments inside = heaviest_name(trace, weights_ns);
  HeldMoments most = inside.weight_ns > outside.weight_ns ? inside : outside;
  for (const HostMoment& moment : moments) most.of_ns += moment.weight_ns;
  return most;
}

HeldMoments range_around(const Trace& trace, std::vector<HostMoment> moments,
                         std::int64_t whole_ns) {
  std::sort(moments.begin(), moments.end(), comes_earlier);
  std::vector<std::int64_t> sums_ns = {0};
  for (const HostMoment& moment : moments) sums_ns.push_back(sums_ns.back() + moment.weight_ns);
  const auto& slices = trace.slices();
  std::vector<std::int64_t> weights_ns(trace.strings().size());
  std::vector<std::int64_t> own_ns(trace.strings().size());
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    if (!may_be_named(slices.kinds[row])) continue;
    const auto [begin, end] = positions_in(trace, moments, SliceId(row));
    weights_ns[slices.names[row].index()] += sums_ns[end] - sums_ns[begin];
    own_ns[slices.names[row].index()] += slices.durations_ns[row];
  }
  HeldMoments best;
  std::int64_t least_ns = whole_ns - whole_ns / 50;
  for (std::uint32_t i = 0; i < weights_ns.size(); ++i) {
    if (weights_ns[i] == 0 || 5 * weights_ns[i] < 4 * sums_ns.back() || own_ns[i] >= least_ns) {
      continue;
    }
    least_ns = own_ns[i];
    best = {std::string(trace.strings()[StringId(i)]), std::min(weights_ns[i], sums_ns.back()),
            sums_ns.back()};
  }
  return best;
}

}  // namespace strobe::analysis
