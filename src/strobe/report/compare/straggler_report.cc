#include "strobe/report/compare/straggler_report.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/straggler_plot.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using compare::RankAnswer;
using compare::RankRow;
using compare::Stragglers;

std::size_t fewest_cycles(const Stragglers& stragglers) {
  return std::ranges::min_element(stragglers.ranks, {}, &RankRow::cycles)->cycles;
}

std::string too_few_sentence(const Stragglers& stragglers) {
  return fmt::format(
      "Too few cycles to compare the own time of the {} ranks: {} per rank, and a slow rank needs "
      "at least {}.",
      stragglers.ranks.size(), counted(fewest_cycles(stragglers), "cycle"),
      compare::kLeastCyclesOfARank);
}

// Nothing if the ranks have no collectives, or if it waits as long as the others.
std::string short_wait_clause(const RankRow& row) {
  if (row.waiting_ms >= row.peers_waiting_ms) return {};
  return fmt::format("it waits {} per cycle in collectives, the others {}, and ",
                     time_text(row.waiting_ms), time_text(row.peers_waiting_ms));
}

std::string slow_sentence(const RankRow& row) {
  return fmt::format(
      "Rank {} keeps the others waiting: {}its own time is {} per cycle, {:.2f} times as long as "
      "on the fastest rank, and longer than that of its peers in {} of {} cycles.",
      row.rank, short_wait_clause(row), time_text(row.own_ms), row.versus_best, row.cycles_late,
      row.cycles);
}

std::string late_sentence(const RankRow& row) {
  return fmt::format(
      "Rank {} comes last to {} of {} collectives: the others wait {} for it, up to {} at once ({} "
      "into its trace).",
      row.rank, row.times_last, row.collectives, time_text(row.others_waited_ms),
      time_text(row.longest_wait_ms), time_text(row.longest_wait_at_ms));
}

std::string own_time_sentence(const Stragglers& stragglers) {
  if (stragglers.has_too_few_cycles()) return too_few_sentence(stragglers);
  return fmt::format("None of the {} ranks is slow: their own times are about the same.",
                     stragglers.ranks.size());
}

// The slowest first.
std::vector<const RankRow*> slow_ranks(const Stragglers& stragglers) {
  std::vector<const RankRow*> rows;
  for (const RankRow& row : stragglers.ranks) {
    if (row.is_slow) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, &RankRow::distance);
  return rows;
}

std::vector<std::string> rank_sentences(const Stragglers& stragglers) {
  std::vector<std::string> sentences;
  for (const RankRow* row : slow_ranks(stragglers)) sentences.push_back(slow_sentence(*row));
  for (const std::size_t position : stragglers.late) {
    sentences.push_back(late_sentence(stragglers.ranks[position]));
  }
  if (slow_ranks(stragglers).empty()) sentences.push_back(own_time_sentence(stragglers));
  if (stragglers.against_peer && !stragglers.against_peer->causes.empty()) {
    sentences.push_back(verdict_of(*stragglers.against_peer).sentences.back());
  }
  if (stragglers.clocks_differ) {
    sentences.emplace_back(
        "The clocks of the ranks differ, so the rank that spends the least time in a collective "
        "counts as the last one.");
  }
  return sentences;
}

std::string rank_headline(const Stragglers& stragglers) {
  const auto some_are = [](const std::vector<std::int32_t>& ranks, std::string_view word) {
    return fmt::format("{} {} {} {}", plural(ranks.size(), "Rank", "Ranks"), fmt::join(ranks, ", "),
                       plural(ranks.size(), "is", "are"), word);
  };
  std::vector<std::int32_t> named;
  for (const RankRow* row : slow_ranks(stragglers)) named.push_back(row->rank);
  if (!named.empty()) return some_are(named, "slow");
  for (const std::size_t position : stragglers.late) {
    named.push_back(stragglers.ranks[position].rank);
  }
  if (!named.empty()) return some_are(named, "late");
  return stragglers.has_too_few_cycles() ? "Too few cycles" : "No slow rank";
}

