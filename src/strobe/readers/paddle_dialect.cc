#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/paddle_order.h"

// Paddle's own profiler. Its names are not escaped and contain their duration, its times were
// rounded, and the order of its file says who launched what.
namespace strobe::readers {
namespace {

constexpr CategoryRow kPaddleCategories[] = {
    {"ProfileStep", {SliceKind::kStep, false}},
    {"Operator", {SliceKind::kOperator, true}},
    {"OperatorInner", {SliceKind::kOperatorPhase, false}},
    {"UserDefined", {SliceKind::kUserRange, false}},
    {"PythonUserDefined", {SliceKind::kAnnotation, false}},
    {"Dataloader", {SliceKind::kDataLoader, false}},
    {"Forward", {SliceKind::kForward, false}},
    {"Backward", {SliceKind::kBackward, false}},
    {"Optimization", {SliceKind::kOptimizer, false}},
    {"Communication", {SliceKind::kCommunication, true}},
    {"PythonOp", {SliceKind::kPythonOp, false}},
    {"DygraphKernelLaunch", {SliceKind::kDynamicLaunch, false}},
    {"StaticKernelLaunch", {SliceKind::kStaticLaunch, false}},
    {"CudaRuntime", {SliceKind::kRuntimeCall, false}},
    {"Kernel", {SliceKind::kKernel, true}},
    {"Memcpy", {SliceKind::kMemcpy, false}},
    {"Memset", {SliceKind::kMemset, false}},
};

// In 2021 PyTorch also wrote `Operator`, `Kernel`, `Memcpy` and `Memset`; only Paddle writes these.
constexpr std::string_view kOwnCategories[] = {
    "ProfileStep",         "OperatorInner",      "PythonUserDefined", "CudaRuntime",
    "DygraphKernelLaunch", "StaticKernelLaunch", "ReservedAllocate",  "ReservedFree",
};

bool is_own_category(const std::string& category) {
  return std::find(std::begin(kOwnCategories), std::end(kOwnCategories), category) !=
         std::end(kOwnCategories);
}

bool is_paddle_head(const TraceHead& head) {
  for (const auto& [key, json] : head.members) {
    if (key == "span_indx" || key == "ExtraInfo") return true;
    if (key == "schemaVersion") return parse_value(json).type == JsonType::kString;
  }
  return std::any_of(head.categories.begin(), head.categories.end(), is_own_category);
}

CategoryRule paddle_category_rule(std::string_view category) {
  const auto entry =
      std::find_if(std::begin(kPaddleCategories), std::end(kPaddleCategories),
                   [&](const CategoryRow& known) { return known.category == category; });
  return entry == std::end(kPaddleCategories) ? CategoryRule{} : entry->rule;
}

NameRule paddle_name_rule(SliceKind kind, std::string_view, std::string_view name) {
  bool communicates = kind == SliceKind::kCommunication;
  bool classic = communicates;
  if (kind == SliceKind::kOperator) {
    communicates = device::is_collective_call(name);
    classic = device::is_collective_operator(name);
  } else if (kind == SliceKind::kKernel) {
    communicates = device::is_any_collective(name);
    classic = device::is_classic_collective(name);
  }
  return {kind, static_cast<std::uint8_t>((communicates ? kCommunicates : kNoFlags) |
                                          (communicates != classic ? kClassicDiffers : kNoFlags))};
}

// Without one trailing `[12.345 us]` or `[1.234 ms]`.
std::string_view plain_name(std::string_view name) {
  if (!name.ends_with(" us]") && !name.ends_with(" ms]")) return name;
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos) return name;
  std::string_view number = name.substr(open + 1, name.size() - open - 5);
  if (number.starts_with('-')) number.remove_prefix(1);
  const auto point = std::find_if_not(number.begin(), number.end(), is_digit);
  if (point == number.begin()) return name;
  const bool is_number = point == number.end() || (*point == '.' && point + 1 != number.end() &&
                                                   std::all_of(point + 1, number.end(), is_digit));
  return is_number ? name.substr(0, open) : name;
}

// Python and native ranges of one thread share its track.
std::string_view plain_thread(std::string_view thread) {
  for (const std::string_view side : {"(Python)", "(C++)"}) {
    if (thread.ends_with(side)) return thread.substr(0, thread.size() - side.size());
  }
  return thread;
}

std::uint64_t address_of(const JsonValue& value) {
  std::uint64_t address = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), address);
  return address;
}

bool paddle_memory_event(std::string_view category, std::string_view, std::string_view args,
                         MemoryEvent& event) {
  if (category == "Allocate") {
    event.action = MemoryAction::kAllocate;
  } else if (category == "Free") {
    event.action = MemoryAction::kFree;
  } else if (category == "ReservedAllocate") {
    event.action = MemoryAction::kReserve;
  } else if (category == "ReservedFree") {
    event.action = MemoryAction::kUnreserve;
  } else {
    return false;
  }
  for_each_member(args, [&](std::string_view key, const JsonValue& value) {
    const auto number = [&](std::int64_t otherwise) {
      return value.unquoted().as_int64().value_or(otherwise);
    };
    if (key == "place") event.place = value.as_string();
    if (key == "addr") event.address = address_of(value);
    if (key == "increase_bytes") event.bytes = number(0);
    if (key == "current_allocated") event.allocated_bytes = number(-1);
    if (key == "current_reserved") event.reserved_bytes = number(-1);
    if (key == "peak_allocated") event.peak_allocated_bytes = number(-1);
    if (key == "peak_reserved") event.peak_reserved_bytes = number(-1);
  });
  return true;
}

void finish_paddle(TraceBuilder& builder, const FileOrder& order, ImportReport&) {
  paddle::restore_times(builder, order);
  paddle::take_owners_from_order(builder, order);
}

TraceTraits traits() {
  TraceTraits traits;
  traits.dialect = "paddle";
  traits.runtime_label = "CudaRuntime";
  return traits;
}

}  // namespace

const Dialect kPaddleDialect = {
    .traits = traits(),
    .recognises = is_paddle_head,
    .category_rule = paddle_category_rule,
    .name_rule = paddle_name_rule,
    .plain_name = plain_name,
    .plain_thread = plain_thread,
    .memory_event = paddle_memory_event,
    .has_relative_times = true,
    .finish = finish_paddle,
};

}  // namespace strobe::readers
