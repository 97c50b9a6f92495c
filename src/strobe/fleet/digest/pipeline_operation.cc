#include "strobe/fleet/digest/pipeline_operation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "strobe/base/text.h"

namespace strobe::fleet {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(OpType::kCount_)> kTypeNames = {
    "params-all-gather",
    "forward-compute",
    "forward-send",
    "forward-recv",
    "backward-compute",
    "backward-send",
    "backward-recv",
    "gc",
    "layernorm-grads-all-reduce",
    "embedding-grads-all-reduce",
    "grads-reduce-scatter",
    "separate-grads-all-reduce",
    "optimizer-clip-main-grad",
    "optimizer"};

// ---- Names

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at the front of a text, which is taken away.
std::optional<std::int32_t> take_number(std::string_view& text) {
  constexpr std::size_t kMostDigits = 6;
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  const auto number = parse_whole_number(text.substr(0, digits));
  text.remove_prefix(digits);
  return static_cast<std::int32_t>(*number);
}

// What torch.distributed.pipelining calls an action: stage, kind, micro-batch.
std::optional<NamedOperation> of_schedule(std::string_view action) {
  constexpr std::array<std::pair<std::string_view, OpType>, 10> kActions = {
      {{"F", OpType::kForwardCompute},
       {"B", OpType::kBackwardCompute},
       {"I", OpType::kBackwardCompute},
       {"W", OpType::kBackwardCompute},
       {"SEND_F", OpType::kForwardSend},
       {"RECV_F", OpType::kForwardRecv},
       {"SEND_B", OpType::kBackwardSend},
       {"RECV_B", OpType::kBackwardRecv},
       {"UNSHARD", OpType::kParamsAllGather},
       {"REDUCE_GRAD", OpType::kReduceScatter}}};
  const auto stage = take_number(action);
  if (!stage) return std::nullopt;
  while (!action.empty() && is_digit(action.back())) action.remove_suffix(1);  // the micro-batch
  const auto* found =
      std::ranges::find(kActions, action, &std::pair<std::string_view, OpType>::first);
  if (found == kActions.end()) return std::nullopt;
  return NamedOperation{.type = found->second, .global_chunk = *stage};
}

// The number behind a word, as in "chunk 1", "chunk=1", "chunk_1".
std::optional<std::int32_t> number_behind(std::string_view word, std::string_view text) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + word.size());
  while (!text.empty() && !is_letter(text.front()) && !is_digit(text.front())) {
    text.remove_prefix(1);
  }
  return take_number(text);
}

std::optional<NamedOperation> of_timer(std::string_view range) {
  constexpr std::string_view kFirstLetters = "pfbglesoPFBGLESO";
  if (range.empty() || kFirstLetters.find(range.front()) == std::string_view::npos) {
    return std::nullopt;  // most names, which need no copy
  }
  std::string name = lower_case(range);
  std::ranges::replace(name, '_', '-');
  std::optional<OpType> longest;
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    const std::string_view type = kTypeNames[i];
    const bool is_whole_word =
        name.size() == type.size() || (name.size() > type.size() && !is_letter(name[type.size()]) &&
                                       name[type.size()] != '-' && name[type.size()] != '.');
    if (!name.starts_with(type) || !is_whole_word) continue;
    if (!longest || name_of(*longest).size() < type.size()) longest = static_cast<OpType>(i);
  }
  if (!longest) return std::nullopt;
  return NamedOperation{.type = *longest, .chunk = number_behind("chunk", name).value_or(-1)};
}

// ---- Device work of a range

struct Launch {
  std::int64_t called_ns = 0;
  TrackId thread;
  SliceId work;
};

// All device work whose launch is known, by the time of its launch.
std::vector<Launch> launches_of(const Trace& trace) {
  const auto& slices = trace.slices();
  std::unordered_map<std::uint32_t, SliceId> calls;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] == SliceKind::kRuntimeCall && slices.correlations[row] != kNoLaunchId) {
      calls.try_emplace(slices.correlations[row], SliceId(row));
    }
  }
  std::vector<Launch> launches;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_device_work(slices.kinds[row]) || slices.correlations[row] == kNoLaunchId) continue;
    const auto call = calls.find(slices.correlations[row]);
    if (call == calls.end()) continue;
    const std::size_t called = call->second.index();
    launches.push_back({slices.starts_ns[called], slices.tracks[called], SliceId(row)});
  }
  std::ranges::stable_sort(launches, {}, &Launch::called_ns);
  return launches;
}

