#pragma once

#include <string>
#include <utility>
#include <vector>

// What a process is started with, as exec wants it.
namespace strobe {

using Variables = std::vector<std::pair<std::string, std::string>>;

// "name=value" of this process's environment, with these instead of those of the same name; an
// empty value takes one away.
std::vector<std::string> environment_with(const Variables& variables);

// With a null behind the last. They point into the words.
std::vector<char*> pointers_to(std::vector<std::string>& words);

}  // namespace strobe
