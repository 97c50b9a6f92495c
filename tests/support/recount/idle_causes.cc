#include "tests/support/recount/idle_causes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/recount/meaning.h"

namespace strobe::recount {
namespace {

// Overheads of the driver are listed like those of the profiler.
bool is_work_of_the_profiler(const RawSlice& slice) {
  static const std::set<std::string> of_the_driver = {
      "Driver Compiler", "Runtime Triggered Module Loading", "Lazy Function Loading",
      "Command Buffer Full"};
  return (slice.category == "overhead" || slice.category == "Overhead") &&
         !of_the_driver.contains(slice.name);
}

// "file.py(31): name"
bool has_line(const std::string& name) {
  const std::size_t end = name.find("): ");
  if (name.starts_with("<") || end == std::string::npos) return false;
  const std::string before = name.substr(0, end);
  const std::size_t begin = before.rfind('(');
  if (begin == std::string::npos || begin + 1 == before.size()) return false;
  return before.find_first_not_of("0123456789", begin + 1) == std::string::npos;
}

// A line of the script, not of the framework or of another library.
bool is_line_of_script(const RawSlice& frame) {
  static const std::vector<std::string> beginnings = {
      "torch/",        "torch_",         "asyncio/",     "collections/",  "concurrent/",
      "ctypes/",       "importlib/",     "json/",        "logging/",      "multiprocessing/",
      "unittest/",     "contextlib.py(", "copy.py(",     "enum.py(",      "functools.py(",
      "inspect.py(",   "pickle.py(",     "queue.py(",    "re.py(",        "runpy.py(",
      "selectors.py(", "socket.py(",     "tempfile.py(", "threading.py(", "subprocess.py(",
      "typing.py(",    "warnings.py(",   "weakref.py("};
  static const std::vector<std::string> parts = {"site-packages/", "dist-packages/", "/lib/python"};
  const std::string& name = frame.name;
  return has_line(name) &&
         std::none_of(beginnings.begin(), beginnings.end(),
                      [&](const std::string& one) { return name.starts_with(one); }) &&
         std::none_of(parts.begin(), parts.end(),
                      [&](const std::string& one) { return name.find(one) != std::string::npos; });
}

class IdleCounter {
 public:
  IdleCounter(const SortedSlices& slices, const DeviceTimes& times, Tables& tables)
      : slices_(slices), times_(times), causes_ns_(tables.idle_causes_ns) {
    Spans overheads;
    for (const RawSlice& slice : slices.all) {
      if (is_work(slice)) works_.push_back(&slice);
      if (is_work_of_the_profiler(slice)) overheads.push_back(span_of(slice));
    }
    overheads_ = joined(std::move(overheads));
    std::stable_sort(works_.begin(), works_.end(), [](const RawSlice* a, const RawSlice* b) {
      return a->start_ns < b->start_ns;
    });
    for (const RawSlice* work : works_) {
      const RawSlice* launch = slices.launch_of(*work);
      if (launch != nullptr) ++launches_[thread_of(*launch)];
    }
  }

  void count() {
    if (works_.empty()) return;
    causes_ns_["overhead"] = together_ns(times_.idle, overheads_);
    if (slices_.threads.empty()) {
      causes_ns_["nothing"] = length(without(times_.idle, overheads_));
      return;
    }
    hand_out_gaps();
    causes_ns_["launched"] = length(without(joined(std::move(launched_)), overheads_));
    for (auto& [key, time] : to_explain_) {
      Spans nothing =
          explain(without(joined(std::move(time)), overheads_), slices_.threads.at(key));
      const ThreadKey script = script_thread(key.first);
      if (script != key) nothing = explain(std::move(nothing), slices_.threads.at(script));
      causes_ns_["nothing"] += length(nothing);
    }
  }

 private:
  // The higher, the better.
  using Rank = std::tuple<std::int64_t, bool, std::int64_t, std::size_t>;
  ThreadKey best_thread(const std::function<Rank(const ThreadKey&, const Thread&)>& rank_of) const {
    const ThreadKey* best = nullptr;
    Rank highest;
    for (const auto& [key, thread] : slices_.threads) {
      const Rank rank = rank_of(key, thread);
      if (best != nullptr && rank <= highest) continue;
      best = &key;
      highest = rank;
    }
    return *best;
  }

  std::int64_t launches_of(const ThreadKey& key) const {
    const auto launches = launches_.find(key);
    return launches == launches_.end() ? 0 : launches->second;
  }

  // The thread that launches most.
  ThreadKey busiest_thread() const {
    return best_thread([&](const ThreadKey& key, const Thread& thread) {
      return Rank(launches_of(key), false, thread.steps, thread.ranges.size());
    });
  }

