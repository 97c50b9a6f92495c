#include "strobe/report/fleet/stragglers_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>

#include "strobe/base/text.h"
#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

using fleet::ExtraWork;
using fleet::Job;
using fleet::Straggler;
using fleet::StragglerKind;
using fleet::StragglerReason;

std::string long_text(double ns) { return duration_text(std::llround(ns)); }

std::string chance_text(double p) { return p < 1e-6 ? "p < 1e-6" : fmt::format("p = {:.1g}", p); }

// The numbers of ranks, as far as they fit.
std::string list_of_ranks(const Job& job, const std::vector<std::size_t>& positions) {
  constexpr std::size_t kShown = 8;
  std::vector<std::int32_t> ranks;
  for (const std::size_t position : positions) {
    if (ranks.size() < kShown) ranks.push_back(job.ranks[position].rank);
  }
  const std::size_t more = positions.size() - ranks.size();
  const std::string list = fmt::format("{}", fmt::join(ranks, ", "));
  return more > 0 ? fmt::format("{} and {} more", list, more) : list;
}

}  // namespace

std::string straggler_name(const Job& job, const Straggler& one) {
  switch (one.kind) {
    case StragglerKind::kHost:
      return fmt::format("host {} ({})", one.host, counted(one.ranks.size(), "rank"));
    case StragglerKind::kStage:
      return fmt::format("pipeline stage {} ({}{})", one.stage.value_or(0),
                         counted(one.ranks.size(), "rank"),
                         one.host.empty() ? "" : ", all of host " + one.host);
    case StragglerKind::kNetwork:
      if (!one.group.empty()) return "the network of group " + one.group;
      if (!one.host.empty()) return "the network of host " + one.host;
      return "the network";
    case StragglerKind::kWandering:
      return counted(one.ranks.size(), "rank");
    case StragglerKind::kRank:
    case StragglerKind::kBadStep:
      break;
  }
  if (one.ranks.size() == job.ranks.size()) return "all ranks";
  return fmt::format("{} {}{}", plural(one.ranks.size(), "rank", "ranks"),
                     list_of_ranks(job, one.ranks), one.host.empty() ? "" : " of host " + one.host);
}

