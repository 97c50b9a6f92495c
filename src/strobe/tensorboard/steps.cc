#include "strobe/tensorboard/steps.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "strobe/tensorboard/event_types.h"

namespace strobe::tensorboard {
namespace {

// An interval that grows over everything added to it.
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

// The device work launched by calls inside each step; `counted` marks it.
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

namespace {

std::optional<Role> role_of(const Event& event, const Events& events, const Links& links,
                            const VariantRules& rules) {
  const auto communicates = [&] { return links.comm_node(event.ext) != nullptr; };
  switch (event.type) {
    case EventType::kKernel:
      return communicates() ? Role::kCommunication : Role::kKernel;
    case EventType::kMemcpy:
      return rules.copies_communicate && communicates() ? Role::kCommunication : Role::kMemcpy;
    case EventType::kMemset:
      return Role::kMemset;
    case EventType::kRuntime:
      return Role::kRuntime;
    case EventType::kPython:
    case EventType::kOperator:
    case EventType::kUserAnnotation:
      break;
    default:
      return std::nullopt;
  }
  const std::string_view name = events.text(event.name);
  if (comm_library(name, rules.variant) != CommLibrary::kNone) return Role::kCommunication;
  if (event.type != EventType::kPython && is_data_loader(name)) return Role::kDataLoader;
  return Role::kCpuExec;
}

}  // namespace

std::string_view role_name(Role role) {
  switch (role) {
    case Role::kKernel:
      return "Kernel";
    case Role::kMemcpy:
      return "Memcpy";
    case Role::kMemset:
      return "Memset";
    case Role::kCommunication:
      return "Communication";
    case Role::kRuntime:
      return "Runtime";
    case Role::kDataLoader:
      return "DataLoader";
    case Role::kCpuExec:
      return "CPU Exec";
    case Role::kOther:
      break;
  }
  return "Other";
}

TimeRoles find_roles(const Events& events, const Links& links, const VariantRules& rules) {
  TimeRoles roles;
  for (const Event& event : events.all) {
    if (const auto role = role_of(event, events, links, rules)) {
      roles.ranges[static_cast<std::size_t>(*role)].push_back({event.start(), event.end()});
    }
  }
  for (Ranges& ranges : roles.ranges) ranges = merge(std::move(ranges));
  return roles;
}

namespace {

// The plugin restarts with all steps whenever the earlier roles have used all of the time, not only
// for the first role; then the rest is counted twice.
std::array<Ranges, kRoleCount> share_out(const Ranges& steps, const TimeRoles& roles) {
  std::array<Ranges, kRoleCount> parts;
  Ranges slots;
  for (std::size_t role = 0; role + 1 < kRoleCount; ++role) {
    if (slots.empty()) {
      parts[role] = roles.ranges[role];
      slots = merge(steps);
    } else {
      parts[role] = intersect(slots, roles.ranges[role]);
    }
    slots = subtract(slots, parts[role]);
  }
  parts[kRoleCount - 1] = std::move(slots);
  return parts;
}

StepCosts average(const std::vector<StepCosts>& steps) {
  StepCosts sums;
  sums.roles.fill(Number::real(0));
  sums.total = Number::real(0);
  for (const StepCosts& step : steps) {
    for (std::size_t role = 0; role < kRoleCount; ++role) sums.roles[role] += step.roles[role];
    sums.total += step.total;
  }
  const Number count = Number::whole(static_cast<double>(steps.size()));
  for (Number& sum : sums.roles) sum = ratio(sum, count);
  sums.total = ratio(sums.total, count);
  return sums;
}

}  // namespace

CostTable count_costs(const Steps& steps, const TimeRoles& roles) {
  Ranges step_ranges;
  for (const Step& step : steps.all) step_ranges.push_back(step.range);
  const std::array<Ranges, kRoleCount> parts = share_out(step_ranges, roles);
  const Ranges& computation = roles[roles.has(Role::kKernel) ? Role::kKernel : Role::kCpuExec];
  const Ranges& communication = roles[Role::kCommunication];
  const Ranges both = intersect(computation, communication);
  CostTable table;
  for (const Range& range : step_ranges) {
    const Ranges step{range};
    StepCosts costs;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      costs.roles[role] = total(intersect(step, parts[role]));
    }
    costs.total = range.end - range.start;
    StepOverlap overlap{.computation = total(intersect(step, computation)),
                        .communication = total(intersect(step, communication)),
                        .overlap = total(intersect(step, both)),
                        .other = {}};
    overlap.other = costs.total + overlap.overlap - overlap.computation - overlap.communication;
    table.steps.push_back(costs);
    table.overlaps.push_back(overlap);
  }
  table.average = average(table.steps);
  return table;
}

}  // namespace strobe::tensorboard
