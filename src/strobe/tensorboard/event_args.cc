#include "strobe/tensorboard/event_args.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strobe/base/json_text.h"

namespace strobe::tensorboard {
namespace {

constexpr std::pair<std::string_view, Arg> kArgs[] = {
    {"external id", Arg::kExternalIdOld},
    {"External id", Arg::kExternalId},
    {"correlation", Arg::kCorrelation},
    {"est. achieved occupancy %", Arg::kOccupancy},
    {"blocks per SM", Arg::kBlocksPerSm},
    {"grid", Arg::kGrid},
    {"block", Arg::kBlock},
    {"registers per thread", Arg::kRegisters},
    {"shared memory", Arg::kSharedMemory},
    {"device", Arg::kDevice},
    {"dim", Arg::kDim},
    {"dimx", Arg::kDimX},
    {"dimy", Arg::kDimY},
    {"dimz", Arg::kDimZ},
    {"kernel type", Arg::kKernelType},
    {"tasktopo", Arg::kTopology},
    {"tasktopo_node", Arg::kTopologyNode},
    {"Call stack", Arg::kCallStack},
    {"Input type", Arg::kInputType},
    {"Input Dims", Arg::kInputDims},
    {"Input dims", Arg::kInputDimsOld},
    {"Device Type", Arg::kDeviceType},
    {"Device Id", Arg::kDeviceId},
    {"Bytes", Arg::kBytes},
    {"Addr", Arg::kAddress},
    {"Total Allocated", Arg::kTotalAllocated},
    {"Total Reserved", Arg::kTotalReserved},
    {"Python id", Arg::kPythonId},
    {"Python parent id", Arg::kPythonParentId},
    {"Python module id", Arg::kPythonModuleId},
};
static_assert(std::size(kArgs) == kArgCount);

std::optional<Arg> find_arg(std::string_view key) {
  for (const auto& [name, arg] : kArgs) {
    if (name.size() == key.size() && name == key) return arg;
  }
  return std::nullopt;
}

// A string keeps its quotes, so that the kinds stay apart.
StringId keep_json(const JsonValue& value, Events& events) {
  if (!value.present()) return {};
  if (value.type != JsonType::kString) return events.texts.intern(value.text);
  return events.texts.intern({value.text.data() - 1, value.text.size() + 2});
}

std::uint32_t keep_task_args(const ArgValues& args, Events& events) {
  const TaskArgs row{.dim = keep_json(args[Arg::kDim], events),
                     .dim_x = keep_json(args[Arg::kDimX], events),
                     .dim_y = keep_json(args[Arg::kDimY], events),
                     .dim_z = keep_json(args[Arg::kDimZ], events),
                     .kernel_type = keep_json(args[Arg::kKernelType], events),
                     .topology = keep_json(args[Arg::kTopology], events),
                     .topology_node = keep_json(args[Arg::kTopologyNode], events)};
  if (!row.dim.valid() && !row.dim_x.valid() && !row.dim_y.valid() && !row.dim_z.valid() &&
      !row.kernel_type.valid() && !row.topology.valid() && !row.topology_node.valid()) {
    return Event::kNoDetails;
  }
  events.task_args.push_back(row);
  return static_cast<std::uint32_t>(events.task_args.size() - 1);
}

std::uint32_t keep_kernel_args(const ArgValues& args, Events& events) {
  KernelArgs row;
  row.occupancy_percent = as_number(args[Arg::kOccupancy]);
  row.blocks_per_sm = as_number(args[Arg::kBlocksPerSm]);
  row.device = as_whole(args[Arg::kDevice]);
  row.grid = keep_json(args[Arg::kGrid], events);
  row.block = keep_json(args[Arg::kBlock], events);
  row.registers = keep_json(args[Arg::kRegisters], events);
  row.shared_memory = keep_json(args[Arg::kSharedMemory], events);
  row.task_row = keep_task_args(args, events);
  events.kernel_args.push_back(row);
  return static_cast<std::uint32_t>(events.kernel_args.size() - 1);
}

std::uint32_t keep_operator_args(const ArgValues& args, Events& events) {
  OperatorArgs row;
  const JsonValue stack = args[Arg::kCallStack];
  if (stack.type == JsonType::kString && !stack.text.empty()) {
    row.call_stack = events.texts.intern(decoded(stack));
  }
  row.input_types = keep_json(args[Arg::kInputType], events);
  const JsonValue dims = args[Arg::kInputDims];
  row.input_dims = keep_json(dims.present() ? dims : args[Arg::kInputDimsOld], events);
  if (!row.call_stack.valid() && !row.input_types.valid() && !row.input_dims.valid()) {
    return Event::kNoDetails;
  }
  events.operator_args.push_back(row);
  return static_cast<std::uint32_t>(events.operator_args.size() - 1);
}

std::uint32_t keep_memory_args(const ArgValues& args, Events& events) {
  MemoryArgs row;
  row.device_type = as_whole(args[Arg::kDeviceType]).value_or(row.device_type);
  row.device_id = as_whole(args[Arg::kDeviceId]).value_or(row.device_id);
  row.address = as_whole(args[Arg::kAddress]);
  const auto number = [&](Arg arg, double fallback) {
    const std::optional<Number> given = as_number(args[arg]);
    return given ? given->value : fallback;
  };
  row.bytes = number(Arg::kBytes, row.bytes);
  row.total_allocated = number(Arg::kTotalAllocated, row.total_allocated);
  row.total_reserved = number(Arg::kTotalReserved, row.total_reserved);
  events.memory_args.push_back(row);
  return static_cast<std::uint32_t>(events.memory_args.size() - 1);
}

std::uint32_t keep_python_args(const ArgValues& args, Events& events) {
  events.python_args.push_back({.id = as_whole(args[Arg::kPythonId]),
                                .parent_id = as_whole(args[Arg::kPythonParentId]),
                                .module_id = as_whole(args[Arg::kPythonModuleId])});
  return static_cast<std::uint32_t>(events.python_args.size() - 1);
}

}  // namespace

void ArgValues::read(JsonCursor& cursor) {
  clear();
  if (!cursor.begin_object()) {
    cursor.take();
    return;
  }
  std::string_view key;
  while (cursor.next_member(key)) {
    const JsonValue value = cursor.take();
    const std::optional<Arg> arg = find_arg(key);
    if (!arg) continue;
    const std::uint32_t bit = 1u << index(*arg);
    present_ = value.type == JsonType::kNull ? present_ & ~bit : present_ | bit;
    values_[index(*arg)] = value;
  }
}

std::optional<Number> as_number(const JsonValue& value) {
  const std::optional<double> number = value.as_double();
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return Number{*number, value.text.find_first_of(".eE") == std::string_view::npos};
}

std::optional<std::int64_t> as_whole(const JsonValue& value) { return value.unquoted().as_int64(); }

Link as_link(const JsonValue& value) { return as_whole(value).value_or(kNoLink); }

std::string decoded(const JsonValue& string) {
  return string.text.find('\\') == std::string_view::npos ? std::string(string.text)
                                                          : unescape(string.text);
}

std::uint32_t keep_args(const ArgValues& args, Category category, Events& events) {
  switch (category) {
    case Category::kKernel:
      return keep_kernel_args(args, events);
    case Category::kMemory:
      return keep_memory_args(args, events);
    case Category::kPythonFunction:
      return keep_python_args(args, events);
    case Category::kCpuOp:
    case Category::kOperator:
    case Category::kPython:
    case Category::kUserAnnotation:
    case Category::kGpuUserAnnotation:
    case Category::kMluUserAnnotation:
      return keep_operator_args(args, events);
    default:
      return Event::kNoDetails;
  }
}

}  // namespace strobe::tensorboard