namespace {

std::string when_it_is_slow(const Job& job, const Straggler& one) {
  const std::string& first = job.steps[one.first_step];
  const std::string& last = job.steps[one.end_step - 1];
  if (one.end_step - one.first_step == 1) return fmt::format(" in step {}", first);
  if (one.end_step < job.steps.size()) return fmt::format(" from step {} to {}", first, last);
  return one.first_step > 0 ? fmt::format(" since step {}", first) : "";
}

// The part of the work that grew, with its numbers.
std::string growth_of(const Straggler& one) {
  const ExtraWork& extra = one.extra;
  switch (one.reason) {
    case StragglerReason::kLongerKernels:
      return fmt::format("{} more compute time for {:.2f} times the kernels",
                         long_text(extra.compute_ns), extra.kernels_ratio);
    case StragglerReason::kMoreWork:
      return fmt::format("{:.2f} times the kernels", extra.kernels_ratio);
    case StragglerReason::kHostStretch:
      return fmt::format("{} more, {} of it at once", long_text(extra.host_ns),
                         long_text(extra.longest_host_gap_ns));
    case StragglerReason::kHostContention:
      return fmt::format("{} more, {} of it at once, in {:+.0f} stretches",
                         long_text(extra.host_ns), long_text(extra.longest_host_gap_ns),
                         extra.host_gaps);
    case StragglerReason::kHostOperators:
      return fmt::format("{} more, {} of it in operators", long_text(extra.host_ns),
                         long_text(extra.in_operators_ns));
    case StragglerReason::kInput:
      return long_text(extra.input_ns) + " more";
    case StragglerReason::kCopies:
      return long_text(extra.copy_ns) + " more";
    case StragglerReason::kTransfers:
      return long_text(one.later_ns) + " more";
    case StragglerReason::kUnknown:
      return "";
  }
  return "";
}

std::string reason_clause(const Straggler& one) {
  const std::string growth = growth_of(one);
  return growth.empty() ? std::string(word_of(one.reason))
                        : fmt::format("{} ({})", word_of(one.reason), growth);
}

std::string loss_sentence(const Straggler& one) {
  const std::string who = one.kind == StragglerKind::kNetwork ? "It costs" : "The others lose";
  if (one.lost_interval[1] - one.lost_interval[0] <= 0) {
    return fmt::format("{} {} of the job's time.", who, percent_text(one.lost_share));
  }
  return fmt::format("{} {} of the job's time ({} to {}).", who, percent_text(one.lost_share),
                     percent_text(one.lost_interval[0]), percent_text(one.lost_interval[1]));
}

std::string last_clause(const Straggler& one) {
  if (one.collectives == 0) return "";
  return fmt::format(" and last in {} of {}", count_text(one.last),
                     counted(one.collectives, "collective"));
}

bool names_ranks(const Straggler& one) {
  return one.kind == StragglerKind::kRank || one.kind == StragglerKind::kBadStep;
}

std::string slow_party_sentence(const Job& job, const Straggler& one) {
  const std::string p = fmt::format("{}, corrected over {}", chance_text(one.p), one.tested);
  const std::string when = when_it_is_slow(job, one);
  switch (one.kind) {
    case StragglerKind::kWandering:
      return fmt::format(
          "Another rank is late in each step, one of {}: by {} in {} of {} steps ({}). Reason: {}. "
          "{}",
          straggler_name(job, one), long_text(one.later_ns), one.late_steps, one.steps, p,
          reason_clause(one), loss_sentence(one));
    case StragglerKind::kNetwork:
      return fmt::format(
          "{} is slow{} while no rank is late: transfers take {} longer than {} per step ({}). {}",
          capitalized(straggler_name(job, one)), when, long_text(one.later_ns),
          long_text(one.peers_ns), p, loss_sentence(one));
    case StragglerKind::kBadStep:
      if (job.steps.size() < fleet::kLeastStepsOfAJob) break;
      return fmt::format("{} {} still{} for {} ({}). Reason: {}. {}",
                         capitalized(straggler_name(job, one)),
                         plural(one.ranks.size(), "stands", "stand"), when, long_text(one.later_ns),
                         p, reason_clause(one), loss_sentence(one));
    case StragglerKind::kRank:
    case StragglerKind::kHost:
    case StragglerKind::kStage:
      break;
  }
  return fmt::format(
      "{} {} the others up{}: {} later than the {} of a typical peer in {} of {}{} ({}). Reason: "
      "{}. {}",
      capitalized(straggler_name(job, one)),
      names_ranks(one) && one.ranks.size() > 1 ? "hold" : "holds", when, long_text(one.later_ns),
      long_text(one.peers_ns), one.late_steps, counted(one.steps, "step"), last_clause(one), p,
      reason_clause(one), loss_sentence(one));
}

// "3 5": for tools.
std::string rank_numbers(const Job& job, const Straggler& one) {
  std::vector<std::int32_t> ranks;
  for (const std::size_t position : one.ranks) ranks.push_back(job.ranks[position].rank);
  return fmt::format("{}", fmt::join(ranks, " "));
}

Cell rounded_time(double ns) { return Duration{std::llround(ns)}; }

}  // namespace

std::vector<std::string> straggler_sentences(const Job& job,
                                             const std::vector<Straggler>& stragglers) {
  std::vector<std::string> sentences;
  for (const Straggler& one : stragglers) sentences.push_back(slow_party_sentence(job, one));
  const bool has_few_steps = job.steps.size() < fleet::kLeastStepsOfAJob;
  const std::string steps = counted(job.steps.size(), "step");
  if (has_few_steps) {
    sentences.push_back(fmt::format(
        "{} {} not show whether a rank is always late, or was late once: record at least {}.",
        capitalized(steps), plural(job.steps.size(), "does", "do"), fleet::kLeastStepsOfAJob));
  } else if (stragglers.empty()) {
    sentences.push_back(
        fmt::format("No straggler: in {}, none of the {} costs the others more time than chance "
                    "and small fixed differences do.",
                    steps, counted(job.ranks.size(), "rank")));
  }
  return sentences;
}

