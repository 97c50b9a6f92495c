#include "strobe/analysis/waits/script_frames.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "strobe/base/natural_sort.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

// Paths of a framework and of the interpreter's own library; a profiler cuts what is in front of
// them.
constexpr std::array kLibraryFolders = std::to_array<std::string_view>({
    "torch/",        "torch_",         "asyncio/",       "collections/", "concurrent/",
    "ctypes/",       "importlib/",     "json/",          "logging/",     "multiprocessing/",
    "unittest/",     "contextlib.py(", "copy.py(",       "enum.py(",     "functools.py(",
    "inspect.py(",   "pickle.py(",     "queue.py(",      "re.py(",       "runpy.py(",
    "selectors.py(", "socket.py(",     "subprocess.py(", "tempfile.py(", "threading.py(",
    "typing.py(",    "warnings.py(",   "weakref.py(",
});
constexpr std::array kLibraryParts = std::to_array<std::string_view>({
    "site-packages/",
    "dist-packages/",
    "/lib/python",
});

// "file.py(31): name"
bool has_source_line(std::string_view name) {
  const std::size_t close = name.find("): ");
  if (close == std::string_view::npos || close == 0 || name.front() == '<') return false;
  const std::size_t open = name.rfind('(', close);
  if (open == std::string_view::npos || open + 1 == close) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                     name.begin() + static_cast<std::ptrdiff_t>(close), is_digit);
}

bool is_of_library(std::string_view name) {
  return std::any_of(kLibraryFolders.begin(), kLibraryFolders.end(),
                     [&](std::string_view folder) { return name.starts_with(folder); }) ||
         std::any_of(kLibraryParts.begin(), kLibraryParts.end(), [&](std::string_view part) {
           return name.find(part) != std::string_view::npos;
         });
}

// Positions in a sorted list of times. Neighbouring questions have neighbouring answers, so the
// last one is tried before a search.
class NearbySearch {
 public:
  // The first position whose time is above the limit.
  template <class TimeAt>
  std::size_t first_above(std::size_t count, TimeAt time_at, std::int64_t limit_ns) {
    if (!holds(count, time_at, limit_ns, last_)) {
      if (last_ < count && holds(count, time_at, limit_ns, last_ + 1)) {
        ++last_;
      } else {
        last_ = search(count, time_at, limit_ns);
      }
    }
    return last_;
  }

 private:
  template <class TimeAt>
  static bool holds(std::size_t count, TimeAt time_at, std::int64_t limit_ns, std::size_t at) {
    return (at == 0 || time_at(at - 1) <= limit_ns) && (at == count || time_at(at) > limit_ns);
  }
  template <class TimeAt>
  static std::size_t search(std::size_t count, TimeAt time_at, std::int64_t limit_ns) {
    std::size_t low = 0;
    std::size_t high = count;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      (time_at(middle) > limit_ns ? high : low) = time_at(middle) > limit_ns ? middle : middle + 1;
    }
    return low;
  }

  std::size_t last_ = 0;
};

// Calls `use` with the row and the thread of every such slice on a host thread.
template <class IsWanted, class Use>
void for_each_on_threads(const AttributedTrace& input, IsWanted is_wanted, Use use) {
  const auto& slices = input.trace.slices();
  for (const SliceId slice : input.attribution.loose_slices) {
    const std::size_t row = slice.index();
    if (!is_wanted(slices.kinds[row])) continue;
    const std::uint32_t thread = input.tree.threads_of_tracks[slices.tracks[row].index()];
    if (thread != OpTree::kNoThread) use(row, thread);
  }
}

// The best frame so far for each query.
class SourceSearch {
 public:
  SourceSearch(const Trace& trace, const OpTree& tree, const std::vector<SourceQuery>& queries)
      : trace_(trace),
        queries_(queries),
        best_(queries.size()),
        of_threads_(tree.threads.size()),
        searches_(tree.threads.size()),
        place_of_(trace.strings(), &frame_place) {
    std::vector<std::size_t> order(queries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return queries[a].interval.start_ns < queries[b].interval.start_ns;
    });
    for (const std::size_t query : order) {
      if (queries[query].thread != OpTree::kNoThread) {
        of_threads_[queries[query].thread].push_back(query);
      }
    }
  }

  void offer(std::size_t row, std::uint32_t thread) {
    const std::vector<std::size_t>& own = of_threads_[thread];
    if (own.empty()) return;
    const Interval frame = trace_.interval(SliceId(row));
    const auto start_at = [&](std::size_t i) { return queries_[own[i]].interval.start_ns; };
    std::size_t i = searches_[thread].first_above(own.size(), start_at, frame.start_ns - 1);
    for (; i < own.size() && start_at(i) < frame.end_ns; ++i) {
      if (queries_[own[i]].interval.end_ns <= frame.end_ns) judge(row, frame, best_[own[i]]);
    }
  }

  std::vector<std::string> take() const {
    std::vector<std::string> sources(best_.size());
    for (std::size_t i = 0; i < best_.size(); ++i) {
      if (best_[i].place == FramePlace::kNone) continue;
      sources[i] = std::string(trace_.strings()[best_[i].name]);
    }
    return sources;
  }

 private:
  struct Best {
    FramePlace place = FramePlace::kNone;
    Interval interval;
    StringId name;
  };
  void judge(std::size_t row, Interval frame, Best& best) {
    const StringId name = trace_.slices().names[row];
    const FramePlace place = place_of_(name);
    if (place < best.place || place == FramePlace::kNone) return;
    const bool is_inside =
        frame.start_ns > best.interval.start_ns ||
        (frame.start_ns == best.interval.start_ns && frame.end_ns <= best.interval.end_ns);
    if (place > best.place || is_inside) best = {place, frame, name};
  }

  const Trace& trace_;
  const std::vector<SourceQuery>& queries_;
  std::vector<Best> best_;                            // per query
  std::vector<std::vector<std::size_t>> of_threads_;  // queries by start
  std::vector<NearbySearch> searches_;
  OncePerName<FramePlace (*)(std::string_view)> place_of_;
};

}  // namespace

