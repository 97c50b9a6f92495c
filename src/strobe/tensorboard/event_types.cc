#include "strobe/tensorboard/event_types.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "strobe/base/json_value.h"
#include "strobe/tensorboard/events.h"

namespace strobe::tensorboard {
namespace {

template <class Row>
const Row& row_or_nothing(const std::vector<Row>& rows, std::uint32_t row) {
  static const Row kNothing{};
  return row == Event::kNoDetails ? kNothing : rows[row];
}

}  // namespace

const KernelArgs& Events::kernel(const Event& event) const {
  return row_or_nothing(kernel_args, event.details);
}
const OperatorArgs& Events::operators(const Event& event) const {
  return row_or_nothing(operator_args, event.details);
}
const MemoryArgs& Events::memory(const Event& event) const {
  return row_or_nothing(memory_args, event.details);
}
const PythonArgs& Events::python(const Event& event) const {
  return row_or_nothing(python_args, event.details);
}

Number Events::first_ts() const { return all.empty() ? Number() : all.front().start(); }

std::string Events::input_shape(const Event& event) const {
  const StringId dims = operators(event).input_dims;
  return dims.valid() ? repr(text(dims)) : "[]";
}

const DeviceProperties* properties_of(const Events& events, std::int64_t device) {
  if (!events.device_properties || device < 0 ||
      static_cast<std::size_t>(device) >= events.device_properties->size()) {
    return nullptr;
  }
  return &(*events.device_properties)[static_cast<std::size_t>(device)];
}

std::optional<std::int64_t> thread_number(std::string_view tid) {
  if (is_quoted(tid))
    return JsonValue{JsonType::kString, tid.substr(1, tid.size() - 2)}.unquoted().as_int64();
  return parse_value(tid).as_int64();
}

namespace {

constexpr std::string_view kLightningProfile = "[pl][profile]";
constexpr std::string_view kLightningModule = "[pl][module]";

class Typist {
 public:
  Typist(Events& events, const ProfileOptions& options) : events_(events), options_(options) {}

  void give_type(Event& event) {
    event.type = type_of(event.category, options_);
    switch (event.type) {
      case EventType::kOperator:
      case EventType::kUserAnnotation:
        refine_by_name(event);
        break;
      case EventType::kPythonFunction:
        if (events_.is_lightning) {
          event.type = EventType::kNone;
        } else if (events_.python(event).module_id) {
          event.type = EventType::kModule;
        }
        break;
      default:
        break;
    }
    if (becomes_node(event) && !has_thread(event)) event.type = EventType::kNone;
  }

 private:
  void refine_by_name(Event& event) {
    const std::string_view name = events_.text(event.name);
    if (is_step(name) && step_number(name)) {
      const bool is_copy = is_device_annotation(event.category);
      event.type = is_copy && !options_.device_steps ? EventType::kNone : EventType::kProfilerStep;
    } else if (events_.is_lightning && event.type == EventType::kOperator) {
      refine_lightning(event, name);
    }
  }

  void refine_lightning(Event& event, std::string_view name) {
    if (name.starts_with(kLightningProfile)) {
      event.type = EventType::kLightningProfile;
      event.name = events_.texts.intern(name.substr(kLightningProfile.size()));
    } else if (name.starts_with(kLightningModule)) {
      const std::size_t colon = name.find(": ");
      event.type = EventType::kLightningModule;
      if (colon != std::string_view::npos)
        event.name = events_.texts.intern(name.substr(colon + 2));
    }
  }

  bool becomes_node(const Event& event) const {
    switch (event.type) {
      case EventType::kOperator:
      case EventType::kPython:
      case EventType::kProfilerStep:
      case EventType::kModule:
      case EventType::kLightningModule:
      case EventType::kLightningProfile:
        return true;
      case EventType::kUserAnnotation:
        return comm_library(events_.text(event.name), options_.variant) != CommLibrary::kNone;
      default:
        return false;
    }
  }

  bool has_thread(const Event& event) {
    const auto [known, is_new] = threads_.try_emplace(event.tid, false);
    if (is_new) known->second = thread_number(events_.text(event.tid)).has_value();
    return known->second;
  }

  Events& events_;
  const ProfileOptions& options_;
  std::unordered_map<StringId, bool> threads_;
};

// Starts in the order of their ids' first appearance, each with the last finish of its id.
std::vector<std::pair<Number, Number>> pair_flows(const std::vector<FlowEnd>& flows,
                                                  Variant variant) {
  std::vector<StringId> order;
  std::map<StringId, Number> starts;
  std::map<StringId, Number> finishes;
  for (const FlowEnd& flow : flows) {
    if (flow.is_cambricon && variant != Variant::kMluB) continue;
    if (!flow.is_start) {
      finishes[flow.id] = flow.ts;
    } else if (starts.insert_or_assign(flow.id, flow.ts).second) {
      order.push_back(flow.id);
    }
  }
  std::vector<std::pair<Number, Number>> pairs;
  std::map<double, std::size_t> row_of_start;
  for (const StringId id : order) {
    const auto finish = finishes.find(id);
    if (finish == finishes.end()) continue;
    const Number start = starts[id];
    const auto [row, is_new] = row_of_start.try_emplace(start.value, pairs.size());
    if (is_new) {
      pairs.emplace_back(start, finish->second);
    } else {
      pairs[row->second].second = finish->second;
    }
  }
  return pairs;
}

}  // namespace

std::optional<std::int64_t> step_number(std::string_view name) {
  const std::size_t hash = name.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  return thread_number(name.substr(hash + 1));
}

Variant variant_of(const RawEvents& raw) {
  const Events& events = raw.events;
  bool is_mlu = !events.task_args.empty();
  for (const Event& event : events.all) {
    switch (event.category) {
      case Category::kMluRuntime:
      case Category::kMluMemcpy:
      case Category::kMluMemset:
      case Category::kMluUserAnnotation:
        return Variant::kMluB;  // only this variant knows it
      default:
        is_mlu =
            is_mlu || comm_library(events.text(event.name), Variant::kMluA) == CommLibrary::kCncl;
    }
  }
  for (const DeviceProperties& device :
       events.device_properties.value_or(std::vector<DeviceProperties>())) {
    is_mlu = is_mlu || device.total_memory_mib || device.name.value_or("").starts_with("MLU");
  }
  return is_mlu ? Variant::kMluA : Variant::kGpu;
}

Events settle(RawEvents raw, const ProfileOptions& options) {
  Events events = std::move(raw.events);
  Typist typist(events, options);
  for (Event& event : events.all) typist.give_type(event);
  std::erase_if(events.all, [](const Event& event) { return event.type == EventType::kNone; });
  std::ranges::stable_sort(events.all, {}, &Event::ts_us);
  events.forward_backward = pair_flows(raw.flows, options.variant);
  return events;
}

}  // namespace strobe::tensorboard
