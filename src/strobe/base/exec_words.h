#pragma once

#include <string>
#include <utility>
#include <vector>

// Arguments and environment of a new process, in the form that exec needs.
namespace strobe {

using Variables = std::vector<std::pair<std::string, std::string>>;

// This process's environment as "name=value", with these variables replaced or added; an empty
// value removes one.
std::vector<std::string> environment_with(const Variables& variables);

// Ends with a null pointer. The pointers refer to the words.
std::vector<char*> pointers_to(std::vector<std::string>& words);

}  // namespace strobe
