#include "strobe/report/compare/straggler_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/report/compare/compare_formats.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_report.h"
#include "strobe/report/compare/compare_verdict.h"

namespace strobe::report {
namespace {

using compare::RankRow;
using compare::Stragglers;

std::vector<std::string> straggler_sentences(const Stragglers& stragglers) {
  if (!stragglers.slowest) {
    return {fmt::format("None of the {} ranks is slow: their own work takes about the same time.",
                        stragglers.ranks.size())};
  }
  for (const RankRow& row : stragglers.ranks) {
    if (row.rank != *stragglers.slowest) continue;
    std::vector<std::string> sentences = {
        fmt::format("Rank {} keeps the others waiting: its own work takes {} per cycle, {:.2f} "
                    "times as long as on the fastest rank, and it was late in {} of {} cycles.",
                    row.rank, time_text(row.own_ms), row.versus_best, row.cycles_late, row.cycles)};
    const CompareVerdict against_peer = verdict_of(*stragglers.against_peer);
    sentences.push_back(against_peer.sentences.back());
    return sentences;
  }
  return {};
}

Section straggler_rank_section(const Stragglers& stragglers) {
  Section section;
  section.key = "ranks";
  section.title = "Ranks";
  section.lead =
      "Medians over cycles. A rank's own time is the cycle without its collectives, which are "
      "mostly waiting. The distance is from the own time of its peers, in their robust deviations "
      "(at least 1 % of it). A rank is slow if it is beyond 5 in at least half of the cycles.";
  section.table.columns = {{"rank", "rank", ColumnType::kCount, 9},
                           {"cycles", "cycles", ColumnType::kCount, 4},
                           {"cycle", "cycle", ColumnType::kNumber, 6},
                           {"waiting", "in collectives", ColumnType::kNumber, 7},
                           {"own", "own time", ColumnType::kNumber, 9},
                           {"versus_best", "x best", ColumnType::kNumber, 8},
                           {"distance", "distance", ColumnType::kNumber, 7},
                           {"cycles_late", "cycles late", ColumnType::kCount, 6},
                           {"verdict", "verdict", ColumnType::kText, 8}};
  for (const RankRow& row : stragglers.ranks) {
    section.table.rows.push_back(
        {{Count{static_cast<std::uint64_t>(row.rank)}, Count{row.cycles},
          Text{time_text(row.cycle_ms)}, Text{time_text(row.waiting_ms)},
          Text{time_text(row.own_ms)}, Text{fmt::format("{:.2f}", row.versus_best)},
          Text{fmt::format("{:+.1f}", row.distance)}, Count{row.cycles_late},
          Text{row.is_slow ? "slow" : std::string(kNoEvidence)}},
         RowStyle::kPlain});
  }
  return section;
}

}  // namespace

Document straggler_document(const Stragglers& stragglers, std::size_t top) {
  Document document;
  document.schema = "strobe.stragglers";
  document.title = fmt::format("strobe compare: the ranks of {}", stragglers.label);
  document.headline =
      stragglers.slowest ? fmt::format("Rank {} is slow", *stragglers.slowest) : "No slow rank";
  document.answer = stragglers.slowest ? "slower" : "";
  document.verdict = straggler_sentences(stragglers);
  document.sections.push_back(straggler_rank_section(stragglers));
  if (stragglers.against_peer) {
    const Document details = compare_document(*stragglers.against_peer, top);
    document.facts = details.facts;
    document.sections.insert(document.sections.end(), details.sections.begin(),
                             details.sections.end());
  } else if (!stragglers.quality.empty()) {
    Section quality;
    quality.key = "quality";
    quality.title = "Data quality";
    quality.points = stragglers.quality;
    document.sections.push_back(std::move(quality));
  }
  return document;
}

std::string straggler_json(const Stragglers& stragglers) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.stragglers").member("version", 1);
  json.key("verdict").begin_array();
  for (const std::string& sentence : straggler_sentences(stragglers)) json.value(sentence);
  json.end_array();
  json.key("slowest_rank");
  if (stragglers.slowest) {
    json.value(*stragglers.slowest);
  } else {
    json.null();
  }
  json.key("ranks").begin_array();
  for (const RankRow& row : stragglers.ranks) {
    json.begin_object()
        .member("rank", row.rank)
        .member("cycles", row.cycles)
        .member("cycle_ms", row.cycle_ms)
        .member("collectives_ms", row.waiting_ms)
        .member("own_ms", row.own_ms)
        .member("versus_best", row.versus_best)
        .member("distance", row.distance)
        .member("cycles_late", row.cycles_late)
        .member("is_slow", row.is_slow)
        .end_object();
  }
  json.end_array();
  json.key("against_peer");
  if (stragglers.against_peer) {
    json.raw(compare_json(*stragglers.against_peer));
  } else {
    json.null();
  }
  json.end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report
