// The cpu providers beside what this machine can do: roofs, then every case fused and one pass for
// each operator, on one large shape.
//
//   bench_cpu                          every case
//   bench_cpu softmax bias_gelu        these
//   bench_cpu --check f32 f16 bf16     every shape of `quick` (up to 2^24 elements) and `odd`
//                                      against the reference instead; exit 1 if one is wrong
#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/grid.h"
#include "strobe/bench/providers/provider.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 24;

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
  fmt::print("{:32}{:>20}{:>12}{:>12}{:>8}{:>8}{:>10}{:>10}{:>8}{:>10}\n", "case", "shape",
             "cpu us", "unfused us", "times", "ceiling", "GB/s", "of copy", "GFLOP/s", "un. GB/s");
  for (const CaseInfo& info : cases()) {
    if (!wanted.empty() && std::ranges::find(wanted, info.id) == wanted.end()) continue;
    const Cell cell{std::string(info.id), large_shape(info.kind), DType::kF32, "cpu"};
    const CaseCosts costs = costs_of(info, cell.shape, cell.dtype);
    const double fast = median_us(*fused, cell), slow = median_us(*unfused, cell);
    fmt::print("{:32}{:>20}{:>12.1f}{:>12.1f}{:>8.2f}{:>8.2f}{:>10.1f}{:>9.1f}%{:>8.1f}{:>10.1f}\n",
               info.id, shape_text(cell.shape), fast, slow, slow / fast, costs.ceiling(),
               costs.min_bytes / fast / 1e3, 100 * costs.min_bytes / fast / 1e3 / copy,
               costs.flops / fast / 1e3, costs.unfused_bytes / slow / 1e3);
  }
  return 0;
}

std::int64_t elements_of(const CaseInfo& info, const Shape& shape) {
  const OutputLayout layout = output_layouts(info, shape).back();
  return layout.rows * layout.columns;
}

bool is_right(Provider& provider, const CaseInfo& info, const Shape& shape, DType dtype) {
  PrepareRequest request;
  request.cell = {std::string(info.id), shape, dtype, provider.probe().name};
  request.flush = "hot";
  if (info.has_affine_accuracy_inputs) request.law = InputLaw::kConditioned;
  auto cell = provider.prepare(request);
  if (!cell) {
    fmt::print("{}: {}\n", cell_text(request.cell), cell.error().what);
    return false;
  }
  const auto layouts = output_layouts(info, shape);
  Accuracy all;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto rows = rows_to_check(layouts[i], request.seed);
    const auto actual = (*cell)->output_rows(i, rows);
    if (!actual) return false;
    merge(all,
          compare_values(*actual, reference_rows(info, request, i, rows),
                         tolerance_of(info, shape, dtype)),
          0);
  }
  if (all.mismatches > 0) {
    fmt::print("{}: {}, {} of {} wrong, worst by {:.3g}\n", cell_text(request.cell),
               equality_line(all), all.mismatches, all.checked, all.max_abs);
  }
  return all.mismatches == 0;
}

int check(const std::vector<DType>& dtypes) {
  int wrong = 0, cells = 0;
  for (const char* name : {"cpu", "cpu-unfused"}) {
    const auto provider = make_provider(name);
    for (const CaseInfo& info : cases()) {
      for (const char* grid : {"quick", "odd"}) {
        const auto shapes = grid_shapes(grid, info.kind);
        if (!shapes) continue;
        for (const Shape& shape : *shapes) {
          if (elements_of(info, shape) > kMostElements) continue;
          for (const DType dtype : dtypes) {
            ++cells;
            wrong += is_right(*provider, info, shape, dtype) ? 0 : 1;
          }
        }
      }
    }
  }
  fmt::print("{} of {} cells are right\n", cells - wrong, cells);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace strobe::bench

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + 1, words + count);
  if (arguments.empty() || arguments[0] != "--check") return strobe::bench::show_speed(arguments);
  std::vector<strobe::bench::DType> types;
  for (const std::string_view name : std::span(arguments).subspan(1)) {
    const auto type = strobe::bench::parse_dtype(name);
    if (!type) {
      fmt::print(stderr, "{}: {}\n", type.error().what, type.error().hint);
      return 2;
    }
    types.push_back(*type);
  }
  return strobe::bench::check(types.empty() ? std::vector{strobe::bench::DType::kF32} : types);
}
