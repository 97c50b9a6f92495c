#include "strobe/compare/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "strobe/analysis/cycles/warm_up.h"
#include "strobe/analysis/steps/step_breakdown.h"
#include "strobe/analysis/steps/steps.h"

namespace strobe::compare {
namespace {

using analysis::AttributedTrace;
using analysis::NodeId;
using analysis::Step;
using analysis::StepRow;

// Calls and times by name and step.
class NameSums {
 public:
  explicit NameSums(std::size_t steps) : steps_(steps) {}

  void add(std::string_view name, std::size_t step, std::int64_t duration_ns) {
    auto& sums = sums_[name];
    sums.ns.resize(steps_);
    sums.ns[step] += duration_ns;
    ++sums.calls;
  }
  std::map<std::string_view, NameSide> sides() const {
    std::map<std::string_view, NameSide> sides;
    for (const auto& [name, sums] : sums_) {
      sides[name] = {static_cast<double>(sums.calls) / static_cast<double>(steps_),
                     step_time(sums.ns)};
    }
    return sides;
  }

  static StepTime step_time(const std::vector<std::int64_t>& lengths_ns) {
    if (lengths_ns.empty()) return {};
    StepTime time{0, lengths_ns.front(), lengths_ns.front()};
    for (const std::int64_t length_ns : lengths_ns) {
      time.average_ns += static_cast<double>(length_ns);
      time.low_ns = std::min(time.low_ns, length_ns);
      time.high_ns = std::max(time.high_ns, length_ns);
    }
    time.average_ns /= static_cast<double>(lengths_ns.size());
    return time;
  }

 private:
  struct Sums {
    std::vector<std::int64_t> ns;  // per step
    std::uint64_t calls = 0;
  };
  std::size_t steps_;
  std::map<std::string_view, Sums> sums_;
};

std::size_t count_warm_up(const std::vector<Step>& steps) {
  std::vector<Interval> intervals;
  intervals.reserve(steps.size());
  for (const Step& step : steps) intervals.push_back(step.interval);
  return analysis::find_warm_up(intervals).cycles;
}

std::vector<Step> without_first(const std::vector<Step>& steps, std::size_t count) {
  return {steps.begin() + static_cast<std::ptrdiff_t>(count), steps.end()};
}

// The steps for the comparison: the trace's own after their warm-up, or the whole trace as one.
class Parts {
 public:
  Parts(const ComparedTrace& compared, bool per_step)
      : input_(compared.input),
        per_step_(per_step),
        warm_up_(per_step ? count_warm_up(compared.steps) : 0),
        steps_(without_first(compared.steps, warm_up_)),
        finder_(steps_) {
    if (per_step) return;
    Step whole;
    whole.interval = input_.trace.extent();
    steps_ = {whole};
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  std::size_t warm_up() const { return warm_up_; }
  std::size_t size() const { return steps_.size(); }
  // size() if it belongs to no step.
  std::size_t of(std::int64_t time_ns, StringId process) const {
    if (!per_step_) return 0;
    const Step* step = finder_.at(time_ns, process);
    return step == nullptr ? size() : static_cast<std::size_t>(step - steps_.data());
  }
  std::vector<StepRow> broken_down() const {
    const bool covers_all = input_.trace.traits().steps_cover_all_threads;
    return analysis::break_down_steps(
        input_, steps_,
        per_step_ ? analysis::add_up_step_launches(input_, steps_, covers_all)
                  : std::vector{analysis::add_up_all_launches(input_)});
  }

 private:
  const AttributedTrace& input_;
  bool per_step_;
  std::size_t warm_up_;
  std::vector<Step> steps_;
  analysis::StepFinder finder_;
};

Side side_of(const ComparedTrace& compared, const Parts& parts) {
  const std::vector<StepRow> rows = parts.broken_down();
  Side side;
  side.steps = compared.steps.size();
  side.warm_up_steps = parts.warm_up();
  std::vector<std::int64_t> lengths_ns;
  for (const StepRow& row : rows) {
    lengths_ns.push_back(row.interval.length_ns());
    for (std::size_t i = 0; i < side.label_ns.size(); ++i) {
      side.label_ns[i] += static_cast<double>(row.label_ns[i]) / static_cast<double>(rows.size());
    }
  }
  side.step = NameSums::step_time(lengths_ns);
  return side;
}

std::map<std::string_view, NameSide> operators_of(const AttributedTrace& input,
                                                  const Parts& parts) {
  NameSums sums(parts.size());
  for (std::size_t i = 0; i < input.tree.size(); ++i) {
    if (input.tree.roles[i] != SliceKind::kOperator) continue;
    const SliceId slice = input.tree.slices[i];
    const std::size_t part =
        parts.of(input.trace.start_ns(slice), input.trace.track(slice).process);
    if (part < parts.size())
      sums.add(input.trace.name(slice), part, input.trace.duration_ns(slice));
  }
  return sums.sides();
}

// A kernel belongs to the step that launched it.
std::map<std::string_view, NameSide> kernels_of(const AttributedTrace& input, const Parts& parts) {
  NameSums sums(parts.size());
  const auto& works = input.attribution.works;
  for (std::size_t work = 0; work < works.size(); ++work) {
    const SliceId slice = works.slices[work];
    if (input.trace.kind(slice) != SliceKind::kKernel) continue;
    const bool has_call = works.calls[work].valid();
    const SliceId call =
        has_call ? input.attribution.calls.slices[works.calls[work].index()] : slice;
    const std::size_t part = parts.of(input.trace.start_ns(call),
                                      has_call ? input.trace.track(call).process : StringId());
    if (part < parts.size())
      sums.add(input.trace.name(slice), part, input.trace.duration_ns(slice));
  }
  return sums.sides();
}

bool do_ranges_meet(const StepTime& a, const StepTime& b) {
  return a.low_ns <= b.high_ns && b.low_ns <= a.high_ns;
}

std::vector<NameRow> joined(const std::map<std::string_view, NameSide>& base,
                            const std::map<std::string_view, NameSide>& other) {
  std::vector<NameRow> rows;
  for (const auto& [name, side] : base) {
    NameRow row{std::string(name), side, {}, true};
    if (const auto same = other.find(name); same != other.end()) {
      row.other = same->second;
      row.beyond_spread = !do_ranges_meet(side.time, same->second.time);
    }
    rows.push_back(std::move(row));
  }
  for (const auto& [name, side] : other) {
    if (!base.contains(name)) rows.push_back({std::string(name), {}, side, true});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const NameRow& row) { return std::abs(row.change_ns()); });
  return rows;
}

}  // namespace

SideBySide put_side_by_side(const ComparedTrace& base, const ComparedTrace& other) {
  SideBySide result;
  result.per_step = !base.steps.empty() && !other.steps.empty();
  const Parts base_parts(base, result.per_step);
  const Parts other_parts(other, result.per_step);
  result.base = side_of(base, base_parts);
  result.other = side_of(other, other_parts);
  result.operators =
      joined(operators_of(base.input, base_parts), operators_of(other.input, other_parts));
  result.kernels = joined(kernels_of(base.input, base_parts), kernels_of(other.input, other_parts));
  return result;
}

}  // namespace strobe::compare
