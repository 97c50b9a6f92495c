#include "strobe/tensorboard/memory_records.h"

#include <tuple>
#include <utility>

namespace strobe::tensorboard {
namespace {

// The position of the search in one thread. It only moves forward: records come by time.
class Cursor {
 public:
  Cursor(const Forest& forest, NodeId root) : forest_(forest), current_(root) {}

  // The innermost node that contains `ts`, invalid if there is none; calls visit(NodeId) for every
  // node entered.
  template <class Visit>
  NodeId seek(Number ts, Visit&& visit) {
    if (!climb(ts) || ts < forest_[current_].start) return NodeId();
    while (next_ < forest_[current_].children.size()) {
      const NodeId child = forest_[current_].children[next_];
      const bool is_passed = !forest_[child].has_times || ts >= forest_[child].end;
      if (forest_[child].has_times && ts < forest_[child].start) break;
      if (is_passed) {
        ++next_;
        continue;
      }
      visit(child);
      above_.emplace_back(current_, next_);
      current_ = child;
      next_ = 0;
    }
    return current_;
  }

  NodeId parent() const { return above_.empty() ? NodeId() : above_.back().first; }

 private:
  bool climb(Number ts) {
    if (!current_.valid() || !forest_[current_].has_times) return false;
    while (ts >= forest_[current_].start && ts >= forest_[current_].end) {
      if (above_.empty()) {
        current_ = NodeId();
        return false;
      }
      std::tie(current_, next_) = above_.back();
      above_.pop_back();
      ++next_;
    }
    return true;
  }

  const Forest& forest_;
  NodeId current_;
  std::size_t next_ = 0;
  std::vector<std::pair<NodeId, std::size_t>> above_;
};

NodeId root_of_thread(const Forest& forest, std::string_view tid) {
  if (is_quoted(tid)) return NodeId();
  const auto thread = thread_number(tid);
  for (const Tree& tree : forest.trees) {
    if (tree.thread == thread) return tree.root;
  }
  return NodeId();
}

// A release gets the name of its allocation.
void name_releases(std::vector<MemoryRecord>& records) {
  std::unordered_map<std::int64_t, std::size_t> open;
  for (std::size_t row = 0; row < records.size(); ++row) {
    MemoryRecord& record = records[row];
    if (!record.args.address) continue;
    if (record.is_allocation()) {
      open[*record.args.address] = row;
      continue;
    }
    const auto allocation = open.find(*record.args.address);
    if (allocation == open.end()) continue;
    record.op_name = records[allocation->second].op_name;
    record.parent_name = records[allocation->second].parent_name;
    open.erase(allocation);
  }
}

struct DeviceTypeName {
  std::int64_t type;
  std::string_view name;
};

// PyTorch's numbers of device types.
constexpr std::int64_t kCpu = 0;
constexpr DeviceTypeName kDeviceTypes[] = {
    {1, "GPU"}, {6, "HIP"}, {12, "XPU"}, {13, "MPS"}, {15, "HPU"}, {18, "IPU"}, {19, "MTIA"},
};

std::string numbered(std::string_view word, std::int64_t id) {
  return std::string(word) + std::to_string(id);
}

}  // namespace

MemoryRecords place_memory_records(const Forest& forest, const Events& events) {
  MemoryRecords records;
  records.is_visited.resize(forest.nodes.size());
  std::unordered_map<StringId, Cursor> cursors;
  for (const Event& event : events.all) {
    if (event.type != EventType::kMemory) continue;
    MemoryRecord record{event.start(), events.memory(event), StringId(), StringId()};

    auto cursor = cursors.find(event.tid);
    if (cursor == cursors.end()) {
      const NodeId root = root_of_thread(forest, events.text(event.tid));
      if (root.valid()) records.is_visited[root.index()] = true;
      cursor = cursors.emplace(event.tid, Cursor(forest, root)).first;
    }
    const NodeId node =
        cursor->second.seek(record.ts, [&](NodeId id) { records.is_visited[id.index()] = true; });
    if (node.valid() && is_operator(forest[node], events)) {
      records.by_operator[node].push_back(records.all.size());
      if (record.is_allocation()) {
        const NodeId parent = cursor->second.parent();
        record.op_name = forest[node].name;
        if (parent.valid()) record.parent_name = forest[parent].name;
      }
    }
    records.all.push_back(std::move(record));
  }
  name_releases(records.all);
  return records;
}

std::string memory_device(const MemoryArgs& args, const VariantRules& rules) {
  if (args.device_type == kCpu) return "CPU";
  for (const MemoryDeviceType& known : rules.memory_device_types) {
    if (known.type == args.device_type) return numbered(known.word, args.device_id);
  }
  return {};
}

std::string any_memory_device(const MemoryArgs& args, const VariantRules& rules) {
  std::string name = memory_device(args, rules);
  if (!name.empty()) return name;
  for (const DeviceTypeName& known : kDeviceTypes) {
    if (known.type == args.device_type) return numbered(known.name, args.device_id);
  }
  return numbered("Device" + std::to_string(args.device_type) + ":", args.device_id);
}

std::string default_memory_device(const std::vector<std::string>& sorted_devices,
                                  const VariantRules& rules) {
  for (const std::string& device : sorted_devices) {
    for (const MemoryDeviceType& known : rules.memory_device_types) {
      if (device.starts_with(known.word)) return device;
    }
  }
  for (const std::string& device : sorted_devices) {
    if (device != "CPU") return device;
  }
  return "CPU";
}

}  // namespace strobe::tensorboard
