#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strobe::readers {

// The name of a range of the program. PyTorch puts what it knows about an operator into it:
// "aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]".
struct RecordedName {
  std::string_view plain;  // "aten::mm"
  bool is_operator = false;
  std::optional<std::int64_t> sequence_number;  // joins an operator with its backward
  bool sequence_is_payload = false;             // "seq = payload": the range has it beside its name
  std::optional<std::int64_t> operator_id;
  std::string_view sizes;      // of its inputs, a JSON array
  std::string_view input_ids;  // "[(12,0), (3,1)]": the operators that made its inputs
};

RecordedName parse_recorded_name(std::string_view text);

// The category of a call into the vendor's libraries: "cuda_runtime", "cuda_driver".
std::string_view category_of_call(std::string_view name);

}  // namespace strobe::readers