Section stragglers_section(const Job& job, const std::vector<Straggler>& stragglers) {
  Section section;
  section.key = "stragglers";
  section.title = "Stragglers";
  if (stragglers.empty()) return section;
  section.lead =
      "Own work is the step without collectives. Later: than the median of the peers, ranks of the "
      "same stage in the same steps. p: that chance does as much somewhere in the job, corrected "
      "over all ranks, hosts, stages or steps tested. Lost: what the others would not have waited "
      "without it, of the time of all ranks in all steps, with its 95 % interval over the steps.";
  section.table.columns = {{"kind", "kind", ColumnType::kText, 2},
                           {"who", "who", ColumnType::kText, 10},
                           {.key = "reason",
                            .header = "reason",
                            .type = ColumnType::kText,
                            .importance = 9,
                            .least_width = 40},
                           tool_column("ranks", ColumnType::kText),
                           {"first_step", "from step", ColumnType::kName, 6},
                           {"last_step", "to step", ColumnType::kName, 6},
                           {"later_ns", "later", ColumnType::kDuration, 8},
                           {"peers_ns", "peers", ColumnType::kDuration, 5},
                           {"late_steps", "late\nsteps", ColumnType::kCount, 7},
                           {"steps", "of steps", ColumnType::kCount, 5},
                           {"last", "last in", ColumnType::kCount, 4},
                           {"collectives", "of\ncollectives", ColumnType::kCount, 4},
                           {"p", "p", ColumnType::kNumber, 6},
                           tool_column("tested", ColumnType::kCount),
                           {.key = "lost_share",
                            .header = "lost",
                            .type = ColumnType::kShare,
                            .importance = 9,
                            .share_of = "the time of all ranks in all steps"},
                           {.key = "lost_low",
                            .header = "",
                            .type = ColumnType::kShare,
                            .share_of = "the time of all ranks in all steps",
                            .for_tools = true},
                           {.key = "lost_high",
                            .header = "",
                            .type = ColumnType::kShare,
                            .share_of = "the time of all ranks in all steps",
                            .for_tools = true},
                           tool_column("more_compute_ns", ColumnType::kDuration),
                           tool_column("more_copy_ns", ColumnType::kDuration),
                           tool_column("more_input_ns", ColumnType::kDuration),
                           tool_column("more_host_ns", ColumnType::kDuration),
                           tool_column("more_in_operators_ns", ColumnType::kDuration),
                           tool_column("more_longest_gap_ns", ColumnType::kDuration)};
  for (const Straggler& one : stragglers) {
    const ExtraWork& extra = one.extra;
    section.table.rows.push_back({{Text{std::string(word_of(one.kind))},
                                   Text{straggler_name(job, one)},
                                   Text{std::string(word_of(one.reason))},
                                   Text{rank_numbers(job, one)},
                                   Text{job.steps[one.first_step]},
                                   Text{job.steps[one.end_step - 1]},
                                   rounded_time(one.later_ns),
                                   rounded_time(one.peers_ns),
                                   Count{one.late_steps},
                                   Count{one.steps},
                                   Count{one.last},
                                   Count{one.collectives},
                                   Measure{.text = fmt::format("{:.1g}", one.p), .value = one.p},
                                   Count{one.tested},
                                   Share{one.lost_share},
                                   Share{one.lost_interval[0]},
                                   Share{one.lost_interval[1]},
                                   rounded_time(extra.compute_ns),
                                   rounded_time(extra.copy_ns),
                                   rounded_time(extra.input_ns),
                                   rounded_time(extra.host_ns),
                                   rounded_time(extra.in_operators_ns),
                                   rounded_time(extra.longest_host_gap_ns)},
                                  RowStyle::kChanged});
  }
  return section;
}

}  // namespace strobe::report
