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

}  // namespace strobe::readers
