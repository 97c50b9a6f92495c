#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Prepares text from a trace for a terminal or a page: names may contain anything, a line has a
// limited width.
namespace strobe::report {

// Characters that a terminal would interpret (control characters, direction overrides, broken
// UTF-8) become visible replacements; tabs and line breaks become spaces. Without unicode,
// everything that is not ASCII is replaced too.
std::string printable(std::string_view text, bool unicode = true);

// "the clock rose" as the start of a line of its own: "The clock rose".
std::string capitalized(std::string text);

// Width of printable text on a terminal: wide East Asian characters two, combining marks none.
std::size_t columns_of(std::string_view text);

// At most `columns` wide, the middle replaced by an ellipsis; the beginning keeps two thirds.
std::string cut_middle(std::string_view text, std::size_t columns, bool unicode = true);

// A name of code in at most `columns`: whole if it fits, else without return type and parameter
// list, else without namespaces, else cut: templates at the end, others in the middle.
std::string fit_name(std::string_view name, std::size_t columns, bool unicode = true);

struct NameToFit {
  std::string_view name;
  std::size_t columns = 0;
};

// fit_name for names in one column: two that would look the same are cut around their difference,
// and numbered if there is none.
std::vector<std::string> fit_names(const std::vector<NameToFit>& names, bool unicode = true);

// Lines of at most `columns`, broken at spaces if possible, but not before a unit.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

}  // namespace strobe::report
