#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/replay/operation_table.h"

namespace strobe::fleet {

// Who takes part in a group besides its members in one data-parallel rank.
enum class Reach : std::uint8_t {
  kAlone,     // one operation, which waits for no other worker
  kOneRank,   // the members in one data-parallel rank: the two ends of a transfer
  kAllRanks,  // the members in all data-parallel ranks
};

// Operations that end together: when the last of them has started and the data has moved.
struct Group {
  Reach reach = Reach::kAlone;
  std::uint32_t first_member = 0;
  std::uint32_t members = 0;
};

// What must have ended before an operation can start. One graph stands for all data-parallel ranks
// and steps, because all do the same.
struct DependencyGraph {
  // In an order in which they can be replayed: predecessors first.
  std::vector<Group> groups;
  std::vector<std::uint32_t> members;  // operations, group by group

  // Those of operation i begin at predecessor_begin[i] and end at predecessor_begin[i + 1].
  std::vector<std::uint32_t> predecessors;
  std::vector<std::uint32_t> predecessor_begin;

  std::span<const std::uint32_t> predecessors_of(std::uint32_t operation) const;
  std::span<const std::uint32_t> members_of(const Group& group) const;
};

// Fails if operations wait for each other in a circle.
Result<DependencyGraph> build_graph(const OperationTable& table);

}  // namespace strobe::fleet