  // The thread of a process with most steps, or else its first.
  ThreadKey script_thread(const std::string& process) const {
    return best_thread([&](const ThreadKey& key, const Thread& thread) {
      if (key.first != process) return Rank(-1, false, 0, 0);
      return Rank(thread.steps, key.first == key.second, launches_of(key), thread.ranges.size());
    });
  }

  // The launch of a work; of several that start together, of one whose call is known.
  const RawSlice* launch_at(std::size_t first) const {
    const RawSlice* launch = nullptr;
    for (std::size_t i = first; i < works_.size() && works_[i]->start_ns == works_[first]->start_ns;
         ++i) {
      launch = slices_.launch_of(*works_[i]);
      if (slices_.calls.contains(works_[i]->correlation)) break;
    }
    return launch;
  }

  // Every gap goes to the thread that launched the work at its end; from the launch on, its time is
  // "launched".
  void hand_out_gaps() {
    const ThreadKey busiest = busiest_thread();
    std::int64_t free_ns = times_.span.first;
    for (std::size_t i = 0; i < works_.size(); ++i) {
      const std::int64_t start_ns = works_[i]->start_ns;
      const RawSlice* launch = start_ns > free_ns ? launch_at(i) : nullptr;
      if (start_ns > free_ns && launch == nullptr) {
        to_explain_[busiest].push_back({free_ns, start_ns});
      } else if (start_ns > free_ns) {
        const std::int64_t launched_ns = std::clamp(launch->end_ns, free_ns, start_ns);
        to_explain_[thread_of(*launch)].push_back({free_ns, launched_ns});
        launched_.push_back({launched_ns, start_ns});
      }
      free_ns = std::max(free_ns, works_[i]->end_ns);
    }
    if (free_ns < times_.span.second) {
      to_explain_[busiest].push_back({free_ns, times_.span.second});
    }
  }

  static const char* cause_of(const RawSlice& range) {
    if (phase_of(range) == "data loader") return "data_loading";
    return is_operator(range) ? "operator" : "range";
  }

  // When, of the ranges and the frames of the script that a thread has open, a frame was opened
  // last. Of two that start together, the longer was opened first; of equal ones, the frame.
  Spans times_of_script(const Thread& thread) const {
    struct Item {
      Span span;
      bool is_frame;
    };
    std::vector<Item> items;
    for (const std::size_t i : thread.frames) {
      if (is_line_of_script(slices_[i])) items.push_back({span_of(slices_[i]), true});
    }
    for (const std::size_t i : thread.ranges) {
      if (!is_step(slices_[i]) && cause_of(slices_[i]) == std::string("range")) {
        items.push_back({span_of(slices_[i]), false});
      }
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.span.first, -a.span.second) < std::tuple(b.span.first, -b.span.second);
    });
    std::map<std::int64_t, std::vector<std::size_t>> changes;  // what opens or closes then
    for (std::size_t i = 0; i < items.size(); ++i) {
      changes[items[i].span.first].push_back(i);
      changes[items[i].span.second].push_back(i);
    }
    Spans found;
    std::set<std::size_t> open;
    for (auto change = changes.begin(); change != changes.end(); ++change) {
      for (const std::size_t i : change->second) {
        if (items[i].span.second <= change->first) {
          open.erase(i);
        } else {
          open.insert(i);
        }
      }
      if (open.empty() || !items[*open.rbegin()].is_frame) continue;
      found.push_back({change->first, std::next(change)->first});
    }
    return joined(std::move(found));
  }

  // Counts what a thread did in some time, the first that holds; returns when it did nothing.
  Spans explain(Spans time, const Thread& thread) {
    std::map<std::string, Spans> open;
    for (const std::size_t i : thread.calls) open["runtime_call"].push_back(span_of(slices_[i]));
    for (const std::size_t i : thread.frames) open["script"].push_back(span_of(slices_[i]));
    for (const std::size_t i : thread.ranges) {
      if (!is_step(slices_[i])) open[cause_of(slices_[i])].push_back(span_of(slices_[i]));
    }
    open["range"] = without(joined(std::move(open["range"])), times_of_script(thread));
    for (const char* cause : {"runtime_call", "data_loading", "operator", "range", "script"}) {
      const Spans covered = joined(std::move(open[cause]));
      causes_ns_[cause] += together_ns(time, covered);
      time = without(time, covered);
    }
    return time;
  }

  const SortedSlices& slices_;
  const DeviceTimes& times_;
  std::map<std::string, std::int64_t>& causes_ns_;
  std::vector<const RawSlice*> works_;  // by start
  std::map<ThreadKey, std::int64_t> launches_;
  std::map<ThreadKey, Spans> to_explain_;
  Spans launched_;   // idle time after the launch of the next work
  Spans overheads_;  // in which the profiler did its own work
};

}  // namespace

void count_idle_causes(const SortedSlices& slices, const DeviceTimes& times, Tables& tables) {
  IdleCounter(slices, times, tables).count();
}

}  // namespace strobe::recount
