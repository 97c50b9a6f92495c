#include "strobe/tensorboard/events.h"

#include "strobe/base/json_value.h"

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

}  // namespace strobe::tensorboard
