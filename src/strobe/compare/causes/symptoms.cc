#include "strobe/compare/causes/symptoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "strobe/compare/measure/function_index.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

using device::MetricRole;
using device::RuntimeCall;

enum class CountBy : std::uint8_t { kTime, kVote };

// How much longer one call takes, without the wildest cycles.
double call_factor(const FunctionRow& row) { return row.own_ms().core_ratio() / calls_factor(row); }

Slowdowns slowdowns_of(std::span<const FunctionRow* const> rows, CountBy by) {
  Slowdowns slowdowns;
  for (const FunctionRow* row : rows) {
    const Change& ms = row->own_ms();
    const double weight = by == CountBy::kTime ? ms.normal_core.mean : 1;
    slowdowns.total += weight;
    const double factor = call_factor(*row);
    if (!calls_are_equal(*row) || !(factor > 0) || !std::isfinite(factor)) continue;
    slowdowns.ones.push_back({.factor = factor, .weight = weight, .is_real = is_real(ms)});
  }
  std::ranges::sort(slowdowns.ones, {}, &Slowdowns::One::factor);
  return slowdowns;
}

using Rows = std::vector<const FunctionRow*>;

Rows rows_where(const Rows& rows, const std::function<bool(const FunctionRow&)>& wanted) {
  Rows chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen),
                       [&](const FunctionRow* row) { return wanted(*row); });
  return chosen;
}

Rows calls_of_kinds(const Rows& runtime_calls, std::initializer_list<RuntimeCall> kinds) {
  return rows_where(runtime_calls, [&](const FunctionRow& row) {
    return std::ranges::find(kinds, device::runtime_call(row.key.name)) != kinds.end();
  });
}

double calls_normal(const Rows& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const FunctionRow* r) { return sum + r->calls_normal; });
}
double calls_abnormal(const Rows& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const FunctionRow* r) { return sum + r->calls_abnormal; });
}

bool is_input(const FunctionRow& row) {
  if (row.key.kind == FunctionKind::kDataLoading) return true;
  return row.key.kind == FunctionKind::kHostOperator &&
         (row.key.name.find("DataLoader") != std::string::npos ||
          row.key.name.find("dataloader") != std::string::npos ||
          row.key.name.find("load_input") != std::string::npos);
}

// A kernel with more blocks that needs more time for them: blocks of other sizes may do the same
// work.
bool is_rescaled(const FunctionRow& row) {
  constexpr double kHalf = 0.5;  // of the factor, as logarithms
  if (!calls_are_equal(row)) return false;
  const double blocks = std::log(row.blocks_abnormal / row.blocks_normal);
  const double time = std::log(row.own_ms().core_ratio());
  return time * blocks > 0 && std::abs(time) > kHalf * std::abs(blocks);
}

void add_kernel_work(DeviceSymptoms& symptoms) {
  std::size_t known = 0;
  std::size_t resized = 0;
  double all_ms = 0;
  double rescaled_ms = 0;
  double common_normal_ms = 0;
  double common_abnormal_ms = 0;
  for (const FunctionRow* row : symptoms.kernels) {
    if (row->verdict != Verdict::kNew && row->verdict != Verdict::kVanished) {
      common_normal_ms += row->own_ms().normal_core.mean;
      common_abnormal_ms += row->own_ms().abnormal_core.mean;
    }
    const double change = std::abs(row->own_ms().core_difference());
    symptoms.changed_ms += change;
    all_ms += row->own_ms().normal_core.mean;
    if (!calls_are_equal(*row)) symptoms.other_work_ms += change;
    if (row->blocks_normal == 0 || row->blocks_abnormal == 0) continue;
    ++known;
    if (std::abs(row->blocks_abnormal / row->blocks_normal - 1) <= 0.05) continue;
    ++resized;
    if (is_rescaled(*row)) rescaled_ms += row->own_ms().normal_core.mean;
  }
  if (known >= 3) {
    symptoms.resized_share = static_cast<double>(resized) / static_cast<double>(known);
  }
  if (all_ms > 0) symptoms.rescaled_time_share = rescaled_ms / all_ms;
  symptoms.has_same_kernels = common_normal_ms >= 0.5 * symptoms.kernel_ms.normal_core.mean &&
                              common_abnormal_ms >= 0.5 * symptoms.kernel_ms.abnormal_core.mean;
}

