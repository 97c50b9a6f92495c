#include "strobe/readers/recording/step_ranges.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "strobe/base/row_index.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kStepWords[] = {"step", "iteration", "iter"};

}  // namespace

std::string_view step_word(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return {};
  const std::size_t end = name.substr(0, digits).find_last_not_of(" _#:") + 1;
  const auto word = std::ranges::find(kStepWords, lower_case(name.substr(0, end)));
  return word == std::end(kStepWords) ? std::string_view() : *word;
}

void mark_steps(TraceBuilder& builder, std::size_t first) {
  OncePerName words(builder.strings(), step_word);
  std::string_view outermost;
  std::int64_t earliest_ns = std::numeric_limits<std::int64_t>::max();
  std::vector<std::size_t> counting;
  for (std::size_t row = first; row < builder.slice_count(); ++row) {
    const SliceKind kind = builder.slice(SliceColumn::kKinds, row);
    if (kind == SliceKind::kStep) return;  // its profiler has marked them
    if (kind != SliceKind::kAnnotation) continue;
    const std::string_view word = words(builder.slice(SliceColumn::kNames, row));
    if (word.empty()) continue;
    counting.push_back(row);
    const std::int64_t start_ns = builder.slice(SliceColumn::kStarts, row);
    if (start_ns >= earliest_ns) continue;
    earliest_ns = start_ns;
    outermost = word;
  }
  if (counting.empty()) return;
  std::size_t next = 0;
  builder.change_slices(SliceColumn::kKinds, counting.front(), counting.back() + 1,
                        [&](std::size_t row, SliceKind& kind) {
                          if (row != counting[next]) return;
                          ++next;
                          if (words(builder.slice(SliceColumn::kNames, row)) == outermost)
                            kind = SliceKind::kStep;
                        });
}

}  // namespace strobe::readers
