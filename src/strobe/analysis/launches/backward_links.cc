#include "strobe/analysis/launches/backward_links.h"

#include <algorithm>
#include <cstdint>

namespace strobe::analysis {
namespace {

struct Forward {
  StringId process;
  std::int64_t sequence_number;
  std::int64_t start_ns;
  SliceId slice;
};

bool is_earlier(const Forward& a, const Forward& b) {
  if (a.process != b.process) return a.process < b.process;
  if (a.sequence_number != b.sequence_number) return a.sequence_number < b.sequence_number;
  return a.start_ns < b.start_ns;
}

}  // namespace

std::vector<BackwardLink> link_backward(const Trace& trace) {
  const SequenceColumns& sequences = trace.sequences();
  std::vector<Forward> forwards;
  for (std::size_t i = 0; i < sequences.slices.size(); ++i) {
    if (sequences.forward_threads[i] != 0) continue;
    const SliceId slice = sequences.slices[i];
    forwards.push_back(
        {trace.track(slice).process, sequences.sequence_numbers[i], trace.start_ns(slice), slice});
  }
  std::stable_sort(forwards.begin(), forwards.end(), is_earlier);

  std::vector<BackwardLink> links;
  for (std::size_t i = 0; i < sequences.slices.size(); ++i) {
    if (sequences.forward_threads[i] == 0) continue;
    const SliceId slice = sequences.slices[i];
    const Forward wanted{trace.track(slice).process, sequences.sequence_numbers[i],
                         trace.start_ns(slice), slice};
    const auto after = std::upper_bound(forwards.begin(), forwards.end(), wanted, is_earlier);
    if (after == forwards.begin()) continue;
    const Forward& found = *(after - 1);
    if (found.process == wanted.process && found.sequence_number == wanted.sequence_number) {
      links.push_back({slice, found.slice});
    }
  }
  return links;
}

}  // namespace strobe::analysis