// Functions called at least twice per cycle in one of the runs; each has one vote.
double common_factor(const Rows& rows) {
  std::vector<double> factors;
  std::size_t lone = 0;
  for (const FunctionRow* row : rows) {
    if (row->key.kind == FunctionKind::kScheduling || row->key.kind == FunctionKind::kOverhead) {
      continue;
    }
    const bool is_launched = row->launched.is_known;
    const double before = is_launched ? row->launched.calls_normal : row->calls_normal;
    const double after = is_launched ? row->launched.calls_abnormal : row->calls_abnormal;
    if (before < 2 && after < 2) continue;  // does not scale
    if (before == 0 || after == 0) {
      ++lone;
    } else {
      factors.push_back(calls_are_equal(*row) ? 1 : after / before);
    }
  }
  if (factors.size() < 5) return 1;
  const double middle = stats::median_of(factors);
  const auto near =
      std::ranges::count_if(factors, [&](double f) { return std::abs(f / middle - 1) < 0.15; });
  const auto voters = static_cast<double>(factors.size() + lone);
  return static_cast<double>(near) >= 0.8 * voters ? middle : 1;
}

DeviceSymptoms read_device(const Comparison& comparison, const DeviceRow& device,
                           const Rows& functions, std::int32_t rank) {
  DeviceSymptoms symptoms;
  symptoms.row = &device;
  for (const RankMeasure& measure : comparison.normal.ranks) {
    if (measure.rank == rank) symptoms.chip = measure.chip_of(device.device);
  }
  const auto of = [&](FunctionKind kind) {
    return rows_where(functions, [&](const FunctionRow& row) {
      return row.key.kind == kind && row.key.device == device.device;
    });
  };
  symptoms.kernels = of(FunctionKind::kKernel);
  symptoms.collectives = of(FunctionKind::kCollective);
  symptoms.copies = of(FunctionKind::kMemcpy);
  symptoms.kernel_ms = total_ms(symptoms.kernels);
  symptoms.slowdowns = slowdowns_of(symptoms.kernels, CountBy::kTime);
  add_kernel_work(symptoms);
  return symptoms;
}

// Both runs have kernels, and one has no call that launches them: its calls were not recorded, so
// it does not say how often the host waits or allocates either.
bool lacks_calls_of_one_run(const Rows& launches, const Rows& kernels) {
  const bool have_kernels = calls_normal(kernels) > 0 && calls_abnormal(kernels) > 0;
  return have_kernels && (calls_normal(launches) > 0) != (calls_abnormal(launches) > 0);
}

