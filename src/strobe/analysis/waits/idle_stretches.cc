#include "strobe/analysis/waits/idle_stretches.h"

namespace strobe::analysis {

IdleExplainer::IdleExplainer(const AttributedTrace& input, const IntervalSet& idle)
    : causes_(input.trace.strings()),
      nothing_(causes_.id_of({})),
      launched_(causes_.id_of({IdleKind::kLaunched, {}, {}})),
      overheads_(input),
      threads_(find_launching_threads(input)),
      place_of_(input.trace.strings(), &frame_place) {
  activities_.reserve(input.tree.threads.size());
  for (std::uint32_t t = 0; t < input.tree.threads.size(); ++t) {
    activities_.emplace_back(input, t, causes_);
  }
  frames_ = find_frames(input, threads_.watched, idle);
}

}  // namespace strobe::analysis
