#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// Sets of time as sorted lists of spans, [first, second).
namespace strobe::recount {

using Span = std::pair<std::int64_t, std::int64_t>;
using Spans = std::vector<Span>;

inline Spans joined(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans result;
  for (const Span& span : spans) {
    if (span.second <= span.first) continue;
    if (!result.empty() && span.first <= result.back().second) {
      result.back().second = std::max(result.back().second, span.second);
    } else {
      result.push_back(span);
    }
  }
  return result;
}

inline std::int64_t length(const Spans& spans) {
  std::int64_t sum = 0;
  for (const Span& span : spans) sum += span.second - span.first;
  return sum;
}

inline Spans both(const Spans& a, const Spans& b) {
  Spans result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t start = std::max(a[i].first, b[j].first);
    const std::int64_t end = std::min(a[i].second, b[j].second);
    if (start < end) result.push_back({start, end});
    (a[i].second < b[j].second ? i : j) += 1;
  }
  return result;
}

inline std::int64_t together_ns(const Spans& a, const Spans& b) { return length(both(a, b)); }

inline Spans without(const Spans& all, const Spans& taken) {
  Spans result;
  std::size_t j = 0;
  for (Span span : all) {
    while (j < taken.size() && taken[j].second <= span.first) ++j;
    for (std::size_t k = j; k < taken.size() && taken[k].first < span.second; ++k) {
      if (taken[k].first > span.first) result.push_back({span.first, taken[k].first});
      span.first = std::max(span.first, taken[k].second);
    }
    if (span.first < span.second) result.push_back(span);
  }
  return result;
}

}  // namespace strobe::recount
