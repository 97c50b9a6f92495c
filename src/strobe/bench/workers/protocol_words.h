#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/bench/workers/protocol.h"

// Small parts that requests and replies are written with and read from.
namespace strobe::bench {

std::string_view op_name(WorkerOp op);
std::optional<WorkerOp> parse_op(std::string_view name);

// What a provider is called inside its own stack: torch-inductor is torch's "inductor".
std::string variant_of(std::string_view provider);

std::vector<double> numbers_of(const JsonValue& array);  // nan and infinity as they are
std::vector<std::int64_t> whole_numbers_of(const JsonValue& array);
std::vector<std::string> texts_of(const JsonValue& array);
std::vector<TimeMode> modes_of(const JsonValue& array);

void write_modes(const std::vector<TimeMode>& modes, JsonWriter& json);
void write_texts(const std::vector<std::string>& texts, JsonWriter& json);
inline void write_if(std::string_view name, const std::optional<double>& number, JsonWriter& json) {
  if (number) json.member(name, *number);
}
inline void write_if(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.member(name, text);
}

// One JSON object from end to end, or nothing that can be answered to.
Result<void> check_object(std::string_view line);

}  // namespace strobe::bench
