// Compares the cpu providers with the limits of this machine: roofs, then every case fused and with
// one pass for each operator, on one large shape.
//
//   bench_cpu                      every case
//   bench_cpu softmax bias_gelu    these
#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/provider.h"

namespace strobe::bench {
namespace {

Shape large_shape(CaseKind kind) {
  switch (kind) {
    case CaseKind::kRows:
      return {{4096, 8192}};
    case CaseKind::kMatmul:
      return {{1024, 1024, 1024}};
    case CaseKind::kConvolution:
      return {{4, 56, 56, 64, 64, 3, 1}};
    case CaseKind::kAttention:
      return {{1, 1024, 8, 64}};
  }
  return {};
}

double median_us(Provider& provider, const Cell& cell) {
  PrepareRequest request;
  request.cell = cell;
  auto prepared = provider.prepare(request);
  if (!prepared) return 0;
  if (!(*prepared)->sample({TimeMode::kCpu, 2, 1000})) return 0;
  auto block = (*prepared)->sample({TimeMode::kCpu, 21, 1000});
  if (!block) return 0;
  std::ranges::sort(block->samples_us);
  return block->samples_us[block->samples_us.size() / 2];
}

int show_speed(std::span<const std::string_view> wanted) {
  const auto fused = make_provider("cpu"), unfused = make_provider("cpu-unfused");
  const auto roofs = fused->measure_roofs();
  if (!roofs) return 1;
  const double copy = roofs->copy_gbps.value_or(0);
  fmt::print("{}: copy {:.1f}, read {:.1f}, write {:.1f} GB/s, product {:.3f} TFLOP/s\n",
             fused->probe().device, copy, roofs->read_gbps.value_or(0),
             roofs->write_gbps.value_or(0), roofs->gemm_tflops.value_or(0));
  fmt::print("{:34}{:>20}{:>12}{:>12}{:>8}{:>8}{:>10}{:>10}{:>8}{:>10}\n", "case", "shape",
             "cpu us", "unfused us", "times", "ceiling", "GB/s", "of copy", "GFLOP/s", "un. GB/s");
  for (const CaseInfo& info : cases()) {
    if (!wanted.empty() && std::ranges::find(wanted, info.id) == wanted.end()) continue;
    const Cell cell{std::string(info.id), large_shape(info.kind), DType::kF32, "cpu"};
    const CaseCosts costs = costs_of(info, cell.shape, cell.dtype);
    const double fast = median_us(*fused, cell), slow = median_us(*unfused, cell);
    fmt::print("{:34}{:>20}{:>12.1f}{:>12.1f}{:>8.2f}{:>8.2f}{:>10.1f}{:>9.1f}%{:>8.1f}{:>10.1f}\n",
               info.id, shape_text(cell.shape), fast, slow, slow / fast, costs.ceiling(),
               costs.min_bytes / fast / 1e3, 100 * costs.min_bytes / fast / 1e3 / copy,
               costs.flops / fast / 1e3, costs.unfused_bytes / slow / 1e3);
  }
  return 0;
}

}  // namespace
}  // namespace strobe::bench

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + 1, words + count);
  return strobe::bench::show_speed(arguments);
}
