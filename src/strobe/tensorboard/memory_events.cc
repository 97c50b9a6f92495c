#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "strobe/tensorboard/memory_question.h"

namespace strobe::tensorboard {
namespace {

struct Lifetime {
  const MemoryRecord* allocation = nullptr;  // at least one of the two
  const MemoryRecord* release = nullptr;
};

// Addresses in the order in which they came; a value may be replaced, an address closed.
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
  // Almost everybody allocates through aten::empty: who called it says more.
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

void write_unit_column(JsonWriter& json, std::string_view name, std::string_view unit) {
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
  write_unit_column(json, "Operator", "");
  write_unit_column(json, "Size", asked.memory.name);
  for (const std::string_view name : {"Allocation Time", "Release Time", "Duration"}) {
    write_unit_column(json, name, asked.time.name);
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

}  // namespace strobe::tensorboard
