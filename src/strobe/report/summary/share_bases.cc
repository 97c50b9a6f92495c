#include <algorithm>
#include <cmath>

#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

bool is_part(const RankInput& rank) {
  return rank.summary->span_ns < rank.trace->extent().length_ns();
}

std::string over_ranks(const SummaryInput& input) {
  return input.ranks.size() > 1 ? ", ranks added up" : "";
}

}  // namespace

bool SummaryInput::is_part() const {
  return std::ranges::any_of(ranks, [](const RankInput& rank) { return report::is_part(rank); });
}

bool SummaryInput::has_cycles() const {
  const auto has_marked_steps = [](const RankInput& rank) {
    return rank.summary->has_steps && !rank.summary->cycles;
  };
  return std::ranges::none_of(ranks, has_marked_steps) &&
         std::ranges::any_of(
             ranks, [](const RankInput& rank) { return rank.summary->cycles.has_value(); });
}

Column whole_bar_column() {
  return {.key = "bar", .header = "", .type = ColumnType::kBar, .importance = 0, .balanced = true};
}

Cell share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return Absent{};
  return Share{static_cast<double>(part) / static_cast<double>(whole)};
}

std::int64_t idle_ns_of(const analysis::StepRow& step) {
  using analysis::StepLabel;
  std::int64_t sum_ns = 0;
  for (const StepLabel label :
       {StepLabel::kRuntime, StepLabel::kDataLoader, StepLabel::kHost, StepLabel::kIdle}) {
    sum_ns += step.label_ns[static_cast<std::size_t>(label)];
  }
  return sum_ns;
}

WarmUpTime warm_up_time(const SummaryInput& input) {
  WarmUpTime sum;
  for (const RankInput& rank : input.ranks) {
    for (std::size_t i = 0; i < rank.summary->warm_up.cycles; ++i) {
      ++sum.steps;
      sum.total_ns += rank.summary->steps[i].interval.length_ns();
      sum.idle_ns += idle_ns_of(rank.summary->steps[i]);
    }
  }
  return sum;
}

Cell average_of(const analysis::TimeStat& stat) {
  if (stat.calls == 0) return Absent{};
  return Duration{std::llround(stat.average_ns())};
}

bool is_spoilt_by_longest(const analysis::TimeStat& stat) {
  constexpr std::uint64_t kSeveral = 4;
  return stat.calls >= kSeveral && 2 * stat.max_ns > stat.total_ns;
}

Cell average_without_longest(const analysis::TimeStat& stat) {
  if (stat.calls < 2) return Absent{};
  const std::int64_t others_ns = std::max<std::int64_t>(0, stat.total_ns - stat.max_ns);
  return Duration{
      std::llround(static_cast<double>(others_ns) / static_cast<double>(stat.calls - 1))};
}

Column without_longest_column(bool is_needed) {
  return {.key = "per_call_without_longest_ns",
          .header = "without\nlongest",
          .type = ColumnType::kDuration,
          .importance = 2,
          .for_tools = !is_needed,
          .for_people = true};
}

bool is_changed_by_start_up(const analysis::TimeStat& all, const analysis::TimeStat* steady) {
  if (steady == nullptr || steady->calls == 0) return false;
  return std::abs(all.average_ns() - steady->average_ns()) > 0.1 * steady->average_ns();
}

Column steady_column(bool is_needed) {
  return {.key = "steady_per_call_ns",
          .header = "steady\nper call",
          .type = ColumnType::kDuration,
          .importance = 4,
          .for_tools = !is_needed};
}

Cell steady_average(const analysis::TimeStat* steady) {
  return steady == nullptr ? Cell{Absent{}} : average_of(*steady);
}

std::string steady_words(bool is_needed) {
  return is_needed ? " Steady is the average of the calls after the start-up." : "";
}

Cell min_of(const analysis::TimeStat& stat) {
  if (stat.calls == 0) return Absent{};
  return Duration{stat.min_ns};
}

Cell text_or_absent(const std::string& text) {
  return text.empty() ? Cell{Absent{}} : Cell{Text{text}};
}

std::int64_t since_origin_ns(const RankInput& rank, std::int64_t time_ns) {
  return time_ns - rank.summary->origin_ns;
}

std::int64_t spans_ns(const SummaryInput& input) {
  std::int64_t sum_ns = 0;
  for (const RankInput& rank : input.ranks) sum_ns += rank.summary->span_ns;
  return sum_ns;
}

std::string rank_span_words(const SummaryInput& input) {
  return input.is_part() ? "time of the chosen " + input.step_word() + "s" : "span of the trace";
}

std::string span_words(const SummaryInput& input) {
  return rank_span_words(input) + over_ranks(input);
}

std::string span_word(const SummaryInput& input) {
  return input.is_part() ? input.step_word() + "s" : "span";
}

std::int64_t host_time_ns(const SummaryInput& input) {
  std::int64_t sum_ns = 0;
  for (const RankInput& rank : input.ranks) {
    for (const analysis::HostThreadRow& thread : rank.summary->threads) {
      sum_ns += thread.host_time_ns;
    }
  }
  return sum_ns;
}

std::string host_time_words(const SummaryInput& input) {
  return "host time of all threads" + over_ranks(input) +
         (input.is_part() ? " in the chosen " + input.step_word() + "s" : "");
}

std::int64_t device_time_ns(const SummaryInput& input) {
  std::int64_t sum_ns = 0;
  for (const RankInput& rank : input.ranks) sum_ns += rank.summary->device_time_ns;
  return sum_ns;
}

std::string device_time_words(const SummaryInput& input) {
  return input.device + " time of all kernels, copies and memsets" + launched_words(input) +
         over_ranks(input);
}

std::string launched_words(const SummaryInput& input) {
  return input.is_part() ? " launched in the chosen " + input.step_word() + "s" : "";
}

}  // namespace strobe::report
