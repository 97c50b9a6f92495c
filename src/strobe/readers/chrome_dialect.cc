#include "strobe/readers/dialect.h"

namespace strobe::readers {
namespace {

// Any other writer: its categories are its own, so every slice is a range that somebody's code
// opened.
CategoryRule category_rule(std::string_view) { return {SliceKind::kAnnotation, false}; }

}  // namespace

const Dialect kChromeDialect = {
    .name = "chrome",
    .traits = {.dialect = "chrome", .runtime_label = "Runtime"},
    .recognises = [](const TraceHead&) { return true; },
    .category_rule = category_rule,
};

}  // namespace strobe::readers