HostSymptoms read_host(const Rows& functions) {
  HostSymptoms host;
  const auto of = [&](FunctionKind kind) {
    return rows_where(functions, [&](const FunctionRow& row) { return row.key.kind == kind; });
  };
  host.operators = rows_where(functions, [](const FunctionRow& row) {
    return row.key.kind == FunctionKind::kHostOperator ||
           row.key.kind == FunctionKind::kDataLoading;
  });
  host.runtime_calls = of(FunctionKind::kRuntimeCall);
  const Rows operators =
      rows_where(host.operators, [](const FunctionRow& row) { return row.is_operator; });
  host.operator_slowdowns =
      slowdowns_of(operators.empty() ? host.operators : operators, CountBy::kVote);
  Rows launches = calls_of_kinds(host.runtime_calls, {RuntimeCall::kLaunch});
  if (lacks_calls_of_one_run(launches, of(FunctionKind::kKernel))) {
    host.runtime_calls.clear();
    launches.clear();
  }
  host.launches_normal = calls_normal(launches);
  host.launches_abnormal = calls_abnormal(launches);
  const Rows waits = calls_of_kinds(host.runtime_calls, {RuntimeCall::kSynchronize});
  const Rows allocations =
      calls_of_kinds(host.runtime_calls, {RuntimeCall::kAllocate, RuntimeCall::kFree});
  host.synchronizations_normal = calls_normal(waits);
  host.synchronizations_abnormal = calls_abnormal(waits);
  host.allocations_normal = calls_normal(allocations);
  host.allocations_abnormal = calls_abnormal(allocations);
  host.synchronize_ms = total_ms(waits);
  host.allocate_ms = total_ms(allocations);
  host.input_ms = total_ms(rows_where(functions, is_input));
  host.disk_ms = total_ms(of(FunctionKind::kInputOutput));
  host.queue_ms = total_ms(rows_where(functions, [](const FunctionRow& row) {
    return row.key.kind == FunctionKind::kScheduling && row.key.name == "runq";
  }));
  return host;
}

}  // namespace

bool is_real(const Change& change) {
  return !change.too_few && (change.degenerate || change.drift_p < kSurely);
}

bool are_equal_calls(double normal, double abnormal) {
  return normal > 0 && abnormal > 0 && std::abs(abnormal - normal) <= std::max(0.5, 0.02 * normal);
}

double calls_factor(const FunctionRow& row) {
  const LaunchedRow& launched = row.launched;
  return launched.decides ? launched.calls_abnormal / launched.calls_normal
                          : row.calls_abnormal / row.calls_normal;
}

bool calls_are_equal(const FunctionRow& row) {
  return are_equal_calls(row.calls_normal, row.calls_abnormal) ||
         (row.launched.is_known &&
          are_equal_calls(row.launched.calls_normal, row.launched.calls_abnormal));
}

double DeviceSymptoms::own_change_ms() const {
  return row->outlasts_cycles && row->launched_ms.normal.n > 0 ? row->launched_ms.core_difference()
                                                               : std::nan("");
}

bool rose(const Change& change, double least_ratio) {
  return is_real(change) && change.rises() &&
         change.abnormal_core.mean >= least_ratio * change.normal_core.mean;
}

bool fell(const Change& change, double most_ratio) {
  return is_real(change) && !change.rises() &&
         change.abnormal_core.mean <= most_ratio * change.normal_core.mean;
}

namespace {

// Values per cycle of the time that tells whether a row itself changed.
struct CycleValues {
  const std::vector<double>& ms_per_cycle_normal;
  const std::vector<double>& ms_per_cycle_abnormal;
};
CycleValues values_of(const IdleCauseRow& row) {
  return {row.ms_per_cycle_normal, row.ms_per_cycle_abnormal};
}
CycleValues values_of(const FunctionRow& row) {
  if (!row.launched.decides) return {row.ms_per_cycle_normal, row.ms_per_cycle_abnormal};
  return {row.launched.ms_per_cycle_normal, row.launched.ms_per_cycle_abnormal};
}

void add_to(std::vector<double>& sums, const std::vector<double>& values) {
  sums.resize(std::max(sums.size(), values.size()));
  std::transform(values.begin(), values.end(), sums.begin(), sums.begin(), std::plus<>());
}

template <class Row>
Change sum_of(std::span<const Row* const> rows) {
  std::vector<double> normal;
  std::vector<double> abnormal;
  for (const Row* row : rows) {
    add_to(normal, values_of(*row).ms_per_cycle_normal);
    add_to(abnormal, values_of(*row).ms_per_cycle_abnormal);
  }
  return change_between(normal, abnormal);
}

}  // namespace

Change total_ms(std::span<const FunctionRow* const> rows) { return sum_of(rows); }
Change total_ms(std::span<const IdleCauseRow* const> rows) { return sum_of(rows); }

