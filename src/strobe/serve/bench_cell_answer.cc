#include "strobe/serve/bench_cell_answer.h"

#include <algorithm>
#include <array>

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

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (std::size_t i = 0; i < std::min(texts.size(), kMostTexts); ++i) json.value(texts[i]);
  json.end_array();
}

void write_triple(JsonWriter& json, std::string_view key, const std::array<std::int64_t, 3>& dims) {
  json.key(key).begin_array();
  for (const std::int64_t dim : dims) json.value(dim);
  json.end_array();
}

// One sample says nothing of its spread, none nothing at all.
void write_time(JsonWriter& json, bench::TimeMode mode, const TimeSummary& time,
                const BenchRates& rates) {
  const auto if_known = [&](double value) {
    return time.n > 0 || value > 0 ? std::optional(value) : std::nullopt;
  };
  const bool has_interval = time.n > 1 && time.ci95[0] > 0;
  json.begin_object().member("mode", mode_name(mode)).member("p50_us", time.p50);
  member_or_null(json, "p20_us", if_known(time.p20));
  member_or_null(json, "p80_us", if_known(time.p80));
  member_or_null(json, "min_us", if_known(time.min));
  member_or_null(json, "mad_us", if_known(time.mad));
  json.key("low_us");
  has_interval ? json.value(time.ci95[0]) : json.null();
  json.key("high_us");
  has_interval ? json.value(time.ci95[1]) : json.null();
  json.member("n", time.n).member("set_aside", time.set_aside);
  member_or_null(json, "bytes_per_s", rates.bytes_per_s);
  member_or_null(json, "flop_per_s", rates.flop_per_s);
  member_or_null(json, "copy_roof_share", rates.copy_roof_share);
  const std::size_t shown = std::min(time.samples_us.size(), kMostSamples);
  json.key("samples_us").begin_array();
  for (std::size_t i = 0; i < shown; ++i) json.value(static_cast<double>(time.samples_us[i]));
  json.end_array().member("samples_left_out", time.samples_us.size() - shown).end_object();
}

void write_kernels(JsonWriter& json, const CellRecord& record) {
  const std::size_t shown = std::min(record.kernels.size(), kMostKernels);
  json.key("kernels").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const bench::KernelLaunch& kernel = record.kernels[i];
    json.begin_object().member("name", kernel.name);
    write_triple(json, "grid", kernel.grid);
    write_triple(json, "block", kernel.block);
    member_or_null(json, "us", kernel.duration_us);
    member_or_null(json, "registers", kernel.registers);
    member_or_null(json, "shared_bytes", kernel.shared_bytes);
    json.end_object();
  }
  json.end_array().member("kernels_left_out", record.kernels.size() - shown);
}

void write_api(JsonWriter& json, const CellRecord& record) {
  const std::size_t shown = std::min(record.api.size(), kMostApiCalls);
  json.key("api").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const bench::ApiCall& call = record.api[i];
    json.begin_object().member("name", call.name).member("count", call.count);
    json.member("us", call.us).end_object();
  }
  json.end_array();
}

void write_bytes(JsonWriter& json, const bench::ByteCounts& bytes) {
  json.key("bytes").begin_object().member("min", bytes.min).member("unfused", bytes.unfused);
  member_or_null(json, "resident", bytes.resident);
  member_or_null(json, "peak", bytes.peak);
  json.end_object();
}

void write_counters(JsonWriter& json, const std::optional<bench::CellCounters>& counters) {
  json.key("counters");
  if (!counters) {
    json.null();
    return;
  }
  json.begin_object().member("launches", counters->launches);
  member_or_null(json, "l1_load_bytes", counters->l1_load_bytes);
  member_or_null(json, "l1_load_hit_bytes", counters->l1_load_hit_bytes);
  member_or_null(json, "l1_store_bytes", counters->l1_store_bytes);
  member_or_null(json, "l1_reduction_bytes", counters->l1_reduction_bytes);
  member_or_null(json, "l2_read_bytes", counters->l2_read_bytes);
  member_or_null(json, "l2_write_bytes", counters->l2_write_bytes);
  member_or_null(json, "dram_read_bytes", counters->dram_read_bytes);
  member_or_null(json, "dram_write_bytes", counters->dram_write_bytes);
  member_or_null(json, "instructions", counters->instructions);
  member_or_null(json, "flops", counters->flops);
  member_or_null(json, "matrix_flops", counters->matrix_flops);
  json.end_object();
}

