#include "strobe/analysis/tables/flops.h"

#include <optional>
#include <string>
#include <unordered_map>

#include "strobe/analysis/tables/flop_formulas.h"
#include "strobe/analysis/tables/operator_shapes.h"

namespace strobe::analysis {
namespace {

// A capture records shapes for all operators or for none: after so many without, it is none.
constexpr int kOperatorsTried = 64;

// What a call cost by itself, before its children are added.
struct OwnFlops {
  std::uint64_t flops = 0;
  bool covers_children = false;  // shapes by position stand for the whole call
};

class FlopCounter {
 public:
  explicit FlopCounter(const Trace& trace)
      : trace_(trace), reader_(trace.args()), formulas_(trace.strings().size()) {}

  // Nothing if the operator has no formula, or its call no shapes.
  std::optional<OwnFlops> count(std::size_t row) {
    const StringId name = trace_.slices().names[row];
    const FlopFormula formula = formula_of(name);
    if (formula == nullptr) return std::nullopt;
    const ShapeTexts texts = find_shapes(reader_.text(trace_.slices().args[row]));
    if (texts.empty()) {
      if (!has_seen_shapes_) ++without_shapes_;
      return std::nullopt;
    }
    has_seen_shapes_ = true;
    key_.assign(reinterpret_cast<const char*>(&name.value), sizeof(name.value));
    key_.append(texts.inputs).append(texts.plain_inputs);
    const auto [known, is_new] = counted_.try_emplace(key_);
    if (is_new) {
      const std::optional<std::uint64_t> flops = formula(read_shapes(texts));
      if (flops) known->second = OwnFlops{*flops, texts.is_by_position};
    }
    return known->second;
  }
  bool gives_up() const { return without_shapes_ >= kOperatorsTried; }

 private:
  FlopFormula formula_of(StringId name) {
    auto& [is_known, formula] = formulas_[name.index()];
    if (!is_known) {
      is_known = true;
      formula = find_flop_formula(trace_.strings()[name]);
    }
    return formula;
  }

  const Trace& trace_;
  ArgsReader reader_;
  std::vector<std::pair<bool, FlopFormula>> formulas_;  // per string
  std::string key_;
  std::unordered_map<std::string, std::optional<OwnFlops>> counted_;
  bool has_seen_shapes_ = false;
  int without_shapes_ = 0;
};

}  // namespace

std::vector<std::uint64_t> estimate_flops(const AttributedTrace& input) {
  const Trace& trace = input.trace;
  const OpTree& tree = input.tree;
  if (trace.args().empty()) return {};
  std::vector<std::uint64_t> flops(tree.size());
  std::vector<bool> covers_children(tree.size());
  FlopCounter counter(trace);
  // File order, because that is how arguments are stored.
  for (std::size_t row = 0; row < trace.slice_count() && !counter.gives_up(); ++row) {
    const NodeId node = tree.nodes_of_slices[row];
    if (trace.slices().kinds[row] != SliceKind::kOperator || !node.valid()) continue;
    const std::optional<OwnFlops> own = counter.count(row);
    if (!own) continue;
    flops[node.index()] = own->flops;
    covers_children[node.index()] = own->covers_children;
  }
  if (counter.gives_up()) return {};
  for (std::size_t i = tree.size(); i-- > 0;) {
    const NodeId parent = tree.parents[i];
    if (parent.valid() && !covers_children[parent.index()]) flops[parent.index()] += flops[i];
  }
  return flops;
}

}  // namespace strobe::analysis
