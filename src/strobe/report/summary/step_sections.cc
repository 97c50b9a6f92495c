#include <algorithm>
#include <functional>
#include <optional>

#include "strobe/report/render/format.h"
#include "strobe/report/summary/step_label_text.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::kStepLabels;
using analysis::StepLabel;
using analysis::StepRow;

constexpr double kStandsOut = 1.05;  // times the median

std::string label_text(StepLabel label, const SummaryInput& input) {
  return step_label_text(label, input.has_device ? std::string_view(input.device) : "");
}

struct StepOfRank {
  const RankInput* rank;
  const StepRow* step;
  std::size_t position;  // in its rank, from 0

  std::int64_t length_ns() const { return step->interval.length_ns(); }
  bool is_warm_up() const { return position < rank->summary->warm_up.cycles; }
};

std::vector<StepOfRank> all_steps(const SummaryInput& input) {
  std::vector<StepOfRank> steps;
  for (const RankInput& rank : input.ranks) {
    if (!rank.summary->has_steps) continue;
    for (std::size_t i = 0; i < rank.summary->steps.size(); ++i) {
      steps.push_back({&rank, &rank.summary->steps[i], i});
    }
  }
  return steps;
}

// The slowest ones, in the order of all.
std::vector<StepOfRank> slowest(const std::vector<StepOfRank>& steps, std::size_t top) {
  if (top == 0 || steps.size() <= top) return steps;
  std::vector<std::int64_t> lengths_ns;
  for (const StepOfRank& one : steps) lengths_ns.push_back(one.length_ns());
  std::ranges::nth_element(lengths_ns, lengths_ns.begin() + static_cast<std::ptrdiff_t>(top) - 1,
                           std::greater<>());
  const std::int64_t least_ns = lengths_ns[top - 1];
  std::size_t equal = top;  // of those as long as the shortest shown one, the first ones
  for (const StepOfRank& one : steps) equal -= one.length_ns() > least_ns ? 1 : 0;
  std::vector<StepOfRank> shown;
  for (const StepOfRank& one : steps) {
    const bool is_equal = one.length_ns() == least_ns;
    if (one.length_ns() > least_ns || (is_equal && equal > 0)) shown.push_back(one);
    if (is_equal && equal > 0) --equal;
  }
  return shown;
}

// The length of the step that is longer than all others of its rank, if it stands out. Warm-up has
// a remark of its own.
std::optional<std::int64_t> clearly_longest_ns(const std::vector<StepOfRank>& steps) {
  std::vector<StepOfRank> sorted = steps;
  std::erase_if(sorted, [](const StepOfRank& one) { return one.is_warm_up(); });
  if (sorted.size() < 2) return std::nullopt;
  std::ranges::stable_sort(sorted, std::greater<>(), &StepOfRank::length_ns);
  const std::int64_t longest_ns = sorted[0].length_ns();
  const auto median_ns = static_cast<double>(sorted[sorted.size() / 2].length_ns());
  if (static_cast<double>(longest_ns) < kStandsOut * median_ns) return std::nullopt;
  // Steps of one rank stay side by side.
  for (std::size_t i = 1; i < sorted.size() && sorted[i].length_ns() == longest_ns; ++i) {
    if (sorted[i].rank == sorted[i - 1].rank) return std::nullopt;
  }
  return longest_ns;
}

std::string remark_on(const StepOfRank& one, std::optional<std::int64_t> longest_ns) {
  if (one.is_warm_up()) return "warm-up";
  return one.length_ns() == longest_ns ? "longest" : "";
}

std::string step_name(const StepOfRank& one, const SummaryInput& input) {
  if (!one.step->name.empty()) return one.step->name;
  return input.step_word() + " " + std::to_string(one.position);
}

// In a narrow page the least telling labels are dropped first.
constexpr int kLabelImportance[kStepLabels] = {6, 5, 2, 1, 4, 4, 3, 3};

std::vector<Column> step_columns(const SummaryInput& input, const std::vector<StepOfRank>& steps,
                                 bool has_remarks) {
  const std::string_view device = input.has_device ? std::string_view(input.device) : "";
  std::vector<Column> columns = {{.key = "rank",
                                  .header = "rank",
                                  .type = ColumnType::kName,
                                  .importance = 8,
                                  .for_tools = input.ranks.size() < 2},
                                 {.key = "step",
                                  .header = input.step_word(),
                                  .type = ColumnType::kName,
                                  .importance = 9,
                                  .least_width = 14},
                                 {"start_ns", "starts at", ColumnType::kDuration, 7},
                                 {"duration_ns", "time", ColumnType::kDuration, 9},
                                 {.key = "mark",
                                  .header = "remark",
                                  .type = ColumnType::kText,
                                  .importance = 8,
                                  .for_tools = !has_remarks,
                                  .for_people = true},
                                 tool_column("state", ColumnType::kText)};
  for (int i = 0; i < kStepLabels; ++i) {
    const auto label = static_cast<StepLabel>(i);
    const bool is_used = std::ranges::any_of(
        steps, [i](const StepOfRank& one) { return one.step->label_ns[i] > 0; });
    columns.push_back({.key = std::string(analysis::word_of(label)) + "_ns",
                       .header = step_label_header(label, device),
                       .type = ColumnType::kDuration,
                       .importance = kLabelImportance[i],
                       .for_tools = !is_used});
  }
  columns.push_back(tool_column("launched_kernel_ns", ColumnType::kDuration));
  columns.push_back(tool_column("launched_device_ns", ColumnType::kDuration));
  return columns;
}

}  // namespace

