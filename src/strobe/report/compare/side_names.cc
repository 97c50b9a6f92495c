#include "strobe/report/compare/side_names.h"

#include <fmt/format.h>

#include "strobe/report/render/display_text.h"

namespace strobe::report {

SideNames side_names(const compare::Comparison& comparison) {
  constexpr std::size_t kMostColumns = 14;  // more would push numbers off the page
  SideNames names = {printable(comparison.normal.label), printable(comparison.abnormal.label)};
  const auto fits = [](const std::string& name) {
    return !name.empty() && columns_of(name) <= kMostColumns;
  };
  if (fits(names.normal) && fits(names.abnormal) && names.normal != names.abnormal) return names;
  return {"before", "after"};
}

std::string both_sides(const SideNames& names) {
  return fmt::format("{} ->\n{}", names.normal, names.abnormal);
}

}  // namespace strobe::report
