#include "tests/support/recount/recount.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>

#include "strobe/device/vendor_names.h"
#include "tests/support/recount/spans.h"

namespace strobe::recount {
namespace {

// What a slice is, from its category and name alone.
enum class What { kRange, kCall, kKernel, kCopy, kFrame, kSync, kProfiler, kProjected, kOther };

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.starts_with(word); });
}

bool is_operator_category(const RawSlice& slice) {
  return slice.category == "cpu_op" || slice.category == "Operator";
}
bool is_step(const RawSlice& slice) {
  return (is_operator_category(slice) || slice.category == "user_annotation") &&
         slice.name.starts_with("ProfilerStep#");
}

std::string letters_of(const std::string& name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
    letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

// The phase of a range according to its name, "" if it is none.
std::string phase_of(const std::string& name) {
  const auto ends_with_any = [&](std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
  };
  if (starts_with_any(name, {"ProfilerStep#", "Optimizer.zero_grad#"})) return "";
  const std::string letters = letters_of(name);
  static const std::set<std::string> loading = {"loadbatch",  "nextbatch",  "getbatch",
                                                "fetchbatch", "dataloader", "dataloading",
                                                "dataload",   "datafetch",  "loaddata"};
  if (starts_with_any(name, {"enumerate(DataLoader)#", "enumerate(DataPipe)#"}) ||
      ends_with_any({"dataloader_next", ".next(data_iter)", "Loop].train_next", "Loop].val_next",
                     "Loop].test_next", "Loop].predict_next"}) ||
      loading.contains(letters)) {
    return "data loader";
  }
  if (letters == "forward" || name.ends_with(".forward")) return "forward";
  if (letters == "backward" || name.ends_with(".backward")) return "backward";
  if (name.starts_with("Optimizer.step#") || letters == "optimizer" || letters == "optimizerstep") {
    return "optimizer";
  }
  return "";
}

bool is_named_range(const RawSlice& slice) {  // of the framework, once written as operators
  return starts_with_any(slice.name, {"ProfilerStep#", "Optimizer.zero_grad#"}) ||
         !phase_of(slice.name).empty();
}
bool is_operator(const RawSlice& slice) {
  return is_operator_category(slice) && !is_named_range(slice);
}
bool is_module(const RawSlice& slice) {
  return (slice.category == "python_function" || slice.category == "PythonFunction") &&
         slice.name.starts_with("nn.Module: ");
}

What what_is(const RawSlice& slice) {
  const std::string& category = slice.category;
  if (is_operator_category(slice) || category == "user_annotation" || is_module(slice)) {
    return What::kRange;
  }
  if (category == "python_function" || category == "PythonFunction") return What::kFrame;
  if (category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime" ||
      category == "runtime") {
    return What::kCall;
  }
  if (category == "kernel" || category == "Kernel" || category == "concurrent_kernel") {
    return What::kKernel;
  }
  if (category.ends_with("_memcpy") || category.ends_with("_memset") || category == "Memcpy" ||
      category == "Memset") {
    return What::kCopy;
  }
  if (category == "Trace" || category == "overhead" || category == "Overhead") {
    return What::kProfiler;
  }
  if (category.ends_with("_user_annotation")) return What::kProjected;
  return category.ends_with("_sync") ? What::kSync : What::kOther;
}

bool is_work(const RawSlice& slice) {
  const What what = what_is(slice);
  return what == What::kKernel || what == What::kCopy;
}

bool communicates_on_host(const RawSlice& slice) {
  if (slice.category == "user_annotation") {
    return starts_with_any(slice.name,
                           {"nccl:", "gloo:", "mpi:", "ucc:", "hccl:", "xccl:", "cncl:"});
  }
  return is_operator(slice) &&
         (slice.name == "record_param_comms" || slice.name.starts_with("c10d::"));
}

Span span_of(const RawSlice& slice) { return {slice.start_ns, slice.end_ns}; }

// ---- one thread ----

using ThreadKey = std::pair<std::string, std::string>;

struct Thread {
  std::vector<std::size_t> ranges;  // slices of the trace
  std::vector<std::size_t> calls;
  std::vector<std::size_t> frames;
  std::int64_t steps = 0;
  std::int64_t launches = 0;
  Spans to_explain;  // idle time that this thread is to explain
};

class Counter {
 public:
  explicit Counter(const RawTrace& trace) : trace_(trace) {
    for (std::size_t i = 0; i < trace.slices.size(); ++i) {
      const RawSlice& slice = slices()[i];
      const What what = what_is(slice);
      if (what == What::kRange) threads_[{slice.process, slice.thread}].ranges.push_back(i);
      if (what == What::kCall) threads_[{slice.process, slice.thread}].calls.push_back(i);
      if (what == What::kCall && slice.correlation > 0) calls_[slice.correlation] = i;
      if (is_operator(slice) && slice.external > 0) operators_[slice.external] = i;
      if (is_step(slice)) ++threads_[{slice.process, slice.thread}].steps;
    }
    for (std::size_t i = 0; i < trace.slices.size(); ++i) {
      const What what = what_is(slices()[i]);
      const auto thread = threads_.find({slices()[i].process, slices()[i].thread});
      if (thread == threads_.end() || (what != What::kFrame && what != What::kOther)) continue;
      thread->second.frames.push_back(i);
    }
  }

  Tables count() {
    tables_.slices = slices().size();
    count_device();
    count_steps();
    for (auto& [key, thread] : threads_) count_thread(thread);
    find_containing_ranges();
    count_works();
    count_calls();
    count_phases();
    count_memory();
    count_idle_causes();
    return tables_;
  }

 private:
  const std::vector<RawSlice>& slices() const { return trace_.slices; }

  NameRow* row_of(std::size_t slice) {
    const RawSlice& range = slices()[slice];
    if (is_operator(range)) return &tables_.operators[range.name];
    if (is_listed_range(range)) return &tables_.ranges[range.name];
    return nullptr;
  }

  static bool is_listed_range(const RawSlice& slice) {
    if (slice.category != "user_annotation" && !is_operator_category(slice)) return false;
    if (is_operator(slice)) return false;
    if (slice.name.starts_with("Optimizer.zero_grad#")) return true;
    if (is_named_range(slice) || communicates_on_host(slice)) return false;
    const std::string letters = letters_of(slice.name);
    return letters.find("memcpy") == std::string::npos &&
           letters.find("memset") == std::string::npos &&
           letters.find("memorycopy") == std::string::npos;
  }

  void count_device() {
    std::map<std::int64_t, Spans> by_device;
    Spans communication;
    Spans computation;
    Spans host;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const RawSlice& slice : slices()) {
      const What what = what_is(slice);
      if (what != What::kProfiler && what != What::kProjected) {
        first = std::min(first, slice.start_ns);
        last = std::max(last, slice.end_ns);
      }
      if (what == What::kRange && communicates_on_host(slice)) host.push_back(span_of(slice));
      if (!is_work(slice)) continue;
      by_device[slice.device].push_back(span_of(slice));
      busy_.push_back(span_of(slice));
      if (what != What::kKernel) {
        copies_.push_back(span_of(slice));
      } else if (device::is_any_collective(slice.name)) {
        communication.push_back(span_of(slice));
      } else {
        computation.push_back(span_of(slice));
      }
    }
    for (auto& [device, spans] : by_device) {
      tables_.busy_ns[device] = length(joined(std::move(spans)));
    }
    busy_ = joined(std::move(busy_));
    copies_ = joined(std::move(copies_));
    communication_ = joined(std::move(communication));
    computation_ = joined(std::move(computation));
    span_ = {first, last};
    idle_ = without({span_}, busy_);
    tables_.span_ns = last - first;
    tables_.idle_ns = length(idle_);
    tables_.communication_ns = length(communication_);
    tables_.computation_ns = length(computation_);
    tables_.overlap_ns = together_ns(communication_, computation_);
    tables_.host_communication_ns = length(joined(std::move(host)));
  }

  void count_steps() {
    for (const RawSlice& slice : slices()) {
      if (!is_step(slice)) continue;
      StepRow& step = tables_.steps[slice.name];
      step.start_ns = slice.start_ns;
      step.duration_ns = slice.end_ns - slice.start_ns;
      const Spans whole{span_of(slice)};
      step.kernel_ns = together_ns(whole, computation_);
      const Spans rest = without(whole, computation_);
      step.communication_ns = together_ns(rest, communication_);
      const Spans quiet = without(rest, communication_);
      step.copy_ns = together_ns(quiet, copies_);
      step.idle_ns = length(without(quiet, copies_));
      steps_.push_back(span_of(slice));
    }
    steps_ = joined(std::move(steps_));
    tables_.idle_in_steps_ns = together_ns(idle_, steps_);
  }

  // Total and self times: from one border to the next, who is open?
  void count_thread(const Thread& thread) {
    struct Border {
      std::int64_t time_ns;
      bool opens;
      std::size_t slice;
      bool is_call;
    };
    std::vector<Border> borders;
    for (const std::size_t i : thread.ranges) {
      if (NameRow* row = row_of(i)) ++row->calls;
      if (slices()[i].end_ns == slices()[i].start_ns) continue;
      borders.push_back({slices()[i].start_ns, true, i, false});
      borders.push_back({slices()[i].end_ns, false, i, false});
    }
    for (const std::size_t i : thread.calls) {
      if (slices()[i].end_ns == slices()[i].start_ns) continue;
      borders.push_back({slices()[i].start_ns, true, i, true});
      borders.push_back({slices()[i].end_ns, false, i, true});
    }
    std::sort(borders.begin(), borders.end(),
              [](const Border& a, const Border& b) { return a.time_ns < b.time_ns; });
    // The last one started is the innermost; of those, the one that ends first, then the last.
    using Open = std::tuple<std::int64_t, std::int64_t, std::size_t>;
    std::set<Open> open;
    std::map<NameRow*, int> open_rows;
    int open_calls = 0;
    std::int64_t before_ns = 0;
    for (const Border& border : borders) {
      const std::int64_t passed_ns = border.time_ns - before_ns;
      before_ns = border.time_ns;
      if (passed_ns > 0) {
        for (const auto& [row, times] : open_rows) {
          if (times > 0) row->total_ns += passed_ns;
        }
        if (open_calls == 0 && !open.empty()) {
          if (NameRow* row = row_of(std::get<2>(*open.rbegin()))) row->self_ns += passed_ns;
        }
      }
      if (border.is_call) {
        open_calls += border.opens ? 1 : -1;
        continue;
      }
      const RawSlice& range = slices()[border.slice];
      const Open key{range.start_ns, -range.end_ns, border.slice};
      if (border.opens) {
        open.insert(key);
      } else {
        open.erase(key);
      }
      if (NameRow* row = row_of(border.slice)) open_rows[row] += border.opens ? 1 : -1;
    }
  }

  // Per runtime call: all ranges of its thread that contain it, outermost first.
  void find_containing_ranges() {
    for (auto& [key, thread] : threads_) {
      std::vector<std::size_t> ranges = thread.ranges;
      std::sort(ranges.begin(), ranges.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(slices()[a].start_ns, -slices()[a].end_ns, a) <
               std::tuple(slices()[b].start_ns, -slices()[b].end_ns, b);
      });
      std::vector<std::size_t> calls = thread.calls;
      std::sort(calls.begin(), calls.end(), [&](std::size_t a, std::size_t b) {
        return slices()[a].start_ns < slices()[b].start_ns;
      });
      std::vector<std::size_t> open;
      std::size_t next = 0;
      for (const std::size_t call : calls) {
        for (; next < ranges.size() && slices()[ranges[next]].start_ns <= slices()[call].start_ns;
             ++next) {
          open.push_back(ranges[next]);
        }
        std::erase_if(open, [&](std::size_t range) {
          return slices()[range].end_ns < slices()[call].start_ns;
        });
        for (const std::size_t range : open) {
          if (slices()[range].end_ns >= slices()[call].end_ns) around_[call].push_back(range);
        }
      }
    }
  }

  // The ranges around an operator, itself included.
  std::vector<std::size_t> ranges_around(std::size_t op) const {
    std::vector<std::size_t> around;
    const RawSlice& inner = slices()[op];
    for (const std::size_t range : threads_.at({inner.process, inner.thread}).ranges) {
      const RawSlice& outer = slices()[range];
      if (range == op || (outer.start_ns <= inner.start_ns && outer.end_ns >= inner.end_ns &&
                          outer.end_ns - outer.start_ns > inner.end_ns - inner.start_ns)) {
        around.push_back(range);
      }
    }
    std::sort(around.begin(), around.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(slices()[a].start_ns, -slices()[a].end_ns, a) <
             std::tuple(slices()[b].start_ns, -slices()[b].end_ns, b);
    });
    return around;
  }

  void count_works() {
    std::map<std::pair<std::int64_t, std::string>, Spans> busy;
    for (const RawSlice& work : slices()) {
      if (!is_work(work)) continue;
      const std::int64_t duration_ns = work.end_ns - work.start_ns;
      const auto call = calls_.find(work.correlation);
      std::vector<std::size_t> around;
      if (call != calls_.end()) {
        around = around_[call->second];
      } else if (const auto op = operators_.find(work.external); op != operators_.end()) {
        around = ranges_around(op->second);
      }
      std::set<NameRow*> counted;
      const RawSlice* inner = nullptr;
      const RawSlice* outer = nullptr;
      for (const std::size_t range : around) {
        NameRow* row = row_of(range);
        if (row != nullptr && counted.insert(row).second) row->device_ns += duration_ns;
        if (!is_operator(slices()[range])) continue;
        if (outer == nullptr) outer = &slices()[range];
        inner = &slices()[range];
      }
      if (inner != nullptr) tables_.operators[inner->name].self_device_ns += duration_ns;
      if (what_is(work) == What::kKernel) {
        KernelRow& kernel = tables_.kernels[work.name];
        ++kernel.calls;
        kernel.total_ns += duration_ns;
        kernel.launched_ns[{inner == nullptr ? "" : inner->name,
                            outer == nullptr || outer->name == inner->name ? "" : outer->name}] +=
            duration_ns;
      }
      StreamRow& stream = tables_.streams[{work.device, work.thread}];
      ++stream.works;
      busy[{work.device, work.thread}].push_back(span_of(work));
      if (call != calls_.end()) {
        stream.delays_ns.push_back(
            std::max<std::int64_t>(0, work.start_ns - slices()[call->second].end_ns));
      }
    }
    for (auto& [key, stream] : tables_.streams) {
      stream.busy_ns = length(joined(std::move(busy[key])));
      std::sort(stream.delays_ns.begin(), stream.delays_ns.end());
    }
  }

  void count_calls() {
    for (const auto& [key, thread] : threads_) {
      std::map<std::string, Spans> by_name;
      for (const std::size_t i : thread.calls) {
        CallRow& row = tables_.calls[slices()[i].name];
        ++row.calls;
        row.longest_ns = std::max(row.longest_ns, slices()[i].end_ns - slices()[i].start_ns);
        by_name[slices()[i].name].push_back(span_of(slices()[i]));
      }
      for (auto& [name, spans] : by_name) {
        const Spans open = joined(std::move(spans));
        CallRow& row = tables_.calls[name];
        row.total_ns += length(open);
        row.in_steps_ns += together_ns(open, steps_);
        row.device_idle_ns += together_ns(open, idle_);
      }
    }
  }

  void count_phases() {
    std::map<std::string, Spans> phases;
    for (const RawSlice& slice : slices()) {
      if (what_is(slice) != What::kRange) continue;
      const std::string phase = is_module(slice) ? "forward" : phase_of(slice.name);
      if (!phase.empty()) phases[phase].push_back(span_of(slice));
    }
    for (auto& [phase, spans] : phases) {
      tables_.phases_ns[phase] = length(joined(std::move(spans)));
    }
  }

  void count_memory() {
    for (const RawMemory& event : trace_.memory) {
      MemoryRow& row = tables_.memory[event.place];
      if (event.bytes < 0) {
        ++row.frees;
        row.freed_bytes -= event.bytes;
      } else {
        ++row.allocations;
        row.allocated_bytes += event.bytes;
      }
    }
  }

  // Who launched a work: its call or, without one, the operator of its external id.
  const RawSlice* launch_of(const RawSlice& work) const {
    if (const auto call = calls_.find(work.correlation); call != calls_.end()) {
      return &slices()[call->second];
    }
    const auto op = operators_.find(work.external);
    return op == operators_.end() ? nullptr : &slices()[op->second];
  }

  // The thread that launches most; the one of the script: with most steps, or else the first of its
  // process.
  using Rank = std::tuple<std::int64_t, bool, std::int64_t, std::size_t>;
  Thread* best_thread(const std::function<Rank(const ThreadKey&, const Thread&)>& rank_of) {
    Thread* best = nullptr;
    Rank highest;
    for (auto& [key, thread] : threads_) {
      const Rank rank = rank_of(key, thread);
      if (best != nullptr && rank <= highest) continue;
      best = &thread;
      highest = rank;
    }
    return best;
  }
  Thread* busiest_thread() {
    return best_thread([](const ThreadKey&, const Thread& thread) {
      return Rank(thread.launches, false, thread.steps, thread.ranges.size());
    });
  }
  Thread* script_thread(const std::string& process) {
    return best_thread([&](const ThreadKey& key, const Thread& thread) {
      if (key.first != process) return Rank(-1, false, 0, 0);
      return Rank(thread.steps, key.first == key.second, thread.launches, thread.ranges.size());
    });
  }

  // Hands every gap to the thread that launched the work at its end; from the launch on, the time
  // is "launched".
  void hand_out_gaps() {
    std::vector<const RawSlice*> works;
    for (const RawSlice& slice : slices()) {
      if (is_work(slice)) works.push_back(&slice);
    }
    std::stable_sort(works.begin(), works.end(), [](const RawSlice* a, const RawSlice* b) {
      return a->start_ns < b->start_ns;
    });
    if (works.empty()) return;
    for (const RawSlice* work : works) {
      const RawSlice* launch = launch_of(*work);
      if (launch != nullptr) ++threads_[{launch->process, launch->thread}].launches;
    }
    Thread* busiest = busiest_thread();
    if (busiest == nullptr) return;
    std::int64_t free_ns = span_.first;
    for (std::size_t i = 0; i < works.size(); ++i) {
      const std::int64_t start_ns = works[i]->start_ns;
      const RawSlice* launch = launch_of(*works[i]);
      for (std::size_t j = i; j < works.size() && works[j]->start_ns == start_ns; ++j) {
        if (calls_.contains(works[i]->correlation)) break;  // of several works, one with a call
        launch = launch_of(*works[j]);
        if (calls_.contains(works[j]->correlation)) break;
      }
      if (start_ns > free_ns && launch == nullptr) {
        busiest->to_explain.push_back({free_ns, start_ns});
      } else if (start_ns > free_ns) {
        const std::int64_t launched_ns = std::clamp(launch->end_ns, free_ns, start_ns);
        threads_[{launch->process, launch->thread}].to_explain.push_back({free_ns, launched_ns});
        tables_.idle_causes_ns["launched"] += start_ns - launched_ns;
      }
      free_ns = std::max(free_ns, works[i]->end_ns);
    }
    if (free_ns < span_.second) busiest->to_explain.push_back({free_ns, span_.second});
  }

  // Counts what a thread did in some time, the first that holds; returns when it did nothing.
  Spans explain(Spans time, const Thread& thread) {
    std::map<std::string, Spans> open;
    for (const std::size_t i : thread.calls) open["runtime_call"].push_back(span_of(slices()[i]));
    for (const std::size_t i : thread.frames) open["script"].push_back(span_of(slices()[i]));
    for (const std::size_t i : thread.ranges) {
      const RawSlice& range = slices()[i];
      if (is_step(range)) continue;
      const bool is_loading = !is_module(range) && phase_of(range.name) == "data loader";
      open[is_loading           ? "data_loading"
           : is_operator(range) ? "operator"
                                : "range"]
          .push_back(span_of(range));
    }
    for (const char* cause : {"runtime_call", "data_loading", "operator", "range", "script"}) {
      const Spans covered = joined(std::move(open[cause]));
      tables_.idle_causes_ns[cause] += together_ns(time, covered);
      time = without(time, covered);
    }
    return time;
  }

  void count_idle_causes() {
    hand_out_gaps();
    for (auto& [key, thread] : threads_) {
      Spans nothing = explain(joined(std::move(thread.to_explain)), thread);
      const Thread* script = script_thread(key.first);
      if (script != &thread) nothing = explain(std::move(nothing), *script);
      tables_.idle_causes_ns["nothing"] += length(nothing);
    }
  }

  const RawTrace& trace_;
  Tables tables_;
  std::map<ThreadKey, Thread> threads_;
  std::map<std::int64_t, std::size_t> calls_;               // by correlation: the last in the file
  std::map<std::int64_t, std::size_t> operators_;           // by external id: the last in the file
  std::map<std::size_t, std::vector<std::size_t>> around_;  // per call
  Span span_;
  Spans busy_;
  Spans idle_;
  Spans communication_;
  Spans computation_;
  Spans copies_;
  Spans steps_;
};

}  // namespace

Tables count(const RawTrace& trace) { return Counter(trace).count(); }

}  // namespace strobe::recount
