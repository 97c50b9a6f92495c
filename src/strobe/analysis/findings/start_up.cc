#include "strobe/analysis/findings/start_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "strobe/analysis/findings/finding_rules.h"
#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {
namespace {

constexpr double kStartUpWorthALook = 0.3;

using CauseKey = std::pair<IdleKind, std::string>;

// A range that is only the step itself tells nothing.
CauseKey cause_key(const Summary& whole, const IdleRow& row) {
  const bool is_step =
      row.kind == IdleKind::kRange &&
      std::ranges::find(whole.steps, row.name, &StepRow::name) != whole.steps.end();
  return is_step ? CauseKey{IdleKind::kNothing, ""} : CauseKey{row.kind, row.name};
}

// Idle time of the device in the start-up, one cause each, most time first.
std::vector<IdleCause> idle_in_start_up(const Summary& whole, const Summary& steady) {
  std::map<CauseKey, std::int64_t> later_ns;
  for (const IdleRow& row : steady.waits.idle) {
    later_ns[cause_key(whole, row)] += row.idle.total_ns;
  }
  std::map<CauseKey, IdleCause> causes;
  for (const IdleRow& row : whole.waits.idle) {
    const CauseKey key = cause_key(whole, row);
    IdleCause& cause = causes[key];
    std::tie(cause.kind, cause.name) = key;
    if (cause.kind == IdleKind::kRuntimeCall) cause.purpose = device::runtime_call(row.name);
    cause.inside_ns += row.idle.total_ns;
    if (row.idle.total_ns <= cause.at_main_ns) continue;
    cause.at_main_ns = row.idle.total_ns;
    cause.main_place = {row.inside, row.source};
  }
  std::vector<IdleCause> sorted;
  for (auto& [key, cause] : causes) {
    cause.inside_ns -= later_ns[key];
    cause.at_main_ns = std::min(cause.at_main_ns, cause.inside_ns);
    if (cause.inside_ns > 0) sorted.push_back(std::move(cause));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), &IdleCause::inside_ns);
  return sorted;
}

std::int64_t median_length_ns(std::span<const StepRow> steps) {
  std::vector<std::int64_t> lengths_ns;
  for (const StepRow& step : steps) lengths_ns.push_back(step.interval.length_ns());
  std::ranges::sort(lengths_ns);
  return lengths_ns[lengths_ns.size() / 2];
}

// "466 ms where a steady one takes 9.52 ms", "up to 466 ms, ..."
std::string warm_up_text(const Summary& whole, std::string_view step) {
  const std::span<const StepRow> steps = std::span(whole.steps).first(whole.warm_up.cycles);
  std::int64_t longest_ns = 0;
  std::int64_t all_ns = 0;
  for (const StepRow& one : steps) {
    longest_ns = std::max(longest_ns, one.interval.length_ns());
    all_ns += one.interval.length_ns();
  }
  const std::string steady = duration_text(median_length_ns(steady_steps(whole)));
  if (steps.size() == 1) {
    return fmt::format("{} in the first {}, where a later one takes {}", duration_text(all_ns),
                       step, steady);
  }
  return fmt::format("{} in the first {}, up to {} each, where a later one takes {}",
                     duration_text(all_ns), counted(steps.size(), step), duration_text(longest_ns),
                     steady);
}

// ": 3.33 s before the first step and 466 ms in the first step, ...", as far as both are there.
std::string parts_text(const Summary& whole, std::string_view step, std::int64_t start_up_ns) {
  if (!whole.has_steps) return "";
  const std::int64_t before_ns = whole.steps.front().interval.start_ns - whole.extent.start_ns;
  if (whole.warm_up.cycles == 0) return fmt::format(", all before the first {}", step);
  const bool is_long = 20 * before_ns >= start_up_ns;
  std::string text = ": ";
  if (is_long) text += fmt::format("{} before the first {}", duration_text(before_ns), step);
  return text + (is_long ? " and " : "") + warm_up_text(whole, step);
}

// " (mostly in aten::randn)"
std::string place_in_brackets(const IdleCause& cause) {
  const std::string place = where_text(cause);
  return place.empty() ? "" : fmt::format(" ({})", place.substr(2));
}

std::string causes_text(const std::vector<IdleCause>& causes, const Evidence& e,
                        std::int64_t start_up_ns) {
  constexpr std::size_t kNamed = 3;
  std::int64_t idle_ns = 0;
  for (const IdleCause& cause : causes) idle_ns += cause.inside_ns;
  if (idle_ns == 0) return "";
  std::string text = fmt::format("; {} idle {} of it", e.device, duration_text(idle_ns));
  bool names_the_host = false;
  for (std::size_t i = 0; i < std::min(kNamed, causes.size()); ++i) {
    if (50 * causes[i].inside_ns < start_up_ns) break;
    text += fmt::format("{} {} {}{}", i == 0 ? ":" : ",", duration_text(causes[i].inside_ns),
                        names_the_host ? cause_text(causes[i]) : moment_text(causes[i]),
                        place_in_brackets(causes[i]));
    names_the_host = names_the_host || causes[i].kind != IdleKind::kLaunched;
  }
  return text;
}

// As --steps takes it: the number in the name of the first steady step, or its position.
std::string first_steady_number(const Summary& whole) {
  const std::string& name = steady_steps(whole).front().name;
  std::size_t begin = name.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  return begin < name.size() ? name.substr(begin) : std::to_string(whole.warm_up.cycles);
}

std::string_view how_to_shorten(const IdleCause& largest) {
  using device::RuntimeCall;
  if (largest.kind == IdleKind::kNothing) {
    return "; record interpreter frames, or mark ranges in the script, to see what ran there";
  }
  switch (largest.purpose) {
    case RuntimeCall::kLaunch:
    case RuntimeCall::kLoadCode:
      return "; to shorten it, load less code: fewer libraries, and built for this device";
    case RuntimeCall::kAllocate:
    case RuntimeCall::kFree:
      return "; to shorten it, allocate memory in fewer pieces, and pin less of it";
    default:
      return "";
  }
}

}  // namespace

Finding describe_start_up(const Summary& whole, const Evidence& steady) {
  const std::int64_t start_up_ns = steady.summary.extent.start_ns - whole.extent.start_ns;
  const double share = ratio_ns(start_up_ns, whole.extent.length_ns());
  const std::vector<IdleCause> causes = idle_in_start_up(whole, steady.summary);
  const std::string_view step = steady.step_word();
  const std::string advice =
      whole.has_steps
          ? fmt::format(
                "this happens once, so the other findings are about the {} {}s after it; "
                "--steps {}: shows only these",
                count_text(steady.summary.steps.size()), step, first_steady_number(whole))
          : "this happens once, so the other findings are about the time after it";
  return {"start_up",
          share >= kStartUpWorthALook ? FindingWeight::kWorthALook : FindingWeight::kNote, share,
          fmt::format("start-up takes {}, {} of the span{}{}", duration_text(start_up_ns),
                      share_text(share), parts_text(whole, step, start_up_ns),
                      causes_text(causes, steady, start_up_ns)),
          advice + std::string(causes.empty() ? "" : how_to_shorten(causes.front()))};
}

}  // namespace strobe::analysis
