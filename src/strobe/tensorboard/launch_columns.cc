#include "strobe/tensorboard/launch_columns.h"

#include "strobe/base/json_value.h"

namespace strobe::tensorboard {
namespace {

using Cell = std::optional<std::string>;

const TaskArgs& task(const KernelArgs& args, const Events& events) {
  static const TaskArgs kNone;
  return args.task_row == Event::kNoDetails ? kNone : events.task_args[args.task_row];
}

std::string repr_of(StringId json, const Events& events) {
  return json.valid() ? repr(events.text(json)) : "None";
}

// A text without its quotes.
std::string text_of(StringId json, const Events& events) {
  if (!json.valid()) return "None";
  const JsonValue value = parse_value(events.text(json));
  return value.type == JsonType::kString ? value.as_string() : repr(events.text(json));
}

// "0" for what Python takes for false.
std::string text_or_zero(StringId json, const Events& events) {
  if (!json.valid()) return "0";
  const std::string text = text_of(json, events);
  return text.empty() || parse_value(events.text(json)).as_double() == 0.0 ? "0" : text;
}

template <StringId KernelArgs::*kArg>
Cell as_repr(const KernelArgs& args, const Events& events) {
  return repr_of(args.*kArg, events);
}

template <StringId KernelArgs::*kArg>
Cell or_zero(const KernelArgs& args, const Events& events) {
  return text_or_zero(args.*kArg, events);
}

template <StringId TaskArgs::*kArg>
Cell task_text(const KernelArgs& args, const Events& events) {
  return text_of(task(args, events).*kArg, events);
}

Cell task_dim(const KernelArgs& args, const Events& events) {
  return repr_of(task(args, events).dim, events);
}

Cell task_dim_or_commas(const KernelArgs& args, const Events& events) {
  const StringId dim = task(args, events).dim;
  return dim.valid() ? repr_of(dim, events) : "[,,,]";
}

Cell task_xyz(const KernelArgs& args, const Events& events) {
  const TaskArgs& of = task(args, events);
  return "[" + repr_of(of.dim_x, events) + ", " + repr_of(of.dim_y, events) + ", " +
         repr_of(of.dim_z, events) + "]";
}

Cell task_type_or_null(const KernelArgs& args, const Events& events) {
  const StringId type = task(args, events).kernel_type;
  return type.valid() ? Cell(text_of(type, events)) : Cell();
}

constexpr LaunchColumn kGrid[] = {
    {"Grid", "string", as_repr<&KernelArgs::grid>},
    {"Block", "string", as_repr<&KernelArgs::block>},
    {"Register Per Thread", "number", or_zero<&KernelArgs::registers>},
    {"Shared Memory", "number", or_zero<&KernelArgs::shared_memory>},
};
constexpr LaunchColumn kDimAndType[] = {
    {"DimXYZ", "string", task_dim},
    {"Kernel Type", "string", task_type_or_null},
    {"", "", task_text<&TaskArgs::topology>},
    {"", "", task_text<&TaskArgs::topology_node>},
};
constexpr LaunchColumn kTaskXyz[] = {
    {"Kernel Type", "string", task_text<&TaskArgs::kernel_type>},
    {"Dim", "string", task_xyz},
    {"Tasktopo", "string", task_text<&TaskArgs::topology>},
    {"Tasktopo_node", "string", task_text<&TaskArgs::topology_node>},
};
constexpr LaunchColumn kTaskDim[] = {
    {"Kernel Type", "string", task_text<&TaskArgs::kernel_type>},
    {"Dim", "string", task_dim_or_commas},
    {"Tasktopo", "string", task_text<&TaskArgs::topology>},
    {"Tasktopo_node", "string", task_text<&TaskArgs::topology_node>},
};

}  // namespace

std::span<const LaunchColumn> launch_columns(const VariantRules& rules, DeviceKind kind) {
  if (kind != DeviceKind::kMlu) return kGrid;
  switch (rules.mlu_launches) {
    case LaunchLayout::kGrid:
      return kGrid;
    case LaunchLayout::kDimAndType:
      return kDimAndType;
    case LaunchLayout::kTaskXyz:
      return kTaskXyz;
    case LaunchLayout::kTaskDim:
      return kTaskDim;
  }
  return kGrid;
}

}  // namespace strobe::tensorboard
