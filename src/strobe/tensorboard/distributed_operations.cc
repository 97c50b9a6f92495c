#include "strobe/tensorboard/distributed_view.h"

#include <map>

#include "strobe/base/json_value.h"

namespace strobe::tensorboard {
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

}  // namespace strobe::tensorboard