// For the style sheet, which knows the answers about two runs.
std::string_view style_of(RankAnswer answer) {
  switch (answer) {
    case RankAnswer::kSlowRank:
      return "slower";
    case RankAnswer::kNoSlowRank:
      return "";
    case RankAnswer::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

// `nothing` is the word for no evidence.
std::string_view rank_word(const RankRow& row, std::string_view nothing) {
  if (row.is_slow) return "slow";
  if (row.is_late) return "late";
  return row.too_few ? "too few" : nothing;
}

std::int64_t ns_of(double ms) { return std::llround(ms * 1e6); }

Measure milliseconds_cell(double ms) {
  return {.text = time_text(ms), .value = static_cast<double>(ns_of(ms))};
}

Measure number_cell(double value, std::string text) {
  return {.text = std::move(text), .value = value};
}

Section straggler_section(const Stragglers& stragglers,
                          std::string_view nothing = kNoEvidenceWords) {
  Section section;
  section.key = "ranks";
  section.title = "Ranks";
  section.lead = fmt::format(
      "Medians over cycles. A rank's own time is the cycle without its collectives, which are "
      "mostly waiting. The distance says how far it is from the own time of its peers, in their "
      "robust deviations (at least 1 % of it). A cycle is long if the rank's own time in it is "
      "more than 3 % above that of its peers. A rank is slow if its distance is above 5, at "
      "least half of its cycles are long, at least {} of them, and the excess is more than its "
      "variation from cycle to cycle explains; or if it waits less in collectives than every other "
      "rank in clearly more cycles than by chance, by 5 % of a cycle or more.",
      compare::kLeastCyclesOfARank);
  section.table.columns = {
      {"rank", "rank", ColumnType::kCount, 9},
      {"cycles", "cycles", ColumnType::kCount, 4},
      {"cycle_ns", "cycle", ColumnType::kNumber, 6},
      {"collectives_ns", "in collectives", ColumnType::kNumber, 7},
      {"own_ns", "own time", ColumnType::kNumber, 9},
      {.key = "peers_ns", .header = "", .type = ColumnType::kNumber, .for_tools = true},
      {"versus_best", "own time /\nfastest", ColumnType::kNumber, 8},
      {"distance", "distance", ColumnType::kNumber, 7},
      {"cycles_late", "long\ncycles", ColumnType::kCount, 6},
      {.key = "collectives", .header = "", .type = ColumnType::kCount, .for_tools = true},
      {.key = "times_last", .header = "", .type = ColumnType::kCount, .for_tools = true},
      {.key = "others_waited_ns", .header = "", .type = ColumnType::kNumber, .for_tools = true},
      {.key = "longest_wait_ns", .header = "", .type = ColumnType::kNumber, .for_tools = true},
      {"verdict", "verdict", ColumnType::kText, 8}};
  for (const RankRow& row : stragglers.ranks) {
    section.table.rows.push_back(
        {{Count{static_cast<std::uint64_t>(row.rank)}, Count{row.cycles},
          milliseconds_cell(row.cycle_ms), milliseconds_cell(row.waiting_ms),
          milliseconds_cell(row.own_ms), milliseconds_cell(row.peers_ms),
          number_cell(row.versus_best, fmt::format("{:.2f}", row.versus_best)),
          number_cell(row.distance, fmt::format("{:+.1f}", row.distance)), Count{row.cycles_late},
          Count{row.collectives}, Count{row.times_last}, milliseconds_cell(row.others_waited_ms),
          milliseconds_cell(row.longest_wait_ms), Text{std::string(rank_word(row, nothing))}},
         row.is_slow || row.is_late ? RowStyle::kChanged : RowStyle::kPlain});
  }
  return section;
}

// Who came last, if the collectives of the ranks could be matched.
Section arrival_section(const Stragglers& stragglers) {
  Section section;
  section.key = "arrivals";
  section.title = "Last to the collectives";
  if (stragglers.collectives == 0) return section;
  section.lead = fmt::format(
      "{} collectives could be matched over the ranks. A collective waits for its last rank; the "
      "wait is from the median arrival of the others to that of the last one. A rank is late if it "
      "is last clearly more often than by chance.",
      count_text(stragglers.collectives));
  section.table.columns = {{"rank", "rank", ColumnType::kCount, 9},
                           {"collectives", "collectives", ColumnType::kCount, 6},
                           {"times_last", "times last", ColumnType::kCount, 8},
                           {"others_waited_ns", "others waited", ColumnType::kNumber, 8},
                           {"longest_wait_ns", "longest wait", ColumnType::kNumber, 7},
                           {"longest_wait_at_ns", "at, in its\ntrace", ColumnType::kNumber, 5},
                           {"verdict", "verdict", ColumnType::kText, 8}};
  for (const RankRow& row : stragglers.ranks) {
    section.table.rows.push_back(
        {{Count{static_cast<std::uint64_t>(row.rank)}, Count{row.collectives},
          Count{row.times_last}, milliseconds_cell(row.others_waited_ms),
          milliseconds_cell(row.longest_wait_ms),
          row.times_last > 0 ? Cell(milliseconds_cell(row.longest_wait_at_ms)) : Cell(Absent{}),
          Text{std::string(row.is_late ? "late" : kNoEvidenceWords)}},
         row.is_late ? RowStyle::kChanged : RowStyle::kPlain});
  }
  return section;
}

// About all ranks; the comparison of two of them has remarks of its own.
Section remarks_section(const Stragglers& stragglers) {
  Section section;
  section.key = stragglers.against_peer ? "quality_of_ranks" : "quality";
  section.title = stragglers.against_peer ? "Data quality of all ranks" : "Data quality";
  section.points = stragglers.quality;
  return section;
}

// Everything before the sections.
Document document_head(const Stragglers& stragglers) {
  Document document;
  document.schema = "strobe.stragglers";
  document.version = 2;
  document.title = fmt::format("strobe compare: the ranks of {}", stragglers.label);
  document.headline = rank_headline(stragglers);
  document.answer = style_of(stragglers.answer());
  document.verdict = verdict_of(stragglers).sentences;
  if (stragglers.against_peer) {
    document.facts = compare_document(*stragglers.against_peer, 1).facts;
    document.facts.front().remark += "; a typical rank, to compare with";
  }
  return document;
}

void append_filled(std::vector<Section>& sections, std::vector<Section> more) {
  for (Section& section : more) {
    if (!is_empty(section) || !section.svg.empty()) sections.push_back(std::move(section));
  }
}

void write_rank_row(JsonWriter& json, const RankRow& row) {
  json.begin_object()
      .member("rank", row.rank)
      .member("cycles", row.cycles)
      .member("cycle_ms", row.cycle_ms)
      .member("collectives_ms", row.waiting_ms)
      .member("own_ms", row.own_ms)
      .member("peers_ms", row.peers_ms)
      .member("peers_collectives_ms", row.peers_waiting_ms)
      .member("versus_best", row.versus_best)
      .member("distance", row.distance)
      .member("cycles_late", row.cycles_late)
      .member("cycles_least", row.cycles_least)
      .member("is_comparable", row.is_comparable)
      .member("is_slow", row.is_slow)
      .member("too_few", row.too_few)
      .member("collectives", row.collectives)
      .member("times_last", row.times_last)
      .member("others_waited_ms", row.others_waited_ms)
      .member("longest_wait_ms", row.longest_wait_ms)
      .member("longest_wait_at_ms", row.longest_wait_at_ms)
      .member("is_late", row.is_late)
      .member("verdict", rank_word(row, kNoEvidence))
      .end_object();
}

}  // namespace

CompareVerdict verdict_of(const Stragglers& stragglers) {
  CompareVerdict verdict;
  if (stragglers.against_peer) verdict = verdict_of(*stragglers.against_peer);
  if (!stragglers.against_peer) verdict.confidence = "none";
  verdict.answer = compare::word_of(stragglers.answer());
  verdict.sentences = rank_sentences(stragglers);
  return verdict;
}

Document straggler_document(const Stragglers& stragglers, std::size_t top) {
  Document document = document_head(stragglers);
  append_filled(document.sections, {straggler_section(stragglers), arrival_section(stragglers)});
  if (stragglers.against_peer) {
    append_filled(document.sections, compare_document(*stragglers.against_peer, top).sections);
  }
  append_filled(document.sections, {remarks_section(stragglers)});
  return document;
}

std::string straggler_html(const Stragglers& stragglers, std::size_t top) {
  Document document = document_head(stragglers);
  document.title = fmt::format("strobe compare: The ranks of {}", stragglers.label);  // a heading
  append_filled(
      document.sections,
      {figure_section("Own time of the ranks",
                      "Filled: the rank's own time in a cycle; empty: its time in collectives, "
                      "where it mostly waits for the others.",
                      rank_times_plot(stragglers)),
       straggler_section(stragglers),
       figure_section("Who keeps the others waiting",
                      "How long the others waited in the collectives in which the rank came "
                      "last.",
                      rank_waits_plot(stragglers)),
       arrival_section(stragglers)});
  if (stragglers.against_peer) {
    append_filled(document.sections, compare_page_sections(*stragglers.against_peer, top));
  }
  append_filled(document.sections, {remarks_section(stragglers)});
  return document_html(document);
}

std::string straggler_csv(const Stragglers& stragglers) {
  Document document;
  document.sections.push_back(straggler_section(stragglers, kNoEvidence));
  return render_csv(document);
}

std::string straggler_json(const Stragglers& stragglers) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.stragglers").member("version", 2);
  write_verdict(json, verdict_of(stragglers));
  json.key("slowest_rank");
  if (stragglers.slowest) {
    json.value(*stragglers.slowest);
  } else {
    json.null();
  }
  json.key("late_ranks").begin_array();
  for (const std::size_t position : stragglers.late) json.value(stragglers.ranks[position].rank);
  json.end_array();
  json.member("collectives", stragglers.collectives)
      .member("clocks_differ", stragglers.clocks_differ);
  json.key("ranks").begin_array();
  for (const RankRow& row : stragglers.ranks) write_rank_row(json, row);
  json.end_array();
  json.key("against_peer");
  if (stragglers.against_peer) {
    json.raw(compare_json(*stragglers.against_peer));
  } else {
    json.null();
  }
  write_texts(json, "quality", stragglers.quality);
  json.end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report
