#include "strobe/tensorboard/distributed_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "strobe/base/json_value.h"
#include "strobe/tensorboard/devices.h"
#include "strobe/tensorboard/file_name.h"

namespace strobe::tensorboard {
namespace {

void write_device(JsonWriter& json, const DeviceInfo& info) {
  json.begin_object();
  if (info.name) json.member("Name", *info.name);
  if (info.memory) json.member("Memory", *info.memory);
  if (info.memory_raw) json.member("Memory Raw", *info.memory_raw);
  if (info.compute_capability) json.member("Compute Capability", *info.compute_capability);
  json.end_object();
}

// Processes that used devices: their numbers, if the trace describes them.
std::set<std::size_t> used_devices(const Profile& profile) {
  std::set<std::size_t> devices;
  for (const std::string& pid : profile.links.device_pids) {
    std::size_t device = 0;
    const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), device);
    const bool is_number = error == std::errc() && end == pid.data() + pid.size();
    if (is_number && device < profile.events.device_properties->size()) devices.insert(device);
  }
  return devices;
}

}  // namespace

Answer answer_device_info(const SpanCommunication& span) {
  std::map<std::string, std::map<std::string, const Profile*>> nodes;  // then by process
  std::size_t unnumbered = 0;
  for (const WorkerCommunication& worker : span.workers) {
    const auto& properties = worker.profile->events.device_properties;
    if (!properties || properties->empty()) continue;
    const auto name = split_worker_name(worker.worker);
    if (name) {
      nodes[name->node][name->process] = worker.profile;
    } else {
      nodes[worker.worker][std::to_string(unnumbered++)] = worker.profile;
    }
  }
  if (nodes.empty()) return no_data();

  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  json.key("metadata").begin_object().member("title", "Device Information").end_object();
  json.key("data").begin_object();
  for (const auto& [node, processes] : nodes) {
    json.key(node).begin_object();
    for (const auto& [process, profile] : processes) {
      json.key("Process " + process).begin_object();
      for (const std::size_t device : used_devices(*profile)) {
        json.key(std::string(device_word(profile->device_kind)) + std::to_string(device));
        const DeviceProperties& properties = (*profile->events.device_properties)[device];
        write_device(json, describe_device(properties, profile->rules()));
      }
      json.end_object();
    }
    json.end_object();
  }
  json.end_object().end_object();
  return json_answer(std::move(body));
}

namespace {

template <std::size_t kSize>
using Parts = std::array<Number, kSize>;

// For each step and worker, and for all steps together.
template <std::size_t kSize>
class StepTable {
 public:
  void add(const std::string& step, const WorkerCommunication& worker, const Parts<kSize>& parts) {
    steps_[step][worker.worker] = parts;
    Average& average = averages_[worker.worker];
    average.is_truncated = worker.profile->rules().truncates_averages;
    ++average.count;
    for (std::size_t i = 0; i < kSize; ++i) average.sum[i] += parts[i];
  }

  Answer answer(std::string_view title, const std::array<std::string_view, kSize>& legends) const {
    std::string body;
    JsonWriter json = answer_writer(body);
    json.begin_object();
    json.key("metadata").begin_object().member("title", title);
    json.key("legends").begin_array();
    for (const std::string_view legend : legends) json.value(legend);
    json.end_array().member("units", "us").end_object();
    json.key("data").begin_object();
    json.key("all").begin_object();
    for (const auto& [worker, average] : averages_) {
      Parts<kSize> parts;
      for (std::size_t i = 0; i < kSize; ++i) parts[i] = average.part(i);
      write(json.key(worker), parts);
    }
    json.end_object();
    for (const auto& [step, workers] : steps_) {
      json.key(step).begin_object();
      for (const auto& [worker, parts] : workers) write(json.key(worker), parts);
      json.end_object();
    }
    json.end_object().end_object();
    return json_answer(std::move(body));
  }

 private:
  struct Average {
    Parts<kSize> sum;
    std::size_t count = 0;
    bool is_truncated = true;

    Number part(std::size_t i) const {
      const Number mean = ratio(sum[i], Number::whole(static_cast<double>(count)));
      return is_truncated ? Number::whole(std::trunc(mean.value)) : mean;
    }
  };

  static void write(JsonWriter& json, const Parts<kSize>& parts) {
    json.begin_array();
    for (const Number part : parts) json.value(part);
    json.end_array();
  }

