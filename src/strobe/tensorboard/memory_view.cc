#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "strobe/tensorboard/memory_question.h"

namespace strobe::tensorboard {
namespace {

enum Figure : std::size_t {
  kSelfIncrease,
  kSelfAllocated,
  kSelfAllocations,
  kTotalIncrease,
  kTotalAllocated,
  kTotalAllocations,
};
constexpr std::size_t kSelfFigures = 3;
using Figures = std::array<double, 2 * kSelfFigures>;
using FiguresByDevice = std::map<std::string, Figures>;

struct OperatorMemory {
  std::map<std::string_view, std::size_t> calls;                       // by operator name
  std::map<std::string, std::map<std::string_view, Figures>> devices;  // then by operator name
};

class MemoryCounter {
 public:
  MemoryCounter(const Profile& profile, const MemoryQuestion& asked)
      : profile_(profile), asked_(asked) {}

  OperatorMemory count() {
    const Forest& forest = profile_.forest();
    for (const Tree& tree : forest.trees) {
      for (const NodeId child : forest[tree.root].children) {
        walk(
            forest, child, [&](NodeId id) { return enter(id); }, [&](NodeId id) { leave(id); });
      }
    }
    for (const auto& [id, devices] : by_node_) {
      if (!is_operator(forest[id], profile_.events)) continue;
      for (const auto& [device, figures] : devices) {
        Figures& sum = result_.devices[device][profile_.events.text(forest[id].name)];
        for (std::size_t i = 0; i < figures.size(); ++i) sum[i] += figures[i];
      }
    }
    return std::move(result_);
  }

 private:
  bool enter(NodeId id) {
    open_.push_back(id);
    const Node& node = profile_.forest()[id];
    if (!node.has_times) return false;
    if (asked_.start_ts && node.end < *asked_.start_ts) return false;
    if (asked_.end_ts && node.start > *asked_.end_ts) return false;
    const bool is_op = is_operator(node, profile_.events);
    if (is_op) ++result_.calls[profile_.events.text(node.name)];
    if (!profile_.memory.is_visited[id.index()]) return false;
    if (is_op) add_own(id);
    return true;
  }

  void leave(NodeId id) {
    open_.pop_back();
    if (open_.empty()) return;
    const auto own = by_node_.find(id);
    if (own == by_node_.end()) return;
    FiguresByDevice& parent = by_node_[open_.back()];
    for (const auto& [device, figures] : own->second) {
      for (std::size_t i = kSelfFigures; i < figures.size(); ++i) parent[device][i] += figures[i];
    }
  }

  void add_own(NodeId id) {
    const auto rows = profile_.memory.by_operator.find(id);
    if (rows == profile_.memory.by_operator.end()) return;
    std::map<std::string, std::array<double, kSelfFigures>> own;
    for (const std::size_t row : rows->second) {
      const MemoryRecord& record = profile_.memory.all[row];
      if (!asked_.includes(record.ts)) continue;
      const std::string device = memory_device(record.args, profile_.rules());
      if (device.empty()) continue;
      auto& figures = own[device];
      figures[kSelfIncrease] += record.args.bytes;
      if (!record.is_allocation()) continue;
      figures[kSelfAllocated] += record.args.bytes;
      figures[kSelfAllocations] += 1;
    }
    for (const auto& [device, figures] : own) {
      Figures& node = by_node_[id][device];
      for (std::size_t i = 0; i < kSelfFigures; ++i) {
        node[i] = figures[i];
        node[i + kSelfFigures] += figures[i];
      }
    }
  }

  const Profile& profile_;
  const MemoryQuestion& asked_;
  std::vector<NodeId> open_;
  std::map<NodeId, FiguresByDevice> by_node_;
  OperatorMemory result_;
};

struct Column {
  std::string_view name;
  bool has_unit = false;
  std::string_view tooltip;
};

constexpr Column kColumns[] = {
    {"Operator Name", false, ""},
    {"Calls", false, "How often the operator was called."},
    {"Size Increase", true, "Bytes gained over bytes freed, operators called inside included."},
    {"Self Size Increase", true, "Bytes gained over bytes freed by the operator itself."},
    {"Allocation Count", false, "Number of allocations, operators called inside included."},
    {"Self Allocation Count", false, "Number of allocations by the operator itself."},
    {"Allocation Size", true, "Bytes allocated, operators called inside included."},
    {"Self Allocation Size", true,
     "Bytes allocated by the operator itself; what was freed is not subtracted."},
};
constexpr const Column& kSortColumn = kColumns[3];

std::string title(const Column& column, std::string_view unit) {
  std::string text(column.name);
  if (column.has_unit) text.append(" (").append(unit).append(")");
  return text;
}

void write_columns(JsonWriter& json, std::string_view unit) {
  json.begin_array();
  for (const Column& column : kColumns) {
    json.begin_object().member("name", title(column, unit));
    json.member("type", column.tooltip.empty() ? "string" : "number");
    if (!column.tooltip.empty()) json.member("tooltip", column.tooltip);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Answer answer_memory(const Question& question) {
  const auto asked_or_refused = read_memory_question(question, "KB");
  if (const auto* refusal = std::get_if<Answer>(&asked_or_refused)) return *refusal;
  const auto& asked = std::get<MemoryQuestion>(asked_or_refused);
  OperatorMemory memory = MemoryCounter(question.profile, asked).count();
  std::vector<std::string> devices;
  for (auto& [device, rows] : memory.devices) {
    std::erase_if(rows, [](const auto& row) {
      return std::ranges::all_of(row.second, [](double figure) { return figure == 0; });
    });
    if (!rows.empty()) devices.push_back(device);
  }

  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  json.key("metadata").begin_object();
  json.member("title", "Memory View");
  json.member("default_device", default_memory_device(devices, question.profile.rules()));
  json.member("search", "Operator Name");
  json.member("sort", title(kSortColumn, asked.memory.name));
  json.end_object();
  write_columns(json.key("columns"), asked.memory.name);
  json.key("rows").begin_object();
  const auto size = [&](double bytes) { return round_significant(asked.show_bytes(bytes)); };
  const auto count = [](double value) { return Number::whole(value); };
  for (const std::string& device : devices) {
    json.key(device).begin_array();
    for (const auto& [name, figures] : memory.devices[device]) {
      json.begin_array().value(name).value(memory.calls[name]);
      json.value(size(figures[kTotalIncrease])).value(size(figures[kSelfIncrease]));
      json.value(count(figures[kTotalAllocations])).value(count(figures[kSelfAllocations]));
      json.value(size(figures[kTotalAllocated])).value(size(figures[kSelfAllocated]));
      json.end_array();
    }
    json.end_array();
  }
  json.end_object().end_object();
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
