#include "strobe/readers/recording/process_family.h"

#include <cstddef>
#include <vector>

namespace strobe::readers {

void ProcessFamily::add(const RecordedFile& samples) {
  ImportReport reported_with_the_samples;
  const auto add_block = [&](const DecodedRows& rows) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (rows.at(wire::kProcessIsForeign, row) != 0) continue;
      const auto process = static_cast<std::int64_t>(rows.at(wire::kProcessId, row));
      children_.emplace(static_cast<std::int64_t>(rows.at(wire::kProcessParent, row)), process);
      const auto name = samples.segments()[rows.segment].text(rows.at(wire::kProcessName, row));
      if (name && !name->empty()) names_.insert_or_assign(process, std::string(*name));
    }
    return true;
  };
  samples.for_each_block(wire::ChunkKind::kProcesses, reported_with_the_samples, add_block);
}

std::set<std::int64_t> ProcessFamily::with_descendants(
    std::int64_t process, const std::set<std::int64_t>& with_traces) const {
  std::set<std::int64_t> found{process};
  std::vector<std::int64_t> to_visit{process};
  while (!to_visit.empty()) {
    const std::int64_t parent = to_visit.back();
    to_visit.pop_back();
    const auto [first, last] = children_.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      if (with_traces.contains(child->second)) continue;
      if (found.insert(child->second).second) to_visit.push_back(child->second);
    }
  }
  return found;
}

}  // namespace strobe::readers
