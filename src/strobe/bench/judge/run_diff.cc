#include "strobe/bench/judge/run_diff.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "strobe/bench/judge/cell_verdict.h"
#include "strobe/stats/p_values.h"

namespace strobe::bench {
namespace {

constexpr std::pair<CellVerdict, std::string_view> kVerdicts[] = {
    {CellVerdict::kSame, "same"},
    {CellVerdict::kFaster, "faster"},
    {CellVerdict::kSlower, "slower"},
    {CellVerdict::kUnclear, "unclear"},
    {CellVerdict::kNotComparable, "not_comparable"}};

using CellsByName = std::map<Cell, const CellRecord*>;

// If a cell was measured twice, the last measurement counts.
CellsByName by_name(const BenchRun& run) {
  CellsByName cells;
  for (const CellRecord& record : run.cells) cells[record.cell] = &record;
  return cells;
}

void warn_of_copies(const BenchRun& run, const CellsByName& cells, std::string_view which,
                    std::vector<std::string>& warnings) {
  if (cells.size() == run.cells.size()) return;
  std::map<Cell, int> times;
  for (const CellRecord& record : run.cells) ++times[record.cell];
  const auto copied =
      std::ranges::count_if(times, [](const auto& counted) { return counted.second > 1; });
  warnings.push_back(fmt::format("the {} run has {} cell{} more than once; the last counts", which,
                                 copied, copied == 1 ? "" : "s"));
}

void warn_if_different(std::string_view what, const std::string& before, const std::string& after,
                       std::vector<std::string>& warnings) {
  if (before == after) return;
  const auto name = [](const std::string& text) { return text.empty() ? "unknown" : text; };
  warnings.push_back(
      fmt::format("the {} differ: {} before, {} after", what, name(before), name(after)));
}

std::vector<std::string> header_warnings(const RunHeader& before, const RunHeader& after) {
  std::vector<std::string> warnings;
  warn_if_different("devices", before.device, after.device, warnings);
  warn_if_different("drivers", before.driver, after.driver, warnings);
  for (const auto& [library, version] : before.libraries) {
    const auto other = after.libraries.find(library);
    if (other != after.libraries.end()) {
      warn_if_different(library + " versions", version, other->second, warnings);
    }
  }
  warn_if_different("stop rules", before.method.stop, after.method.stop, warnings);
  if (before.method.seed != after.method.seed) {
    warn_if_different("seeds", fmt::format("{}", before.method.seed),
                      fmt::format("{}", after.method.seed), warnings);
  }
  return warnings;
}

std::string hold_text(const Method& method) {
  switch (method.hold) {
    case Hold::kNone:
      return "not held";
    case Hold::kCalls:
      return "held for several calls";
    case Hold::kCall:
      break;
  }
  return "held for each call";
}

// Host times have no queue, so the hold does not matter.
bool differ_in_hold(const Method& before, const Method& after) {
  const auto is_of_host = [](const Method& method) {
    return std::ranges::all_of(method.modes, [](TimeMode mode) { return mode == TimeMode::kCpu; });
  };
  return before.hold != after.hold && !(is_of_host(before) && is_of_host(after));
}

Error other_hold(const Method& before, const Method& after) {
  const bool is_profiled = before.hold == Hold::kNone || after.hold == Hold::kNone;
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format("the device's queue was {} in the first run and {} in the second: {}",
                              hold_text(before), hold_text(after),
                              is_profiled ? "the times of only one run include the host"
                                          : "short calls take longer in one of them"),
          .where = "",
          .hint = is_profiled
                      ? "measure both with or both without --profile, or compare with --force"
                      : "measure the older one again, or compare with --force"};
}

Error other_cache(const Method& before, const Method& after) {
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format(
              "the runs were measured with different caches ({} before, {} after), which alone "
              "changes the times",
              before.flush, after.flush),
          .where = "",
          .hint = "measure one of them again with the --l2 of the other, or compare with --force"};
}

Error nothing_in_common(const BenchRun& before, const BenchRun& after) {
  const auto example = [](const BenchRun& run) {
    return run.cells.empty() ? std::string("no cells") : cell_text(run.cells.front().cell);
  };
  return {.code = ErrorCode::kTooLittleData,
          .what = "the runs have no cell in common",
          .where = "",
          .hint = fmt::format("cells are matched by case, shape, type and provider: {} before, {} "
                              "after",
                              example(before), example(after))};
}

// Among hundreds of cells some are outside by chance. A verdict is kept if at most one in twenty of
// the cells with that verdict is expected to be chance.
void judge_together(std::vector<JudgedCell>& cells) {
  constexpr double kMostChance = 0.05;
  std::vector<double> chances;
  for (const JudgedCell& cell : cells) {
    const bool takes_part = cell.diff.source != RatioSource::kNone;
    chances.push_back(takes_part ? chance_of(cell) : std::nan(""));
  }
  const std::vector<double> q = stats::adjusted_p(chances);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CellDiff& diff = cells[i].diff;
    diff.q = std::isnan(q[i]) ? 1 : q[i];
    const bool is_change =
        diff.verdict == CellVerdict::kSlower || diff.verdict == CellVerdict::kFaster;
    if (!is_change || diff.q <= kMostChance) continue;
    diff.verdict = CellVerdict::kUnclear;
    diff.reason =
        fmt::format("{:+.1f} % ({:+.1f} to {:+.1f} %) may be chance among {} cells (q = {:.2f})",
                    100 * (diff.ratio - 1), 100 * (diff.ratio_ci95[0] - 1),
                    100 * (diff.ratio_ci95[1] - 1), cells.size(), diff.q);
    diff.advice = "measure this cell again in both";
  }
}