  std::map<std::string, std::map<std::string, Parts<kSize>>> steps_;
  std::map<std::string, Average> averages_;
};

}  // namespace

Answer answer_overlap(const SpanCommunication& span) {
  StepTable<4> table;
  for (const WorkerCommunication& worker : span.workers) {
    const Profile& profile = *worker.profile;
    for (std::size_t i = 0; i < profile.costs.overlaps.size(); ++i) {
      const StepOverlap& costs = profile.costs.overlaps[i];
      table.add(profile.steps.all[i].name, worker,
                {costs.computation - costs.overlap, costs.overlap,
                 costs.communication - costs.overlap, costs.other});
    }
  }
  return table.answer("Computation/Communication Overview",
                      {"Computation", "Overlapping", "Communication", "Other"});
}

Answer answer_wait_time(const SpanCommunication& span) {
  StepTable<2> table;
  for (const WorkerCommunication& worker : span.workers) {
    std::vector<std::string> order;
    std::map<std::string, CallRanges> steps;
    for (const CommCall& call : worker.calls) {
      const std::string step = call.step.value_or("null");
      if (!steps.contains(step)) order.push_back(step);
      steps[step].add(call);
    }
    for (const std::string& step : order) {
      const Number all = total(merge(steps[step].all));
      const Number transfers = total(merge(steps[step].transfers));
      table.add(step, worker, {transfers, all - transfers});
    }
  }
  return table.answer("Synchronizing/Communication Overview",
                      {"Data Transfer Time", "Synchronizing Time"});
}

namespace {

double element_bytes(std::string_view type, const VariantRules& rules) {
  struct ElementType {
    std::string_view name;
    double bytes = 0;
    bool is_small = false;
  };
  constexpr ElementType kTypes[] = {{"long int", 8, false},     {"float", 4, false},
                                    {"int", 4, false},          {"c10::Half", 2, false},
                                    {"c10::BFloat16", 2, true}, {"unsigned char", 1, true}};
  for (const ElementType& known : kTypes) {
    if (known.name == type && (rules.knows_small_types || !known.is_small)) return known.bytes;
  }
  return 0;
}

Number input_bytes(const Profile& profile, const Event& event) {
  const OperatorArgs& args = profile.events.operators(event);
  if (!args.input_dims.valid() || !args.input_types.valid()) return {};
  JsonWalk types = JsonWalk::elements(profile.events.text(args.input_types));
  Number bytes;
  for_each_element(profile.events.text(args.input_dims), [&](const JsonValue& shape) {
    JsonValue type;
    if (!types.next_element(type) || shape.type != JsonType::kArray) return;
    double elements = 1;
    for_each_element(shape.text, [&](const JsonValue& size) {
      elements *= static_cast<double>(size.as_int64().value_or(0));
    });
    bytes += Number::whole(elements * element_bytes(type.as_string(), profile.rules()));
  });
  return bytes;
}

struct OperationStats {
  std::string_view name;
  std::size_t calls = 0;
  Number bytes;
  CallRanges ranges;
};

std::vector<OperationStats> count_operations(const WorkerCommunication& worker) {
  const Events& events = worker.profile->events;
  std::vector<OperationStats> operations;
  std::map<StringId, std::size_t> places;
  for (const CommCall& call : worker.calls) {
    const Event& event = events[call.event];
    const auto [place, is_new] = places.emplace(event.name, operations.size());
    if (is_new) operations.push_back({events.text(event.name), 0, {}, {}});
    OperationStats& operation = operations[place->second];
    ++operation.calls;
    operation.bytes += input_bytes(*worker.profile, event);
    operation.ranges.add(call);
  }
  return operations;
}

void write_operations(JsonWriter& json, const WorkerCommunication& worker) {
  constexpr std::string_view kColumns[] = {"Calls",
                                           "Total Size (bytes)",
                                           "Avg Size (bytes)",
                                           "Total Latency (us)",
                                           "Avg Latency (us)",
                                           "Data Transfer Time (us)",
                                           "Avg Data Transfer Time (us)"};
  json.begin_object().key("columns").begin_array();
  json.begin_object().member("type", "string").member("name", "Name").end_object();
  for (const std::string_view column : kColumns) {
    json.begin_object().member("type", "number").member("name", column).end_object();
  }
  json.end_array().key("rows").begin_array();
  for (const OperationStats& operation : count_operations(worker)) {
    const Number calls = Number::whole(static_cast<double>(operation.calls));
    json.begin_array().value(operation.name).value(calls);
    for (const Number sum : {operation.bytes, total(merge(operation.ranges.all)),
                             total(merge(operation.ranges.transfers))}) {
      json.value(sum).value(round_to_whole(ratio(sum, calls)));
    }
    json.end_array();
  }
  json.end_array().end_object();
}

}  // namespace