void write_compile(JsonWriter& json, const bench::CompileTimes& compile) {
  json.key("compile").begin_object();
  member_or_null(json, "codegen_ms", compile.codegen_ms);
  member_or_null(json, "nvrtc_ms", compile.nvrtc_ms);
  member_or_null(json, "load_ms", compile.load_ms);
  member_or_null(json, "autotune_ms", compile.autotune_ms);
  member_or_null(json, "first_call_ms", compile.first_call_ms);
  json.member("is_cached", compile.is_cached).end_object();
}

void write_accuracy(JsonWriter& json, const std::optional<bench::Accuracy>& accuracy) {
  json.key("accuracy");
  if (!accuracy) {
    json.null();
    return;
  }
  json.begin_object()
      .member("equality", accuracy->equality())
      .member("checked", accuracy->checked)
      .member("mismatches", accuracy->mismatches)
      .member("max_abs", accuracy->max_abs)
      .member("max_rel", accuracy->max_rel)
      .member("norm_rel", accuracy->norm_rel)
      .member("worst_index", accuracy->worst_index)
      .member("atol", accuracy->atol)
      .member("rtol", accuracy->rtol)
      .end_object();
}

void write_clocks(JsonWriter& json, const bench::Clocks& clocks) {
  json.key("clocks").begin_object();
  member_or_null(json, "sm_mhz", clocks.sm_mhz);
  member_or_null(json, "memory_mhz", clocks.memory_mhz);
  member_or_null(json, "power_w", clocks.power_w);
  member_or_null(json, "temperature_c", clocks.temperature_c);
  write_texts(json, "reasons", clocks.reasons);
  json.end_object();
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
      .member("status", status_name(record->status))
      .member("reason", record->reason);
  json.key("times").begin_array();
  for (const auto& [mode, time] : record->times) {
    write_time(json, mode, time, rates_of(*record, time, roofs));
  }
  json.end_array();
  member_or_null(json, "burst_us", record->burst_us);
  member_or_null(json, "sustained_us", record->sustained_us);
  write_bytes(json, record->bytes);
  json.member("flops", record->flops);
  write_counters(json, record->counters);
  write_kernels(json, *record);
  write_api(json, *record);
  write_compile(json, record->compile);
  json.key("config").begin_object();
  for (const auto& [name, value] : record->config) json.member(name, value);
  json.end_object();
  write_accuracy(json, record->accuracy);
  write_clocks(json, record->clocks);
  json.key("flags").begin_array();
  for (const bench::CellFlag flag : record->flags) json.value(flag_name(flag));
  json.end_array();
  write_texts(json, "notes", record->notes);
  json.end_object();
}

void write_pair(JsonWriter& json, const PairCell& cell) {
  json.member("state", state_name(cell.state));
  member_or_null(json, "value", cell.percent);
  json.key("low");
  cell.percent_interval ? json.value((*cell.percent_interval)[0]) : json.null();
  json.key("high");
  cell.percent_interval ? json.value((*cell.percent_interval)[1]) : json.null();
  member_or_null(json, "ceiling", cell.ceiling_percent);
  json.key("ceiling_share");
  cell.percent&& cell.ceiling_percent ? json.value(*cell.percent / *cell.ceiling_percent)
                                      : json.null();
  json.key("flags").begin_array();
  for (const bench::CellFlag flag : cell.flags) json.value(flag_name(flag));
  json.end_array();
  std::vector<std::string> remarks = cell.remarks;
  const CellRecord* const either = cell.contender != nullptr ? cell.contender : cell.baseline;
  if (either != nullptr && either->has_masked_half()) remarks.emplace_back(bench::kMaskedHalfNote);
  write_texts(json, "remarks", remarks);
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
      .member("dtype", dtype_name(question.dtype))
      .member("shape", shape_text(shape));
  json.key("dims").begin_array();
  for (const std::int64_t dim : shape.dims) json.value(dim);
  json.end_array();
  write_pair(json, *cell);
  write_side(json, "baseline", cell->baseline, run.header.roofs);
  write_side(json, "contender", cell->contender, run.header.roofs);
  json.end_object();
  return text;
}

}  // namespace strobe::serve
