#include "strobe/tensorboard/steps.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "strobe/tensorboard/event_types.h"

namespace strobe::tensorboard {
namespace {

// Grows over everything it is shown.
class Hull {
 public:
  void add(const Event& event) {
    range_ = range_ ? Range{smaller(range_->start, event.start()), larger(range_->end, event.end())}
                    : Range{event.start(), event.end()};
  }
  const std::optional<Range>& range() const { return range_; }

 private:
  std::optional<Range> range_;
};

bool is_host_work(EventType type, const VariantRules& rules) {
  return type == EventType::kPython || type == EventType::kOperator ||
         type == EventType::kProfilerStep ||
         (rules.annotations_are_host_work && type == EventType::kUserAnnotation);
}

struct DeviceSide {
  std::size_t count = 0;
  Number earliest;
  Number latest;

  void add(const Event& event) {
    earliest = count == 0 ? event.start() : smaller(earliest, event.start());
    latest = count == 0 ? event.end() : larger(latest, event.end());
    ++count;
  }
};

// What was launched by calls inside each step; `counted` marks that device work.
std::vector<DeviceSide> device_sides(const std::vector<Step>& steps, const Events& events,
                                     const Forest& forest, std::vector<bool>& counted) {
  std::vector<const Runtime*> runtimes;
  for (const Runtime& runtime : forest.runtimes) {
    if (runtime.event.valid()) runtimes.push_back(&runtime);
  }
  std::ranges::stable_sort(runtimes, {},
                           [&](const Runtime* runtime) { return events[runtime->event].ts_us; });
  std::vector<DeviceSide> sides(steps.size());
  auto next = runtimes.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (; next != runtimes.end(); ++next) {
      const Event& call = events[(*next)->event];
      if (call.start() < steps[i].range.start) continue;
      if (call.end() > steps[i].range.end) {
        if (call.start() < steps[i].range.end) continue;
        break;
      }
      for (const DeviceWorkId id : (*next)->launched) {
        sides[i].add(events[forest[id].event]);
        counted[id.index()] = true;
      }
    }
  }
  return sides;
}

void extend_to_device(std::vector<Step>& steps, const std::vector<DeviceSide>& sides,
                      const Events& events, const Forest& forest,
                      const std::vector<bool>& counted) {
  Number previous_end = steps[0].range.start;
  if (sides[0].count > 0) {
    for (std::size_t i = 0; i < forest.device_works.size(); ++i) {
      const Number end = events[forest.device_works[i].event].end();
      if (!counted[i] && end < sides[0].earliest) previous_end = larger(previous_end, end);
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Range& range = steps[i].range;
    range.start = larger(previous_end, range.start);
    if (sides[i].count > 0) range.end = larger(range.end, sides[i].latest);
    range.end = larger(range.end, range.start);
    previous_end = range.end;
  }
}

// The last step is often cut off by the end of the recording.
void cut_tail(std::vector<Step>& steps, const std::vector<DeviceSide>& sides) {
  if (steps.size() <= 1) return;
  std::size_t kept = steps.size();
  while (sides[kept - 1].count == 0) --kept;
  constexpr double kComplete = 0.8;
  if (kept > 1 && static_cast<double>(sides[kept - 2].count) * kComplete >
                      static_cast<double>(sides[kept - 1].count)) {
    --kept;
  }
  steps.resize(kept);
}

}  // namespace

Steps find_steps(const Events& events, const Forest& forest, const VariantRules& rules) {
  Steps steps;
  Hull host;
  Hull device;
  Hull everything;
  std::optional<Range> profile;
  for (const Event& event : events.all) {
    if (event.type == EventType::kMemory) continue;
    everything.add(event);
    if (is_device_work(event.type)) device.add(event);
    if (is_host_work(event.type, rules)) host.add(event);
    const std::string_view name = events.text(event.name);
    if (event.type == EventType::kTrace && name == "PyTorch Profiler (0)") {
      profile = Range{event.start(), event.end()};
    }
    if (event.type == EventType::kProfilerStep) {
      steps.all.push_back({.name = fmt::format("{}", step_number(name).value_or(0)),
                           .range = {event.start(), event.end()}});
    }
  }
  const Range all = everything.range().value_or(Range{});
  steps.profile = profile.value_or(all);
  if (steps.all.empty()) {
    const Range whole = host.range() ? *host.range() : device.range().value_or(all);
    steps.all.push_back({.name = "0", .range = whole});
  }
  std::vector<bool> counted(forest.device_works.size());
  const std::vector<DeviceSide> sides = device_sides(steps.all, events, forest, counted);
  if (std::ranges::none_of(sides, [](const DeviceSide& side) { return side.count > 0; })) {
    return steps;
  }
  extend_to_device(steps.all, sides, events, forest, counted);
  cut_tail(steps.all, sides);
  return steps;
}

}  // namespace strobe::tensorboard
