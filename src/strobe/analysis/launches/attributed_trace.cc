#include "strobe/analysis/launches/attributed_trace.h"

#include <utility>

namespace strobe::analysis {

AttributedTrace attribute_trace(const Trace& trace, const TimeSelection& selection) {
  OpTree tree = build_op_tree(trace, selection);
  Attribution attribution = attribute(trace, tree, selection);
  return {trace, std::move(tree), std::move(attribution)};
}

}  // namespace strobe::analysis
