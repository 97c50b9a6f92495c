#pragma once

#include <cstddef>
#include <string_view>

#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// The word of a range that counts steps: "step" of "step 12", "Step_12" or "step #12"; likewise
// "iteration" and "iter". "" for other names.
std::string_view step_word(std::string_view name);

// Makes steps of the ranges from row `first` on that count steps. Where they have several words, as
// steps within iterations have, those with the word of the range that started first.
void mark_steps(TraceBuilder& builder, std::size_t first);

}  // namespace strobe::readers
