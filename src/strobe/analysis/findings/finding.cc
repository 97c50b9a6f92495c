#include "strobe/analysis/findings/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/finding_rules.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {

std::vector<Finding> find_in(const Trace& trace, const Summary& summary) {
  const Evidence evidence = gather_evidence(trace, summary);
  std::vector<Finding> findings;
  for (const FindingRule rule : finding_rules()) {
    if (std::optional<Finding> finding = rule(evidence)) findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.share > b.share;
  });
  return findings;
}

namespace {

using device::RuntimeCall;

bool contains(const Interval& interval, std::int64_t time_ns) {
  return time_ns >= interval.start_ns && time_ns < interval.end_ns;
}

void gather_slices(Evidence& evidence) {
  const Trace& trace = evidence.trace;
  const auto& slices = trace.slices();
  OncePerName purpose_of(trace.strings(), device::runtime_call);
  std::vector<std::int64_t> call_ns(trace.strings().size());
  std::vector<std::int64_t> kernel_durations_ns;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if ((slices.flags[row] & kUnfinished) != 0) ++evidence.unfinished_slices;
    const SliceKind kind = slices.kinds[row];
    evidence.has_operators = evidence.has_operators || kind == SliceKind::kOperator;
    if (kind != SliceKind::kRuntimeCall && !is_device_work(kind)) continue;
    if (!contains(evidence.summary.extent, slices.starts_ns[row])) continue;
    const std::int64_t duration_ns = slices.durations_ns[row];
    if (is_device_work(kind)) {
      ++evidence.device_slices;
      if (kind == SliceKind::kKernel) kernel_durations_ns.push_back(duration_ns);
      continue;
    }
    const RuntimeCall purpose = purpose_of(slices.names[row]);
    if (purpose == RuntimeCall::kLaunch) evidence.launches.time.add(duration_ns);
    if (purpose == RuntimeCall::kSynchronize) evidence.waits.time.add(duration_ns);
    call_ns[slices.names[row].index()] += duration_ns;
  }
  std::int64_t longest_launch_ns = -1;
  std::int64_t longest_wait_ns = -1;
  for (std::size_t name = 0; name < call_ns.size(); ++name) {
    const std::optional<RuntimeCall> purpose = purpose_of.known(StringId(name));
    CallTotals* totals = nullptr;
    std::int64_t* longest_ns = nullptr;
    if (purpose == RuntimeCall::kLaunch) {
      totals = &evidence.launches;
      longest_ns = &longest_launch_ns;
    } else if (purpose == RuntimeCall::kSynchronize) {
      totals = &evidence.waits;
      longest_ns = &longest_wait_ns;
    }
    if (totals == nullptr || call_ns[name] <= *longest_ns) continue;
    *longest_ns = call_ns[name];
    totals->longest = std::string(trace.strings()[StringId(name)]);
  }
  for (const std::int64_t duration_ns : kernel_durations_ns) {
    evidence.kernels.add(duration_ns);
    if (duration_ns < kTinyKernelNs) evidence.tiny_kernels.add(duration_ns);
  }
  if (!kernel_durations_ns.empty()) {
    const auto middle =
        kernel_durations_ns.begin() + static_cast<std::ptrdiff_t>(kernel_durations_ns.size() / 2);
    std::nth_element(kernel_durations_ns.begin(), middle, kernel_durations_ns.end());
    evidence.median_kernel_ns = *middle;
  }
}

}  // namespace

double Evidence::share_of(StepLabel label) const {
  return labelled_ns == 0 ? 0.0
                          : static_cast<double>(label_ns[static_cast<std::size_t>(label)]) /
                                static_cast<double>(labelled_ns);
}

double Evidence::launching_share() const {
  return share_of(StepLabel::kRuntime) + share_of(StepLabel::kHost);
}

std::string Evidence::whole_text() const {
  if (!summary.has_steps) return "the trace";
  return summary.steps.size() == 1 ? "the step"
                                   : "the " + count_text(summary.steps.size()) + " steps";
}

Evidence gather_evidence(const Trace& trace, const Summary& summary) {
  Evidence evidence(trace, summary);
  for (const StepRow& step : summary.steps) {
    evidence.labelled_ns += step.interval.length_ns();
    for (std::size_t i = 0; i < kStepLabels; ++i) evidence.label_ns[i] += step.label_ns[i];
  }
  evidence.use = device_use(summary);
  gather_slices(evidence);
  return evidence;
}

std::int64_t own_step_ns(const Summary& summary) {
  if (summary.steps.empty()) return 0;
  std::int64_t own_ns = 0;
  for (const StepRow& step : summary.steps) {
    own_ns += step.interval.length_ns() -
              step.label_ns[static_cast<std::size_t>(StepLabel::kCommunication)];
  }
  return own_ns / static_cast<std::int64_t>(summary.steps.size());
}

std::optional<Finding> find_straggler(const std::vector<RankSummary>& ranks) {
  constexpr double kClearly = 1.1;
  if (ranks.size() < 2) return {};
  std::vector<std::int64_t> own_ns;
  for (const RankSummary& rank : ranks) own_ns.push_back(own_step_ns(*rank.summary));
  const auto most = std::max_element(own_ns.begin(), own_ns.end());
  const RankSummary& slowest = ranks[static_cast<std::size_t>(most - own_ns.begin())];
  const auto slowest_ns = static_cast<double>(*most);
  std::sort(own_ns.begin(), own_ns.end());
  const auto median_ns = static_cast<double>(own_ns[(own_ns.size() - 1) / 2]);
  if (median_ns <= 0 || slowest_ns < kClearly * median_ns) return {};
  const double share = (slowest_ns - median_ns) / slowest_ns;
  const bool others_wait = std::any_of(ranks.begin(), ranks.end(), [](const RankSummary& rank) {
    return rank.summary->has_communication;
  });
  const std::string whole = slowest.summary->has_steps ? "per step" : "in its trace";
  return Finding{
      "straggling_rank", share >= 0.15 ? FindingWeight::kMatters : FindingWeight::kWorthALook,
      share,
      fmt::format("{} {}: {} of its own work {}, {:.2f} times the median rank with {}",
                  slowest.name, others_wait ? "keeps the others waiting" : "is the slowest",
                  mean_duration_text(slowest_ns), whole, slowest_ns / median_ns,
                  mean_duration_text(median_ns)),
      "compare its tables with those of another rank; look for an uneven batch, a busy host or a "
      "slower device"};
}

namespace {

constexpr std::size_t kNameLength = 48;

// "void a::b<4, c>(int)" is "b<...>".
std::string without_templates(const std::string& name) {
  constexpr std::string_view kVoid = "void ";
  const std::size_t begin = name.starts_with(kVoid) ? kVoid.size() : 0;
  const std::size_t open = name.find('<', begin);
  if (open == std::string::npos || open == begin) return name;
  const std::string head = name.substr(begin, open - begin);
  const std::size_t colons = head.rfind("::");
  return (colons == std::string::npos ? head : head.substr(colons + 2)) + "<...>";
}

}  // namespace

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string place_text(const std::string& place) { return std::string(parts_of_place(place).text); }

std::string short_name(const std::string& full_name) {
  if (full_name.size() <= kNameLength) return full_name;
  const std::string name = without_templates(full_name);
  if (name.size() <= kNameLength) return name;
  return std::string(prefix_of(name, kNameLength)) + "...";
}

}  // namespace strobe::analysis
