#include "strobe/readers/dialect.h"

namespace strobe::readers {
namespace {

// Any other writer: its categories are its own, so slices keep their names and times and stay
// kOther.
CategoryRule category_rule(std::string_view) { return {SliceKind::kOther, false}; }

}  // namespace

const Dialect kChromeDialect = {
    .name = "chrome",
    .traits = {.dialect = "chrome", .runtime_label = "Runtime"},
    .recognises = [](const TraceHead&) { return true; },
    .category_rule = category_rule,
};

}  // namespace strobe::readers
