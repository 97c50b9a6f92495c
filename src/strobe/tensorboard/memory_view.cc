#include "strobe/tensorboard/memory_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace strobe::tensorboard {
namespace {

struct NamedUnit {
  std::string_view asked;
  MetricUnit unit;
};

constexpr std::array<NamedUnit, 3> kTimeUnits = {{
    {"us", {"us", 1.0}},
    {"ms", {"ms", 1.0 / 1000}},
    {"s", {"s", 1.0 / 1000000}},
}};

constexpr double kPerKiB = 1.0 / 1024;
constexpr std::array<NamedUnit, 8> kMemoryUnits = {{
    {"", {"B", 1.0}},
    {"B", {"B", 1.0}},
    {"K", {"KB", kPerKiB}},
    {"KB", {"KB", kPerKiB}},
    {"M", {"MB", kPerKiB* kPerKiB}},
    {"MB", {"MB", kPerKiB* kPerKiB}},
    {"G", {"GB", kPerKiB* kPerKiB* kPerKiB}},
    {"GB", {"GB", kPerKiB* kPerKiB* kPerKiB}},
}};

template <class Units>
std::optional<MetricUnit> find_unit(const Units& units, std::string_view name) {
  for (const NamedUnit& known : units) {
    if (known.asked == name) return known.unit;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MetricUnit> time_unit(std::string_view name) { return find_unit(kTimeUnits, name); }

std::optional<MetricUnit> memory_unit(std::string_view name) {
  return find_unit(kMemoryUnits, name);
}

namespace {

std::string_view given_or(const Question& question, std::string_view name,
                          std::string_view otherwise) {
  const auto found = question.parameters.find(name);
  return found == question.parameters.end() ? otherwise : std::string_view(found->second);
}

// False if it is given and not a whole number.
bool read_ts(const Question& question, std::string_view name, std::optional<Number>& ts) {
  const std::string_view text = given_or(question, name, "");
  if (text.empty()) return true;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  ts = Number::whole(static_cast<double>(value));
  return true;
}

}  // namespace

std::variant<MemoryQuestion, Answer> read_memory_question(const Question& question,
                                                          std::string_view default_memory_unit) {
  MemoryQuestion asked;
  if (!read_ts(question, "start_ts", asked.start_ts) ||
      !read_ts(question, "end_ts", asked.end_ts)) {
    return refused(400, "start_ts and end_ts are whole microseconds");
  }
  const auto time = time_unit(given_or(question, "time_metric", "ms"));
  if (!time) return refused(400, "time_metric is us, ms or s");
  const auto memory = memory_unit(given_or(question, "memory_metric", default_memory_unit));
  if (!memory) return refused(400, "memory_metric is B, KB, MB or GB");
  if (!question.profile.has_memory()) return refused(404, "this trace has no memory events");
  asked.time = *time;
  asked.memory = *memory;
  return asked;
}

namespace {

struct Lifetime {
  const MemoryRecord* allocation = nullptr;  // at least one of the two
  const MemoryRecord* release = nullptr;
};

// Addresses in the order of appearance; a value may be replaced, an address closed.
class OpenAddresses {
 public:
  void set(std::int64_t address, const MemoryRecord& record) {
    const auto [place, is_new] = places_.emplace(address, records_.size());
    if (is_new) {
      records_.push_back(&record);
    } else {
      records_[place->second] = &record;
    }
  }

  // Null if it is not there.
  const MemoryRecord* take(std::int64_t address) {
    const auto place = places_.find(address);
    if (place == places_.end()) return nullptr;
    const MemoryRecord* record = std::exchange(records_[place->second], nullptr);
    places_.erase(place);
    return record;
  }

  template <class Function>
  void for_each(Function&& f) const {
    for (const MemoryRecord* record : records_) {
      if (record != nullptr) f(*record);
    }
  }

 private:
  std::vector<const MemoryRecord*> records_;  // null: closed
  std::unordered_map<std::int64_t, std::size_t> places_;
};

using LifetimesByDevice = std::map<std::string, std::vector<Lifetime>>;

LifetimesByDevice find_lifetimes(const Profile& profile, const MemoryQuestion& asked) {
  LifetimesByDevice lifetimes;
  const auto add = [&](const MemoryRecord& of_device, Lifetime lifetime) {
    lifetimes[any_memory_device(of_device.args, profile.rules())].push_back(lifetime);
  };
  OpenAddresses allocations;
  OpenAddresses releases;
  for (const MemoryRecord& record : profile.memory.all) {
    if (!record.args.address || !asked.includes(record.ts)) continue;
    const std::int64_t address = *record.args.address;
    if (record.is_allocation()) {
      allocations.set(address, record);
    } else if (const MemoryRecord* allocation = allocations.take(address)) {
      add(*allocation, {allocation, &record});
    } else {
      releases.set(address, record);
    }
  }
  allocations.for_each([&](const MemoryRecord& record) { add(record, {&record, nullptr}); });
  releases.for_each([&](const MemoryRecord& record) { add(record, {nullptr, &record}); });
  return lifetimes;
}

std::string operator_of(const MemoryRecord& record, const Events& events) {
  if (!record.op_name.valid()) return "<unknown>";
  std::string name(events.text(record.op_name));
  // Almost all allocations go through aten::empty: its caller is more informative.
  if (name.starts_with("aten::empty") && record.parent_name.valid()) {
    return std::string(events.text(record.parent_name)) + " (" + name + ")";
  }
  return name;
}

class LifetimeWriter {
 public:
  LifetimeWriter(JsonWriter& json, const Profile& profile, const MemoryQuestion& asked)
      : json_(json), profile_(profile), asked_(asked), first_ts_(profile.events.first_ts()) {}

  void write(const Lifetime& lifetime) {
    const auto& [allocation, release] = lifetime;
    const double bytes = release != nullptr ? 0 - release->args.bytes : allocation->args.bytes;
    json_.begin_array();
    json_.value(operator_of(allocation != nullptr ? *allocation : *release, profile_.events));
    json_.value(round_significant(asked_.show_bytes(bytes)));
    write_time(allocation);
    write_time(release);
    if (allocation != nullptr && release != nullptr) {
      json_.value(round_significant(asked_.show_time(release->ts - allocation->ts)));
    } else {
      json_.null();
    }
    json_.end_array();
  }

 private:
  void write_time(const MemoryRecord* record) {
    if (record == nullptr) {
      json_.null();
    } else {
      json_.value(round_significant(asked_.show_time(record->ts - first_ts_)));
    }
  }

  JsonWriter& json_;
  const Profile& profile_;
  const MemoryQuestion& asked_;
  Number first_ts_;
};

void write_event_column(JsonWriter& json, std::string_view name, std::string_view unit) {
  std::string title(name);
  if (!unit.empty()) title.append(" (").append(unit).append(")");
  json.begin_object().member("name", title);
  json.member("type", unit.empty() ? "string" : "number").member("tooltip", "").end_object();
}

}  // namespace

Answer answer_memory_events(const Question& question) {
  const auto asked_or_refused = read_memory_question(question, "KB");
  if (const auto* refusal = std::get_if<Answer>(&asked_or_refused)) return *refusal;
  const auto& asked = std::get<MemoryQuestion>(asked_or_refused);
  const LifetimesByDevice lifetimes = find_lifetimes(question.profile, asked);
  std::vector<std::string> devices;
  for (const auto& [device, rows] : lifetimes) devices.push_back(device);

  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  json.key("metadata").begin_object();
  json.member("title", "Memory Events");
  json.member("default_device", default_memory_device(devices, question.profile.rules()));
  json.end_object();
  json.key("columns").begin_array();
  write_event_column(json, "Operator", "");
  write_event_column(json, "Size", asked.memory.name);
  for (const std::string_view name : {"Allocation Time", "Release Time", "Duration"}) {
    write_event_column(json, name, asked.time.name);
  }
  json.end_array();
  json.key("rows").begin_object();
  LifetimeWriter writer(json, question.profile, asked);
  for (const auto& [device, rows] : lifetimes) {
    json.key(device).begin_array();
    for (const Lifetime& row : rows) writer.write(row);
    json.end_array();
  }
  json.end_object().end_object();
  return json_answer(std::move(body));
}

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

constexpr Column kMemoryColumns[] = {
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
constexpr const Column& kSortColumn = kMemoryColumns[3];

std::string title(const Column& column, std::string_view unit) {
  std::string text(column.name);
  if (column.has_unit) text.append(" (").append(unit).append(")");
  return text;
}

void write_memory_columns(JsonWriter& json, std::string_view unit) {
  json.begin_array();
  for (const Column& column : kMemoryColumns) {
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
  write_memory_columns(json.key("columns"), asked.memory.name);
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