FramePlace frame_place(std::string_view name) {
  if (!has_source_line(name)) return FramePlace::kNone;
  return is_of_library(name) ? FramePlace::kLibrary : FramePlace::kScript;
}

void ThreadFrames::sort() {
  natural_sort(frames_, [](const Frame& a, const Frame& b) {
    return a.interval.start_ns != b.interval.start_ns ? a.interval.start_ns < b.interval.start_ns
                                                      : a.interval.end_ns > b.interval.end_ns;
  });
}

void ThreadFrames::move_to(std::int64_t time_ns) {
  for (; next_ < frames_.size() && frames_[next_].interval.start_ns <= time_ns; ++next_) {
    if (frames_[next_].interval.end_ns > time_ns) open_.push_back(next_);
  }
  while (!open_.empty() && frames_[open_.back()].interval.end_ns <= time_ns) open_.pop_back();
}

ThreadFrames::Answer ThreadFrames::until_next() const {
  Answer answer;
  if (next_ < frames_.size()) answer.until_ns = frames_[next_].interval.start_ns;
  return answer;
}

ThreadFrames::Answer ThreadFrames::at(std::int64_t time_ns) {
  move_to(time_ns);
  Answer answer = until_next();
  if (open_.empty()) return answer;
  const Frame& innermost = frames_[open_.back()];
  answer.name = innermost.name;
  answer.until_ns = std::min(answer.until_ns, innermost.interval.end_ns);
  return answer;
}

namespace {

// Whether slices of a thread meet any of some times.
class MeetingTimes {
 public:
  explicit MeetingTimes(const IntervalSet& times) : times_(times) {}

  bool meet(Interval slice) {
    const auto end_at = [&](std::size_t i) { return times_[i].end_ns; };
    const std::size_t first = search_.first_above(times_.size(), end_at, slice.start_ns);
    return first < times_.size() && times_[first].start_ns < slice.end_ns;
  }

 private:
  const IntervalSet& times_;
  NearbySearch search_;
};

bool shows_as_range(SliceKind role) {
  return role != SliceKind::kOperator && role != SliceKind::kDataLoader && role != SliceKind::kStep;
}

void add_shown_ranges(const AttributedTrace& input, const HostThread& thread,
                      const IntervalSet& times, ThreadFrames& frames) {
  MeetingTimes ranges(times);
  for (std::size_t node = thread.root.index() + 1; node < thread.end.index(); ++node) {
    if (!shows_as_range(input.tree.roles[node])) continue;
    const Interval range = input.trace.interval(input.tree.slices[node]);
    if (ranges.meet(range)) frames.add_range(range);
  }
}

}  // namespace

std::vector<ThreadFrames> find_frames(const AttributedTrace& input,
                                      const std::vector<char>& watched, const IntervalSet& times) {
  const Trace& trace = input.trace;
  const auto& threads = input.tree.threads;
  std::vector<ThreadFrames> frames(threads.size());
  std::vector<MeetingTimes> of_threads(threads.size(), MeetingTimes(times));
  for_each_on_threads(input, is_script_kind, [&](std::size_t row, std::uint32_t thread) {
    if (watched[thread] == 0) return;
    const Interval frame = trace.interval(SliceId(row));
    if (of_threads[thread].meet(frame)) frames[thread].add(frame, trace.slices().names[row]);
  });
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (!frames[t].empty()) add_shown_ranges(input, threads[t], times, frames[t]);
    frames[t].sort();
  }
  return frames;
}

std::vector<std::string> find_sources(const AttributedTrace& input,
                                      const std::vector<SourceQuery>& queries) {
  SourceSearch search(input.trace, input.tree, queries);
  for_each_on_threads(
      input, [](SliceKind kind) { return kind == SliceKind::kPythonCall; },
      [&](std::size_t row, std::uint32_t thread) { search.offer(row, thread); });
  return search.take();
}

}  // namespace strobe::analysis