double Slowdowns::share_between(double low, double high) const {
  double inside = 0;
  for (const One& one : ones) {
    const bool counts = one.is_real || (low < 1 && high > 1);
    if (counts && one.factor > low && one.factor <= high) inside += one.weight;
  }
  return total > 0 ? inside / total : 0;
}

double Slowdowns::median() const {
  double all = 0;
  for (const One& one : ones) all += one.weight;
  double below = 0;
  for (const One& one : ones) {
    below += one.weight;
    if (below >= all / 2) return one.factor;
  }
  return 1;
}

bool Symptoms::is_beyond_noise() const {
  return cycle->is_changed() && !comparison->noise.covers(*cycle);
}

namespace {

bool may_have_changed(const CycleRow& cycle) {
  const bool is_noise_between_runs = cycle.between_runs_p >= kSignificant;  // NaN: not known
  return cycle.is_changed() || (cycle.differs_much() && !is_noise_between_runs);
}

}  // namespace

bool Symptoms::is_slower() const { return may_have_changed(*cycle) && cycle->rises(); }

bool Symptoms::is_faster() const { return may_have_changed(*cycle) && !cycle->rises(); }

const MetricRow* Symptoms::metric(MetricRole role, std::string_view device) const {
  for (const MetricRow& row : comparison->metrics) {
    if (row.info.role == role && row.device == device && row.rank == rank) return &row;
  }
  return nullptr;
}

const LaunchRow* Symptoms::launches(std::string_view device) const {
  for (const LaunchRow& row : comparison->launches) {
    if (row.device == device && row.rank == rank) return &row;
  }
  return nullptr;
}

std::string Symptoms::place() const {
  return comparison->normal.ranks.size() > 1 ? fmt::format(" on rank {}", rank) : "";
}

Symptoms read_symptoms(const Comparison& comparison, std::int32_t rank) {
  Symptoms symptoms;
  symptoms.comparison = &comparison;
  symptoms.rank = rank;
  symptoms.cycle = &comparison.cycles.front();
  symptoms.cycle_change_ms = symptoms.cycle->shown().shift;
  Rows functions;
  for (const FunctionRow& row : comparison.functions) {
    if (row.rank == rank && row.type == symptoms.cycle->type) functions.push_back(&row);
  }
  for (const DeviceRow& device : comparison.devices) {
    if (device.rank != rank || device.device == kHostDevice) continue;
    symptoms.devices.push_back(read_device(comparison, device, functions, rank));
  }
  symptoms.host = read_host(functions);
  for (const IdleCauseRow& row : comparison.idle) {
    if (row.rank == rank) symptoms.idle.push_back(&row);
  }
  symptoms.common_calls_factor = common_factor(functions);
  const auto has_frames = [&](const SideFacts& side) {
    return std::ranges::any_of(side.ranks, [&](const RankMeasure& measure) {
      return measure.rank == rank && measure.has_frames;
    });
  };
  symptoms.has_frames = has_frames(comparison.normal) && has_frames(comparison.abnormal);
  return symptoms;
}

const DeviceRow* host_row(const Symptoms& symptoms) {
  for (const DeviceRow& row : symptoms.comparison->devices) {
    if (row.device == kHostDevice && row.rank == symptoms.rank) return &row;
  }
  return nullptr;
}

bool cycle_is_host_time(const Symptoms& symptoms) {
  return !symptoms.devices.empty() &&
         std::ranges::all_of(symptoms.devices, [](const DeviceSymptoms& device) {
           return device.row->outlasts_both;
         });
}

namespace {

const Change* wait_of_work(const Symptoms& symptoms) {
  constexpr double kRealPart = 0.02;  // of the normal cycle
  for (const IdleCauseRow* row : symptoms.idle) {
    if (row->cause.kind != analysis::IdleKind::kLaunched) continue;
    const bool matters =
        std::abs(row->ms.core_difference()) >= kRealPart * symptoms.cycle->ms.normal_core.mean;
    return matters ? &row->ms : nullptr;
  }
  return nullptr;
}

}  // namespace

