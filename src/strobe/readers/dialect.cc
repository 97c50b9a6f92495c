#include "strobe/readers/dialect.h"

#include <algorithm>

namespace strobe::readers {

std::span<const Dialect* const> dialects() {
  static constexpr const Dialect* kAll[] = {&kPaddleDialect, &kKinetoDialect, &kChromeDialect};
  return kAll;
}

const Dialect& choose_dialect(const TraceHead& head) {
  const auto all = dialects();
  return **std::find_if(all.begin(), all.end() - 1,
                        [&](const Dialect* dialect) { return dialect->recognises(head); });
}

// Any other writer: its categories are unknown, so every slice is a range that was opened in code.
const Dialect kChromeDialect = {
    .name = "chrome",
    .traits = {.dialect = "chrome", .runtime_label = "Runtime"},
    .recognises = [](const TraceHead&) { return true; },
    .category_rule = [](std::string_view) -> CategoryRule {
      return {SliceKind::kAnnotation, false};
    },
};

}  // namespace strobe::readers
