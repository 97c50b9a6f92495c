#include "strobe/analysis/timeline/search.h"

#include <algorithm>
#include <cstdint>

namespace strobe::analysis {
namespace {

class MatchedNames {
 public:
  MatchedNames(const StringPool& strings, const NameFilter& matches)
      : strings_(strings), matches_(matches), answers_(strings.size(), Answer::kNotAsked) {}

  bool has(StringId name) {
    Answer& answer = answers_[name.index()];
    if (answer == Answer::kNotAsked) answer = matches_(strings_[name]) ? Answer::kYes : Answer::kNo;
    return answer == Answer::kYes;
  }

 private:
  enum class Answer : std::uint8_t { kNotAsked, kYes, kNo };
  const StringPool& strings_;
  const NameFilter& matches_;
  std::vector<Answer> answers_;
};

}  // namespace

SearchAnswer search_slices(const Trace& trace, const NameFilter& matches, SearchPage page) {
  MatchedNames names(trace.strings(), matches);
  const auto& slices = trace.slices();
  std::vector<SliceId> found;
  SearchAnswer answer;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!names.has(slices.names[row])) continue;
    found.push_back(SliceId(row));
    answer.total_ns += slices.durations_ns[row];
  }
  answer.total = found.size();
  const auto comes_before = [&](SliceId a, SliceId b) {
    const std::int64_t a_ns = trace.start_ns(a);
    const std::int64_t b_ns = trace.start_ns(b);
    return a_ns != b_ns ? a_ns < b_ns : a < b;
  };
  const std::size_t offset = std::min(page.offset, found.size());
  const auto begin = found.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(page.limit, found.size() - offset));
  std::nth_element(found.begin(), begin, found.end(), comes_before);
  std::partial_sort(begin, end, found.end(), comes_before);
  answer.slices.assign(begin, end);
  return answer;
}

}  // namespace strobe::analysis
