#include "strobe/readers/dialect.h"

namespace strobe::readers {

const Dialect& choose_dialect(const TraceHead& head) {
  for (const Dialect* dialect : {&kPaddleDialect, &kAscendDialect, &kKinetoDialect,
                                 &kAutogradDialect, &kRocmDialect, &kXlaDialect}) {
    if (dialect->recognises(head)) return *dialect;
  }
  return kChromeDialect;
}

// Any other writer: its categories are unknown, so every slice is a range that was opened in code.
const Dialect kChromeDialect = {
    .traits = {.dialect = "chrome", .runtime_label = "Runtime"},
    .recognises = [](const TraceHead&) { return true; },
    .category_rule = [](std::string_view) -> CategoryRule {
      return {SliceKind::kAnnotation, false};
    },
};

}  // namespace strobe::readers