Section step_section(const SummaryInput& input) {
  std::int64_t label_ns[kStepLabels] = {};
  std::int64_t steps_ns = 0;
  std::uint64_t steps = 0;
  for (const RankInput& rank : input.ranks) {
    for (const StepRow& step : analysis::steady_steps(*rank.summary)) {
      for (int i = 0; i < kStepLabels; ++i) label_ns[i] += step.label_ns[i];
      steps_ns += step.interval.length_ns();
      ++steps;
    }
  }
  Section section;
  section.key = "step_breakdown";
  const bool has_steps = input.merged.has_steps;
  const std::string step = input.step_word();
  const std::string whole = has_steps ? step : input.ranks.size() > 1 ? "traces" : "trace";
  section.title = has_steps ? "Where the average " + step + " went"
                            : "Where the time of the " + whole + " went";
  section.lead = input.has_device ? "Each nanosecond counts once: what the " + input.device +
                                        " did or, while it was idle, what the host did."
                                  : "Each nanosecond counts once.";
  const WarmUpTime warm_up = warm_up_time(input);
  if (warm_up.steps > 0) {
    section.lead += " The warm-up, " + counted(warm_up.steps, step) + " of " +
                    input.duration(warm_up.total_ns) + (warm_up.steps > 1 ? " in all" : "") +
                    ", is left out.";
  }
  section.table.columns = {{"label", "in the " + whole},
                           tool_column("word", ColumnType::kText),
                           {.key = "per_step_ns",
                            .header = "per " + step,
                            .type = ColumnType::kDuration,
                            .for_tools = !has_steps},
                           {.key = "total_ns",
                            .header = has_steps ? "all " + step + "s" : "time",
                            .type = ColumnType::kDuration,
                            .for_tools = has_steps},
                           {.key = "share",
                            .header = "share of " + whole,
                            .type = ColumnType::kShare,
                            .share_of = has_steps ? "time of the " + step + "s" : span_words(input),
                            .balanced = true},
                           whole_bar_column()};
  if (steps == 0) return section;
  const auto add = [&](std::string text, std::string word, std::int64_t total_ns, RowStyle style) {
    const Cell share = share_of(total_ns, steps_ns);
    section.table.rows.push_back(
        {{Text{std::move(text)}, Text{std::move(word)},
          has_steps ? Cell{Duration{total_ns / static_cast<std::int64_t>(steps)}} : Cell{Absent{}},
          Duration{total_ns}, share, style == RowStyle::kTotal ? Cell{Absent{}} : share},
         style});
  };
  for (int i = 0; i < kStepLabels; ++i) {
    const auto label = static_cast<StepLabel>(i);
    if (label_ns[i] == 0) continue;
    add(label_text(label, input), std::string(analysis::word_of(label)), label_ns[i],
        RowStyle::kPlain);
  }
  section.for_tools =
      !has_steps && !input.has_device && section.table.rows.size() < 2 && input.shows_all_views();
  add(whole, "all", steps_ns, RowStyle::kTotal);
  return section;
}

Section steps_section(const SummaryInput& input) {
  const std::string step = input.step_word();
  const std::vector<StepOfRank> steps = all_steps(input);
  const std::vector<StepOfRank> shown = slowest(steps, input.options.top);
  Section section;
  section.key = "steps";
  section.title = "Every " + step;
  section.lead = "When each " + step +
                 " starts, counted from the earliest slice of its trace, and where its time went: "
                 "the columns add up to its time.";
  if (shown.size() < steps.size()) {
    section.lead += " Of " + counted(steps.size(), step) + ", the " + count_text(shown.size()) +
                    " slowest are shown.";
  }
  const std::optional<std::int64_t> longest_ns = clearly_longest_ns(steps);
  const bool has_remarks =
      longest_ns.has_value() || std::ranges::any_of(steps, &StepOfRank::is_warm_up);
  section.table.columns = step_columns(input, steps, has_remarks);
  std::int64_t left_out_ns = 0;
  for (const StepOfRank& one : steps) left_out_ns += one.length_ns();
  for (const StepOfRank& one : shown) {
    left_out_ns -= one.length_ns();
    Row row{{Text{one.rank->name}, Text{step_name(one, input)},
             Duration{since_origin_ns(*one.rank, one.step->interval.start_ns)},
             Duration{one.length_ns()}, Text{remark_on(one, longest_ns)},
             Text{one.is_warm_up() ? "warm_up" : "steady"}},
            RowStyle::kPlain};
    for (const std::int64_t label_ns : one.step->label_ns) row.cells.push_back(Duration{label_ns});
    row.cells.push_back(Duration{one.step->kernel_ns});
    row.cells.push_back(Duration{one.step->device_ns});
    section.table.rows.push_back(std::move(row));
  }
  section.table.rows_left_out = steps.size() - shown.size();
  if (section.table.rows_left_out > 0) {
    section.table.left_out = count_text(section.table.rows_left_out) + " more, " +
                             input.duration(left_out_ns) + " in all, are faster" +
                             how_to_see(section.table.rows_left_out);
  }
  // The head already shows a single one.
  section.for_tools = steps.size() < 2 && input.shows_all_views();
  return section;
}

}  // namespace strobe::report
