#include "strobe/cli/view_rows.h"

#include <vector>

#include <fmt/format.h>

#include "strobe/base/json_value.h"
#include "strobe/cli/suggestion.h"

namespace strobe::cli {

Result<std::string> rows_of_device(std::string_view answer, const std::string& device) {
  const JsonValue rows = find(answer, "rows");
  if (rows.type != JsonType::kObject) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "this view has no rows by device",
                 .where = "--device",
                 .hint = "memory, memory_curve and memory_events have"};
  }
  std::vector<std::string_view> devices;
  JsonValue chosen;
  for_each_member(rows.text, [&](std::string_view name, const JsonValue& value) {
    devices.push_back(name);
    if (name == device) chosen = value;
  });
  if (!chosen.present()) {
    if (!devices.empty()) return not_one_of("--device", device, devices);
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "no device has any rows",
                 .where = "--device",
                 .hint = ""};
  }
  const auto begin = static_cast<std::size_t>(rows.text.data() - answer.data());
  return fmt::format("{}{{\"{}\": {}}}{}", answer.substr(0, begin), device, chosen.text,
                     answer.substr(begin + rows.text.size()));
}

}  // namespace strobe::cli
