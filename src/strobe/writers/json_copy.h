#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strobe::writers {

// Arguments that the columns of a trace have as well, as bits.
enum Argument : unsigned {
  kNoArguments = 0,
  kCorrelationArgument = 1,
  kExternalArgument = 2,
  kDeviceArgument = 4,
  kStreamArgument = 8,
  kSequenceArgument = 16,
};

struct CopiedObject {
  char* end = nullptr;  // one past the copy; nullptr: the text is not a JSON object from end to end
  unsigned arguments = kNoArguments;  // which of them are members of the object itself
};

// The room that a copy of `bytes` needs.
constexpr std::size_t room_for_copy(std::size_t bytes) { return bytes + 8; }

// Copies a JSON object without the blanks between its parts, and checks it on the way: what was
// read tolerantly must not be written so. `to` has room_for_copy() of the text.
CopiedObject copy_object(std::string_view json, char* to);

// The same for a text that is no JSON: its members are repaired as copy_json() does it.
std::string repaired_object(std::string_view json);

}  // namespace strobe::writers
