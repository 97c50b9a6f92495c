#include "strobe/serve/bench_cell_answer.h"

#include <algorithm>
#include <type_traits>

#include "strobe/bench/results/record_json.h"
#include "strobe/serve/bench_values.h"

namespace strobe::serve {
namespace {

using bench::CellRecord;
using bench::PairCell;
using bench::TimeSummary;

constexpr std::size_t kMostSamples = 4000;
constexpr std::size_t kMostKernels = 200;
constexpr std::size_t kMostApiCalls = 100;
constexpr std::size_t kMostTexts = 100;

// One sample has no spread, and no sample has no summary.
void write_time(JsonWriter& json, bench::TimeMode mode, const TimeSummary& time,
                const BenchRates& rates) {
  const auto if_known = [&](double value) {
    return time.n > 0 || value > 0 ? std::optional(value) : std::nullopt;
  };
  const bool has_interval = time.n > 1 && time.ci95[0] > 0;
  json.begin_object().member("mode", mode_name(mode));
  bench::for_each_field<TimeSummary>([&](const auto& field) {
    if constexpr (std::is_same_v<decltype(time.*field.member), const double&>) {
      const bool is_median = &(time.*field.member) == &time.p50;
      member_or_null(json, std::string(field.name) + "_us",
                     is_median ? time.p50 : if_known(time.*field.member));
    } else {
      json.member(field.name, time.*field.member);
    }
  });
  json.key("low_us");
  has_interval ? json.value(time.ci95[0]) : json.null();
  json.key("high_us");
  has_interval ? json.value(time.ci95[1]) : json.null();
  member_or_null(json, "bytes_per_s", rates.bytes_per_s);
  member_or_null(json, "flop_per_s", rates.flop_per_s);
  member_or_null(json, "copy_roof_share", rates.copy_roof_share);
  const std::size_t shown = std::min(time.samples_us.size(), kMostSamples);
  json.key("samples_us").begin_array();
  for (std::size_t i = 0; i < shown; ++i) json.value(static_cast<double>(time.samples_us[i]));
  json.end_array().member("samples_left_out", time.samples_us.size() - shown).end_object();
}

// Limits for one page.
CellRecord shortened(CellRecord record) {
  record.kernels.resize(std::min(record.kernels.size(), kMostKernels));
  record.api.resize(std::min(record.api.size(), kMostApiCalls));
  record.clocks.reasons.resize(std::min(record.clocks.reasons.size(), kMostTexts));
  record.notes = record.all_notes();
  record.notes.resize(std::min(record.notes.size(), kMostTexts));
  return record;
}

void write_side(JsonWriter& json, std::string_view key, const CellRecord* record,
                const bench::Roofs& roofs) {
  json.key(key);
  if (record == nullptr) {
    json.null();
    return;
  }
  json.begin_object()
      .member("provider", record->cell.provider)
      .member("status", status_name(record->status));
  json.key("times").begin_array();
  for (const auto& [mode, time] : record->times) {
    write_time(json, mode, time, rates_of(*record, time, roofs));
  }
  json.end_array();
  const CellRecord shown = shortened(*record);
  write_members(json, shown, bench::Unknown::kNull);
  json.member("kernels_left_out", record->kernels.size() - shown.kernels.size()).end_object();
}

void write_pair(JsonWriter& json, const PairCell& cell) {
  json.member("state", state_name(cell.state));
  member_or_null(json, "value", cell.percent);
  write_interval(json, cell.percent_interval);
  member_or_null(json, "ceiling", cell.ceiling_percent);
  json.key("ceiling_share");
  cell.percent&& cell.ceiling_percent ? json.value(*cell.percent / *cell.ceiling_percent)
                                      : json.null();
  write_flags(json, cell.flags);
  std::vector<std::string> remarks = cell.remarks;
  const CellRecord* const either = cell.contender != nullptr ? cell.contender : cell.baseline;
  if (either != nullptr && either->has_masked_half()) remarks.emplace_back(bench::kMaskedHalfNote);
  write_texts(json, "remarks", remarks, kMostTexts);
}

}  // namespace

std::optional<std::string> bench_cell_answer(std::string_view name, const bench::BenchRun& run,
                                             const bench::PairQuestion& question,
                                             const bench::Shape& shape) {
  const bench::PairTable table = pair_table(run, question);
  const auto cell = std::ranges::find(table.cells, shape, &PairCell::shape);
  if (cell == table.cells.end()) return {};
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .member("file", name)
      .member("case", question.case_id)
      .member("dtype", dtype_name(question.dtype));
  write_shape(json, shape);
  write_pair(json, *cell);
  write_side(json, "baseline", cell->baseline, run.header.roofs);
  write_side(json, "contender", cell->contender, run.header.roofs);
  json.end_object();
  return text;
}

}  // namespace strobe::serve