Answer answer_operations(const SpanCommunication& span) {
  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  json.key("metadata").begin_object();
  json.member("title", "Communication Operations Stats").end_object();
  json.key("data").begin_object();
  for (const WorkerCommunication& worker : span.workers) {
    write_operations(json.key(worker.worker), worker);
  }
  json.end_object().end_object();
  return json_answer(std::move(body));
}

namespace {

void sort_by_start(Ranges& ranges) { std::ranges::stable_sort(ranges, starts_before<Range>); }

std::vector<const CommNode*> by_start(const std::vector<CommNode>& nodes) {
  std::vector<const CommNode*> sorted;
  for (const CommNode& node : nodes) sorted.push_back(&node);
  std::ranges::stable_sort(
      sorted, [](const CommNode* a, const CommNode* b) { return starts_before(*a, *b); });
  return sorted;
}

// Finds the step of each call in turn. It stays at a call that is in no step, and moves on only
// when a call starts after the step.
class StepCursor {
 public:
  explicit StepCursor(const std::vector<Step>& steps) : steps_(steps) {}

  std::optional<std::string> step_of(const CommNode& node) {
    for (; next_ < steps_.size(); ++next_) {
      const auto& [name, range] = steps_[next_];
      if (node.start >= range.start && node.end <= range.end) return name;
      if (node.start < range.end) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const std::vector<Step>& steps_;
  std::size_t next_ = 0;
};

bool calls_match(const std::vector<CommCall>& a, const std::vector<CommCall>& b) {
  return std::ranges::equal(a, b, [](const CommCall& x, const CommCall& y) {
    return x.ranges.size() == y.ranges.size();
  });
}

// All workers end a transfer together: the shortest one did not wait.
void find_transfers(std::vector<WorkerCommunication>& workers) {
  const std::size_t calls = workers.front().calls.size();
  for (std::size_t call = 0; call < calls; ++call) {
    const std::size_t ranges = workers.front().calls[call].ranges.size();
    for (std::size_t i = 0; i < ranges; ++i) {
      const auto length = [&](const WorkerCommunication& worker) {
        const Range& range = worker.calls[call].ranges[i];
        return range.end - range.start;
      };
      Number shortest = length(workers.front());
      for (const WorkerCommunication& worker : workers)
        shortest = smaller(shortest, length(worker));
      for (WorkerCommunication& worker : workers) {
        const Number end = worker.calls[call].ranges[i].end;
        worker.calls[call].transfers.push_back({end - shortest, end});
      }
    }
  }
}

}  // namespace

std::vector<CommCall> list_calls(const Profile& profile) {
  std::vector<CommCall> calls;
  if (profile.links.comm_libraries.size() > 1) return calls;
  StepCursor steps(profile.steps.all);
  for (const CommNode* node : by_start(profile.links.comm_nodes)) {
    CommCall call{node->event, steps.step_of(*node), node->ranges, {}};
    sort_by_start(call.ranges);
    calls.push_back(std::move(call));
  }
  return calls;
}

std::optional<SpanCommunication> join_workers(const Run& run, std::string_view span) {
  SpanCommunication joined;
  for (const WorkerProfile& worker : run.profiles) {
    if (worker.span != span) continue;
    if (std::ranges::count(joined.workers, worker.worker, &WorkerCommunication::worker) > 0) {
      continue;
    }
    if (!worker.profile->has_communication()) return std::nullopt;
    joined.workers.push_back({worker.worker, worker.profile.get(), list_calls(*worker.profile)});
    const auto& calls = joined.workers.back().calls;
    if (calls.empty() || !calls_match(calls, joined.workers.front().calls)) return std::nullopt;
  }
  if (joined.workers.empty()) return std::nullopt;
  std::ranges::sort(joined.workers, {}, &WorkerCommunication::worker);
  find_transfers(joined.workers);
  return joined;
}

}  // namespace strobe::tensorboard
