#include "strobe/analysis/tables/kernels.h"

#include <cstdint>
#include <string>

#include "strobe/analysis/timeline/row_index.h"

namespace strobe::analysis {
namespace {

struct Launched {  // by one operator, of one kernel
  std::size_t kernel;
  StringId op;
  std::int64_t device_ns;
};

}  // namespace

std::vector<KernelRow> list_kernels(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const auto& slices = input.trace.slices();
  NameRows rows(input.trace.strings());
  PairRows launched_rows;
  std::vector<Launched> launched;
  std::vector<KernelRow> kernels;
  for (const std::uint32_t work : works.visiting_order) {
    const std::size_t slice = works.slices[work].index();
    if (slices.kinds[slice] != SliceKind::kKernel) continue;
    const std::size_t row = rows.row_of(slices.names[slice]);
    if (row == kernels.size()) kernels.emplace_back();
    kernels[row].device.add(slices.durations_ns[slice]);
    if ((slices.flags[slice] & kCommunicates) != 0) kernels[row].communicates = true;

    const NodeId owner = works.owners[work];
    const NodeId op = owner.valid() ? input.tree.operators[owner.index()] : NodeId();
    if (!op.valid()) continue;
    const StringId op_name = input.name(op);
    const std::size_t pair = launched_rows.row_of(static_cast<std::uint32_t>(row), op_name.value);
    if (pair == launched.size()) launched.push_back({row, op_name, 0});
    launched[pair].device_ns += slices.durations_ns[slice];
  }

  std::vector<const Launched*> most(kernels.size());
  for (const Launched& each : launched) {
    const Launched*& best = most[each.kernel];
    if (best == nullptr || each.device_ns > best->device_ns) best = &each;
  }
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    kernels[row].name = std::string(input.trace.strings()[rows.name(row)]);
    if (most[row] != nullptr) {
      kernels[row].top_operator = std::string(input.trace.strings()[most[row]->op]);
    }
  }
  return kernels;
}

}  // namespace strobe::analysis
