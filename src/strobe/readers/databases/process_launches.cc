#include "strobe/readers/databases/process_launches.h"

#include <algorithm>

namespace strobe::readers {

// Neighbouring rows mostly have the same process. Null if none of its calls was noted.
ProcessLaunches::Span* ProcessLaunches::find(std::uint64_t process) {
  if (latest_span_ != kNone && process == latest_) [[likely]]
    return &spans_[latest_span_];
  const auto found = by_process_.find(process);
  if (found == by_process_.end()) return nullptr;
  latest_ = process;
  latest_span_ = found->second;
  return &spans_[latest_span_];
}

std::uint32_t ProcessLaunches::checked(std::int64_t correlation) {
  if (correlation >= 0 && correlation < kNoLaunchId) [[likely]]
    return static_cast<std::uint32_t>(correlation);
  report_.add(ImportIssue::kWideCorrelation, 0);
  return kNoLaunchId;
}

std::uint32_t ProcessLaunches::note_call(std::uint64_t process, std::int64_t correlation) {
  Span* known = find(process);
  if (known == nullptr) {
    by_process_.emplace(process, spans_.size());
    known = &spans_.emplace_back();
  }
  Span& span = *known;
  if (correlation == 0) return kNoLaunchId;
  const std::uint32_t number = checked(correlation);
  if (number == kNoLaunchId) return kNoLaunchId;
  span.low = std::min(span.low, correlation);
  span.high = std::max(span.high, correlation);
  return number;
}

// The first process keeps its numbers, so that those of most traces are the file's.
void ProcessLaunches::number_processes() {
  std::int64_t next = 0;
  for (Span& span : spans_) {
    if (span.low > span.high) continue;  // none of its calls has one
    span.offset = next == 0 ? 0 : next - span.low;
    next = span.high + span.offset + 1;
  }
}

std::uint32_t ProcessLaunches::of(std::uint64_t process, std::int64_t correlation) {
  if (correlation == 0) return kNoLaunchId;
  const Span* span = find(process);
  if (span == nullptr && process == 0 && spans_.size() == 1) span = &spans_.front();
  if (span == nullptr) return kNoLaunchId;
  // Another process's calls may have what lies outside.
  const bool is_outside = correlation < span->low || correlation > span->high;
  if (is_outside && spans_.size() > 1) return kNoLaunchId;
  return checked(correlation + span->offset);
}

}  // namespace strobe::readers
