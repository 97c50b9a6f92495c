#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Text from a trace on its way to a terminal or a page: names may hold anything, a line has a
// width.
namespace strobe::report {

// What a terminal would obey instead of show (control characters, direction overrides, broken
// UTF-8) becomes a visible stand-in; tabs and line breaks become spaces. Without unicode, all that
// is not ASCII does too.
std::string printable(std::string_view text, bool unicode = true);

// Terminal columns that printable text takes: wide East Asian characters two, combining marks none.
std::size_t columns_of(std::string_view text);

// At most `columns` wide, the middle replaced by an ellipsis; the beginning keeps two thirds.
std::string cut_middle(std::string_view text, std::size_t columns, bool unicode = true);

// A name of code in at most `columns`: whole if it fits, else without return type and parameter
// list, else without namespaces, else cut: a template behind its beginning, others in the middle.
std::string fit_name(std::string_view name, std::size_t columns, bool unicode = true);

struct NameToFit {
  std::string_view name;
  std::size_t columns = 0;
};

// fit_name for names that stand below each other: two that would look the same are cut around what
// tells them apart, and numbered if nothing does.
std::vector<std::string> fit_names(const std::vector<NameToFit>& names, bool unicode = true);

// Lines of at most `columns`, broken at spaces where there are some, but not before a unit.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

}  // namespace strobe::report