class OperationFinder {
 public:
  explicit OperationFinder(const Trace& trace) : trace_(trace) {}

  std::vector<PipelineOperation> find() {
    std::vector<PipelineOperation> found;
    if (!read_names()) return found;
    launches_ = launches_of(trace_);
    for (auto& ranges : outer_ranges()) {
      for (const SliceId range : ranges) {
        const NamedOperation& what = *names_[trace_.slices().names[range.index()].index()];
        found.push_back({what, trace_.start_ns(range), work_of(range, what.type)});
      }
    }
    std::ranges::stable_sort(found, {}, &PipelineOperation::called_ns);
    return found;
  }

 private:
  // Whether any names an operation.
  bool read_names() {
    bool is_any = false;
    for (std::size_t i = 0; i < trace_.strings().size(); ++i) {
      names_.push_back(named_operation(trace_.strings()[StringId(i)]));
      is_any |= names_.back().has_value();
    }
    return is_any;
  }

  // Per thread, by start.
  std::vector<std::vector<SliceId>> outer_ranges() const {
    const auto& slices = trace_.slices();
    std::vector<std::vector<SliceId>> by_track(trace_.tracks().size());
    for (std::size_t row = 0; row < slices.size(); ++row) {
      const SliceKind kind = slices.kinds[row];
      const bool is_range = !is_on_device(kind) && kind != SliceKind::kRuntimeCall;
      if (is_range && names_[slices.names[row].index()]) {
        by_track[slices.tracks[row].index()].push_back(SliceId(row));
      }
    }
    for (auto& ranges : by_track) {
      std::ranges::stable_sort(ranges, [&](SliceId a, SliceId b) {
        if (trace_.start_ns(a) != trace_.start_ns(b))
          return trace_.start_ns(a) < trace_.start_ns(b);
        return trace_.end_ns(a) > trace_.end_ns(b);
      });
      std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
      std::erase_if(ranges, [&](SliceId range) {
        if (trace_.end_ns(range) <= end_ns && trace_.start_ns(range) < end_ns) return true;
        end_ns = std::max(end_ns, trace_.end_ns(range));
        return false;
      });
    }
    return by_track;
  }

  // A pass launches from several threads, while other ranges may launch transfers: it has all
  // kernels but those that communicate. A transfer has these, of its own thread.
  Interval work_of(SliceId range, OpType type) const {
    const auto& slices = trace_.slices();
    const Interval called = trace_.interval(range);
    std::optional<Interval> work;
    auto launch = std::ranges::lower_bound(launches_, called.start_ns, {}, &Launch::called_ns);
    for (; launch != launches_.end() && launch->called_ns < called.end_ns; ++launch) {
      const bool communicates = (slices.flags[launch->work.index()] & kCommunicates) != 0;
      const bool is_own = launch->thread == slices.tracks[range.index()];
      if (is_compute(type) ? communicates : !communicates || !is_own) continue;
      const Interval one = trace_.interval(launch->work);
      if (!work) work = one;
      work = Interval{std::min(work->start_ns, one.start_ns), std::max(work->end_ns, one.end_ns)};
    }
    return work.value_or(called);
  }

  const Trace& trace_;
  std::vector<std::optional<NamedOperation>> names_;  // by StringId
  std::vector<Launch> launches_;
};

}  // namespace

std::string_view name_of(OpType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<OpType> op_type(std::string_view name) {
  const auto* found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return std::nullopt;
  return static_cast<OpType>(found - kTypeNames.begin());
}

std::optional<NamedOperation> named_operation(std::string_view range) {
  constexpr std::string_view kSchedule = "PP:";
  constexpr std::string_view kOptimizerStep = "Optimizer.step#";
  if (range.starts_with(kSchedule)) return of_schedule(range.substr(kSchedule.size()));
  if (range.starts_with(kOptimizerStep)) return NamedOperation{.type = OpType::kOptimizer};
  return of_timer(range);
}

std::vector<PipelineOperation> pipeline_operations(const Trace& trace) {
  return OperationFinder(trace).find();
}

}  // namespace strobe::fleet
