#pragma once

#include <string>
#include <string_view>

namespace strobe::compare {

// The name under which two builds know the same function: demangled, without what compilers append
// to clones (".constprop.0", " [clone .part.3]") and without an address at the end.
std::string canonical_name(std::string_view name);

}  // namespace strobe::compare
