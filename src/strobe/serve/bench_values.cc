#include "strobe/serve/bench_values.h"

#include <cmath>

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
  // The last digits of a logarithm are the machine's, not the table's.
  const double value = std::round(mean->mean * kMeanDigits) / kMeanDigits;
  json.begin_object().member("value", value).member("cells", mean->cells).end_object();
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

}  // namespace strobe::serve