Error bad_gate(std::string_view text) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' is not a benchmark gate", text),
          .where = "--fail-on",
          .hint = "slower:3%, slower, faster:3%, faster or broken"};
}

bool read_percentage(std::string_view text, double& share) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  const bool has_sign = end + 1 == text.data() + text.size() && *end == '%';
  share /= 100;
  return error == std::errc() && has_sign && std::isfinite(share) && share >= 0;
}

}  // namespace

std::string_view verdict_name(CellVerdict verdict) {
  for (const auto& [known, name] : kVerdicts) {
    if (known == verdict) return name;
  }
  return "";
}

std::string_view source_name(RatioSource source) {
  switch (source) {
    case RatioSource::kSamples:
      return "samples";
    case RatioSource::kIntervals:
      return "intervals";
    default:
      return "none";
  }
}

std::size_t RunDiff::count(CellVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(cells, verdict, &CellDiff::verdict));
}

std::size_t RunDiff::broken() const {
  return static_cast<std::size_t>(std::ranges::count(cells, true, &CellDiff::is_broken));
}

std::size_t RunDiff::compared() const { return cells.size() - count(CellVerdict::kNotComparable); }

double RunDiff::mean_ratio() const {
  double logs = 0;
  for (const CellDiff& cell : cells) {
    if (cell.verdict != CellVerdict::kNotComparable) logs += std::log(cell.ratio);
  }
  return compared() == 0 ? 1 : std::exp(logs / static_cast<double>(compared()));
}

Result<void> check_methods(const Method& before, const Method& after) {
  if (before.flush != after.flush) return other_cache(before, after);
  if (differ_in_hold(before, after)) return other_hold(before, after);
  return {};
}

Result<RunDiff> diff_runs(const BenchRun& before, const BenchRun& after,
                          const RunDiffOptions& options) {
  const Method& first = before.header.method;
  const Method& second = after.header.method;
  if (!options.is_forced) STROBE_TRY_VOID(check_methods(first, second));
  RunDiffOptions resolved = options;
  for (const BenchRun* run : {&before, &after}) {
    resolved.resolution_us =
        std::max(resolved.resolution_us, run->header.floors.stream_spread.value_or(0));
  }
  RunDiff diff;
  diff.band = options.band;
  diff.resolution_us = resolved.resolution_us;
  diff.warnings = header_warnings(before.header, after.header);
  if (first.flush != second.flush)
    warn_if_different("cache states", first.flush, second.flush, diff.warnings);
  if (differ_in_hold(first, second)) {
    warn_if_different("queues", hold_text(first), hold_text(second), diff.warnings);
  }
  const CellsByName known = by_name(before);
  const CellsByName now = by_name(after);
  warn_of_copies(before, known, "first", diff.warnings);
  warn_of_copies(after, now, "second", diff.warnings);

  std::vector<JudgedCell> judged;
  for (const CellRecord& record : after.cells) {
    if (now.at(record.cell) != &record) continue;
    const auto twin = known.find(record.cell);
    if (twin == known.end()) {
      ++diff.only_after;
    } else {
      judged.push_back(judge_cell(*twin->second, record, resolved));
    }
  }
  if (judged.empty()) return nothing_in_common(before, after);
  diff.only_before = known.size() - judged.size();
  judge_together(judged);
  for (JudgedCell& cell : judged) diff.cells.push_back(std::move(cell.diff));
  return diff;
}

Result<SpeedGate> parse_speed_gate(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  SpeedGate gate;
  if (word == "slower")
    gate.verdict = CellVerdict::kSlower;
  else if (word == "faster")
    gate.verdict = CellVerdict::kFaster;
  else if (word == "broken")
    gate.verdict = CellVerdict::kNotComparable;
  else
    return bad_gate(text);
  if (colon == std::string_view::npos) return gate;
  if (word == "broken" || !read_percentage(text.substr(colon + 1), gate.by)) return bad_gate(text);
  if (word == "faster" && gate.by >= 1) return bad_gate(text);  // no time can be negative
  return gate;
}

std::vector<const CellDiff*> caught(const RunDiff& diff, const SpeedGate& gate) {
  std::vector<const CellDiff*> cells;
  for (const CellDiff& cell : diff.cells) {
    if (cell.verdict != gate.verdict) continue;
    const bool is_caught = gate.verdict == CellVerdict::kSlower   ? cell.ratio_ci95[0] > 1 + gate.by
                           : gate.verdict == CellVerdict::kFaster ? cell.ratio_ci95[1] < 1 - gate.by
                                                                  : cell.is_broken;
    if (is_caught) cells.push_back(&cell);
  }
  return cells;
}

}  // namespace strobe::bench