const Change* longer_wait_of_work(const Symptoms& symptoms) {
  const Change* wait_ms = wait_of_work(symptoms);
  return wait_ms != nullptr && rose(*wait_ms, 1.1) ? wait_ms : nullptr;
}

const Change* shorter_wait_of_work(const Symptoms& symptoms) {
  const Change* wait_ms = wait_of_work(symptoms);
  return wait_ms != nullptr && fell(*wait_ms, 1 / 1.1) ? wait_ms : nullptr;
}

bool kernels_are_equal(const Symptoms& symptoms) {
  return std::ranges::all_of(symptoms.devices, [](const DeviceSymptoms& device) {
    return device.kernels.empty() || std::abs(device.kernel_ms.core_ratio() - 1) < 0.05 ||
           !is_real(device.kernel_ms);
  });
}

bool kernels_are_no_reason(const Symptoms& symptoms) {
  constexpr double kSmallPart = 0.1;
  const double small_ms = kSmallPart * std::abs(symptoms.cycle_change_ms);
  return kernels_are_equal(symptoms) ||
         std::ranges::all_of(symptoms.devices, [&](const DeviceSymptoms& device) {
           return std::abs(device.kernel_ms.core_difference()) < small_ms;
         });
}

namespace {

// A smaller change of the share of time is not worth mentioning.
constexpr double kLeastQueueing = 0.03;

// A process that is stopped for a while waits in some samples and not in others: their order tells
// it where their mean does not.
bool order_tells(const Change& samples) {
  return samples.rank.p < kSurely && std::abs(samples.cliffs_delta) > kLargeDelta;
}

// `whole` is the quantity that fills all of the time; `shown` is the change that tables print.
Queueing queueing_of(const Change& waiting, const Change& shown, double least_ratio, double whole) {
  Queueing queue = {.is_known = true,
                    .normal_share = waiting.normal_core.mean / whole,
                    .abnormal_share = waiting.abnormal_core.mean / whole};
  const Change::Typical typical = shown.typical();
  queue.shown_normal_share = typical.normal / whole;
  queue.shown_abnormal_share = typical.abnormal / whole;
  // Samples are told apart where cycles that share them are not.
  queue.grew = rose(waiting, least_ratio) || rose(shown, least_ratio);
  queue.shrank = fell(waiting, 1 / least_ratio) || fell(shown, 1 / least_ratio);
  return queue;
}

}  // namespace

Queueing queueing(const Symptoms& symptoms) {
  constexpr double kWholeTime = 1000;  // milliseconds per second
  constexpr double kLeastRatio = 1.5;
  Queueing queue;
  if (const MetricRow* row = symptoms.metric(MetricRole::kRunQueue, kHostDevice);
      row != nullptr && row->all.normal.n > 0 && row->all.abnormal.n > 0) {
    const Change& samples = row->tested(MetricTime::kCycle);
    queue = queueing_of(row->all, samples, kLeastRatio, kWholeTime);
    if (order_tells(samples)) {
      queue.grew |= queue.abnormal_share > kLeastRatio * queue.normal_share;
      queue.shrank |= queue.normal_share > kLeastRatio * queue.abnormal_share;
    }
  }
  if (const Change& ms = symptoms.host.queue_ms; ms.normal_core.mean + ms.abnormal_core.mean > 0) {
    const double cycle_ms = std::max(1e-9, symptoms.cycle->ms.normal_core.mean);
    const Queueing by_slices = queueing_of(ms, ms, 1.3, cycle_ms);
    if (!queue.is_known || by_slices.grew) queue = by_slices;
  }
  const double rise = queue.abnormal_share - queue.normal_share;
  queue.grew &= rise > kLeastQueueing;
  queue.shrank &= -rise > kLeastQueueing;
  return queue;
}

}  // namespace strobe::compare
