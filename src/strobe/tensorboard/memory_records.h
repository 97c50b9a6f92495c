#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "strobe/tensorboard/node.h"

namespace strobe::tensorboard {

// One allocation (bytes > 0) or release.
struct MemoryRecord {
  Number ts;
  MemoryArgs args;
  StringId op_name;  // the operator that allocated it, if any
  StringId parent_name;

  bool is_allocation() const { return args.bytes > 0; }
};

// The memory events of a profile, each with the operator it happened in.
struct MemoryRecords {
  std::vector<MemoryRecord> all;                                     // by time
  std::unordered_map<NodeId, std::vector<std::size_t>> by_operator;  // rows of `all`
  // Nodes in which some record was searched. Whole subtrees without records are skipped.
  std::vector<bool> is_visited;
};

MemoryRecords place_memory_records(const Forest& forest, const Events& events);

// `CPU`, `GPU0`, `MLU2`; empty for a kind of device without a name in the variant.
std::string memory_device(const MemoryArgs& args, const VariantRules& rules);
// The same, with a name for every kind of device that PyTorch knows.
std::string any_memory_device(const MemoryArgs& args, const VariantRules& rules);
// The first accelerator, else the CPU; `sorted_devices` by name.
std::string default_memory_device(const std::vector<std::string>& sorted_devices,
                                  const VariantRules& rules);

}  // namespace strobe::tensorboard
