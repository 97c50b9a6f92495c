#include "tests/support/recount/names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tests/support/recount/meaning.h"

namespace strobe::recount {
namespace {

class NameCounter {
 public:
  NameCounter(const SortedSlices& slices, Tables& tables)
      : slices_(slices), tables_(tables), rows_(slices.all.size()) {
    for (const auto& [key, thread] : slices.threads) {
      for (const std::size_t range : thread.ranges) rows_[range] = row_of(slices[range]);
    }
  }

  void count() {
    for (const auto& [key, thread] : slices_.threads) {
      count_thread(thread);
      find_ranges_around_calls(thread);
    }
    for (const RawSlice& work : slices_.all) {
      if (is_work(work)) count_work(work);
    }
  }

 private:
  struct Border {
    std::int64_t time_ns;
    bool opens;
    std::size_t slice;
    bool is_call;
  };

  // Null if the table has no row for it.
  NameRow* row_of(const RawSlice& range) {
    if (is_operator(range)) return &tables_.operators[range.name];
    if (is_listed_range(range)) return &tables_.ranges[range.name];
    return nullptr;
  }

  std::vector<Border> borders_of(const Thread& thread) const {
    std::vector<Border> borders;
    const auto add = [&](const std::vector<std::size_t>& places, bool is_call) {
      for (const std::size_t i : places) {
        if (slices_[i].end_ns == slices_[i].start_ns) continue;
        borders.push_back({slices_[i].start_ns, true, i, is_call});
        borders.push_back({slices_[i].end_ns, false, i, is_call});
      }
    };
    add(thread.ranges, false);
    add(thread.calls, true);
    std::sort(borders.begin(), borders.end(),
              [](const Border& a, const Border& b) { return a.time_ns < b.time_ns; });
    return borders;
  }

  // Total and self times: from one border to the next, who is open?
  void count_thread(const Thread& thread) {
    for (const std::size_t range : thread.ranges) {
      if (rows_[range] != nullptr) ++rows_[range]->calls;
    }
    // The last one started is the innermost; of those, the one that ends first, then the last.
    using Open = std::tuple<std::int64_t, std::int64_t, std::size_t>;
    std::set<Open> open;
    std::map<NameRow*, int> open_rows;
    int open_calls = 0;
    std::int64_t before_ns = 0;
    for (const Border& border : borders_of(thread)) {
      const std::int64_t passed_ns = border.time_ns - before_ns;
      before_ns = border.time_ns;
      if (passed_ns > 0) {
        for (const auto& [row, times] : open_rows) {
          if (times > 0) row->total_ns += passed_ns;
        }
        if (open_calls == 0 && !open.empty()) {
          if (NameRow* row = rows_[std::get<2>(*open.rbegin())]) row->self_ns += passed_ns;
        }
      }
      if (border.is_call) {
        open_calls += border.opens ? 1 : -1;
        continue;
      }
      const RawSlice& range = slices_[border.slice];
      const Open key{range.start_ns, -range.end_ns, border.slice};
      if (border.opens) {
        open.insert(key);
      } else {
        open.erase(key);
      }
      if (NameRow* row = rows_[border.slice]) open_rows[row] += border.opens ? 1 : -1;
    }
  }

  void sort_outermost_first(std::vector<std::size_t>& ranges) const {
    std::sort(ranges.begin(), ranges.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(slices_[a].start_ns, -slices_[a].end_ns, a) <
             std::tuple(slices_[b].start_ns, -slices_[b].end_ns, b);
    });
  }

  void find_ranges_around_calls(const Thread& thread) {
    std::vector<std::size_t> ranges = thread.ranges;
    sort_outermost_first(ranges);
    std::vector<std::size_t> calls = thread.calls;
    std::sort(calls.begin(), calls.end(), [&](std::size_t a, std::size_t b) {
      return slices_[a].start_ns < slices_[b].start_ns;
    });
    std::vector<std::size_t> open;
    std::size_t next = 0;
    for (const std::size_t call : calls) {
      for (; next < ranges.size() && slices_[ranges[next]].start_ns <= slices_[call].start_ns;
           ++next) {
        open.push_back(ranges[next]);
      }
      std::erase_if(
          open, [&](std::size_t range) { return slices_[range].end_ns < slices_[call].start_ns; });
      for (const std::size_t range : open) {
        if (slices_[range].end_ns >= slices_[call].end_ns) around_calls_[call].push_back(range);
      }
    }
  }

  // The ranges around an operator, itself included, outermost first.
  std::vector<std::size_t> ranges_around(std::size_t op) const {
    std::vector<std::size_t> around;
    const RawSlice& inner = slices_[op];
    for (const std::size_t range : slices_.threads.at(thread_of(inner)).ranges) {
      const RawSlice& outer = slices_[range];
      const bool contains = outer.start_ns <= inner.start_ns && outer.end_ns >= inner.end_ns &&
                            duration_ns(outer) > duration_ns(inner);
      if (range == op || contains) around.push_back(range);
    }
    sort_outermost_first(around);
    return around;
  }

  // The ranges around the launch of a work, outermost first.
  std::vector<std::size_t> ranges_around_launch(const RawSlice& work) {
    if (const auto call = slices_.calls.find(work.correlation); call != slices_.calls.end()) {
      return around_calls_[call->second];
    }
    const auto op = slices_.operators.find(work.external);
    return op == slices_.operators.end() ? std::vector<std::size_t>() : ranges_around(op->second);
  }

  void count_work(const RawSlice& work) {
    std::set<NameRow*> counted;
    const RawSlice* inner = nullptr;
    const RawSlice* outer = nullptr;
    for (const std::size_t range : ranges_around_launch(work)) {
      NameRow* row = rows_[range];
      if (row != nullptr && counted.insert(row).second) row->device_ns += duration_ns(work);
      if (!is_operator(slices_[range])) continue;
      if (outer == nullptr) outer = &slices_[range];
      inner = &slices_[range];
    }
    if (inner != nullptr) tables_.operators[inner->name].self_device_ns += duration_ns(work);
    if (what_is(work) != What::kKernel) return;
    KernelRow& kernel = tables_.kernels[work.name];
    ++kernel.calls;
    kernel.total_ns += duration_ns(work);
    const bool has_outer = outer != nullptr && outer->name != inner->name;
    kernel.launched_ns[{inner == nullptr ? "" : inner->name, has_outer ? outer->name : ""}] +=
        duration_ns(work);
  }

  const SortedSlices& slices_;
  Tables& tables_;
  std::vector<NameRow*> rows_;                                    // of ranges; null for others
  std::map<std::size_t, std::vector<std::size_t>> around_calls_;  // outermost first
};

}  // namespace

void count_names(const SortedSlices& slices, Tables& tables) {
  NameCounter(slices, tables).count();
}

}  // namespace strobe::recount
