#include "strobe/serve/bench_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/bench/judge/ratio_checks.h"

namespace strobe::serve {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kMeanDigits = 1e9;
constexpr double kMicrosInSecond = 1e6;

std::optional<double> times(std::optional<double> value, double factor) {
  if (!value) return {};
  return *value * factor;
}

using bench::CellFlag;
using bench::PairCell;
using bench::PairState;
using bench::PairTable;

std::string cells_text(std::size_t count, std::size_t of) {
  return fmt::format("{} of {} cells", count, of);
}

std::size_t count_flag(const PairTable& table, CellFlag flag) {
  return static_cast<std::size_t>(std::ranges::count_if(table.cells, [&](const PairCell& cell) {
    return std::ranges::find(cell.flags, flag) != cell.flags.end();
  }));
}

std::size_t count_state(const PairTable& table, PairState state) {
  return static_cast<std::size_t>(std::ranges::count(table.cells, state, &PairCell::state));
}

struct FlagWords {
  CellFlag flag;
  std::string_view code;
  bool matters;
  const char* headline;  // after "7 of 100 cells"
  const char* advice;
};

constexpr FlagWords kFlagWords[] = {
    {CellFlag::kFellBack, "fell_back", true,
     "fell back: the contender ran the baseline's kernels and none of its own",
     "raise the compiler's limit of recompilations, or reset it before each cell"},
    {CellFlag::kMathDiffers, "math_differs", true,
     "compare two precisions: the kernels of the two sides use different math",
     "choose the same math mode on both sides; details list both sides' kernels"},
    {CellFlag::kUnrepeatable, "unrepeatable", true,
     "gave different bits when the same call was repeated",
     "look for atomics or for a tuner that changes its choice between calls"},
    {CellFlag::kThrottled, "throttled", false, "ran at a reduced clock",
     "details give the driver's reasons; measure again on a cool, idle device"},
    {CellFlag::kNoisy, "noisy", false,
     "are noisy: the limit came before the interval of the median was narrow",
     "look at the samples in the details before believing a small difference"},
};

}  // namespace

void write_roofs(JsonWriter& json, const bench::Roofs& roofs) {
  json.key("roofs").begin_object();
  member_or_null(json, "copy_bytes_per_s", times(roofs.copy_gbps, kGiga));
  member_or_null(json, "read_bytes_per_s", times(roofs.read_gbps, kGiga));
  member_or_null(json, "write_bytes_per_s", times(roofs.write_gbps, kGiga));
  member_or_null(json, "gemm_flop_per_s", times(roofs.gemm_tflops, kTera));
  json.end_object();
}

void write_mean(JsonWriter& json, const bench::RatioGrid& grid) {
  const auto mean = geometric_mean(grid);
  json.key("mean");
  if (!mean) {
    json.null();
    return;
  }
  // The last digits of a logarithm differ between machines.
  const double value = std::round(mean->mean * kMeanDigits) / kMeanDigits;
  json.begin_object().member("value", value).member("cells", mean->cells).end_object();
}

void write_shape(JsonWriter& json, const bench::Shape& shape) {
  json.member("shape", shape_text(shape)).key("dims").begin_array();
  for (const std::int64_t dim : shape.dims) json.value(dim);
  json.end_array();
}

void write_interval(JsonWriter& json, const std::optional<std::array<double, 2>>& interval) {
  json.key("low");
  interval ? json.value((*interval)[0]) : json.null();
  json.key("high");
  interval ? json.value((*interval)[1]) : json.null();
}

void write_flags(JsonWriter& json, std::span<const CellFlag> flags) {
  json.key("flags").begin_array();
  for (const CellFlag flag : flags) json.value(flag_name(flag));
  json.end_array();
}

BenchRates rates_of(const bench::CellRecord& record, const bench::TimeSummary& time,
                    const bench::Roofs& all_roofs) {
  const bench::Roofs roofs = all_roofs.over(record);
  BenchRates rates;
  if (!(time.p50 > 0)) return rates;
  if (record.bytes.min > 0) {
    rates.bytes_per_s = record.bytes.min / time.p50 * kMicrosInSecond;
    if (roofs.copy_gbps && *roofs.copy_gbps > 0) {
      rates.copy_roof_share = *rates.bytes_per_s / (*roofs.copy_gbps * kGiga);
    }
  }
  if (const double flops = record.rated_flops(); flops > 0) {
    rates.flop_per_s = flops / time.p50 * kMicrosInSecond;
    if (record.bytes.min > 0) rates.flop_per_byte = flops / record.bytes.min;
  }
  return rates;
}

std::vector<BenchAlert> alerts_of(const bench::RatioGrid& grid) {
  const auto flat = bench::find_flat_line(grid);
  if (!flat || flat->index >= grid.cells.size()) return {};
  const bench::GridCell& first = grid.cells[flat->index];
  return {
      {.code = "flat_line",
       .headline = fmt::format(
           "From cell {} on ({}x{}) {:.0f} % of the ratios are within 100 \u00b1 1 %, before it "
           "{:.0f} %: geometric means {:.1f} % before, {:.1f} % after",
           flat->index + 1, first.dim0, first.dim1, 100 * flat->after_share,
           100 * flat->before_share, flat->before_mean, flat->after_mean),
       .advice = "the contender most likely became the baseline there silently, as a "
                 "compiler does past its limit of recompilations; do not read the rest as parity"}};
}

std::vector<BenchAlert> alerts_of(const PairTable& table) {
  std::vector<BenchAlert> alerts;
  const std::size_t all = table.cells.size();
  if (const std::size_t wrong = count_state(table, PairState::kWrong); wrong > 0) {
    alerts.push_back({.code = "wrong",
                      .headline = cells_text(wrong, all) + " hold wrong values on one side",
                      .advice =
                          "their times are struck out and left out of means; details say how far "
                          "off they are"});
  }
  if (const std::size_t same = count_state(table, PairState::kSameKernels); same > 0) {
    alerts.push_back({.code = "same_kernels",
                      .matters = same == all,
                      .headline = cells_text(same, all) + " ran the same kernels on both sides",
                      .advice = "they are marked = and left out of means"});
  }
  for (const FlagWords& words : kFlagWords) {
    const std::size_t count = count_flag(table, words.flag);
    if (count == 0) continue;
    alerts.push_back({words.code, words.matters,
                      fmt::format("{} {}", cells_text(count, all), words.headline), words.advice});
  }
  return alerts;
}

std::vector<BenchAlert> alerts_of(std::span<const bench::IdentityCheck> checks) {
  std::vector<BenchAlert> alerts;
  for (const bench::IdentityCheck& check : checks) {
    if (check.violations.empty()) continue;
    alerts.push_back(
        {.code = "identity",
         .headline = fmt::format("{} does not hold in {}: off by up to {:.2f} %, worst at {}",
                                 check.law, cells_text(check.violations.size(), check.cells),
                                 100 * check.worst, check.worst_cell),
         .advice = "these tables are not of the same measurements, or one was edited"});
  }
  return alerts;
}

void write_alerts(JsonWriter& json, std::span<const BenchAlert> alerts) {
  json.key("alerts").begin_array();
  for (const BenchAlert& alert : alerts) {
    json.begin_object()
        .member("code", alert.code)
        .member("weight", alert.matters ? "matters" : "worth_a_look")
        .member("headline", alert.headline)
        .member("advice", alert.advice)
        .end_object();
  }
  json.end_array();
}

}  // namespace strobe::serve
