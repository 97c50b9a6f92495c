#include "strobe/bench/workers/run_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/bench/grid.h"

namespace strobe::bench {
namespace {

// Reserve for the allocator's rounding and the driver's share of the memory.
constexpr double kUsableShare = 0.97;
constexpr std::array kBucketEnds = {1ll << 22, 1ll << 26, 1ll << 30};

Error unknown_case(std::string_view id) {
  std::vector<std::string_view> known;
  for (const CaseInfo& info : cases()) known.push_back(info.id);
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("there is no case '{}'", id),
          .where = "--case",
          .hint = fmt::format("one of {}", fmt::join(known, ", "))};
}

// Selects the user's shapes that have the axes of the case. The inner size of a matrix product may
// be omitted.
Result<std::vector<Shape>> chosen_shapes(const CellChoice& choice, const CaseInfo& info) {
  std::vector<Shape> shapes;
  for (Shape shape : choice.shapes) {
    if (info.kind == CaseKind::kMatmul && shape.dims.size() == 2) shape.dims.push_back(kUsualInner);
    if (shape.dims.size() == axes_of(info.kind)) shapes.push_back(std::move(shape));
  }
  if (!shapes.empty()) return shapes;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("{} takes a shape of {} sizes, not {}", info.id,
                                   axes_of(info.kind), choice.shapes[0].dims.size()),
               .where = "--shape",
               .hint =
                   "rows and columns: 4096x4096; matrices: MxNxK; convolutions: "
                   "NxHxWxCxKxRxstride; attention: batch x sequence x heads x head dimension"};
}

}  // namespace

double elements_of(CaseKind kind, const Shape& shape) {
  // The larger side of matrices, the input of convolutions.
  const auto product = [&](std::size_t axes) {
    return std::accumulate(shape.dims.begin(),
                           shape.dims.begin() + static_cast<std::ptrdiff_t>(axes), 1.0,
                           [](double a, std::int64_t b) { return a * static_cast<double>(b); });
  };
  switch (kind) {
    case CaseKind::kRows:
    case CaseKind::kMatmul:
      return product(2);
    case CaseKind::kConvolution:
    case CaseKind::kAttention:
      return product(4);
  }
  return 0;
}

int size_bucket(const CellGroup& group) {
  const double elements = elements_of(group.info->kind, group.shape);
  const auto holds = [&](long long end) { return elements < static_cast<double>(end); };
  return static_cast<int>(std::ranges::find_if(kBucketEnds, holds) - kBucketEnds.begin());
}

std::string worker_key(const CellGroup& group) {
  return fmt::format("{} {}", group.info->id, size_bucket(group));
}

Result<std::vector<CellGroup>> expand(const CellChoice& choice) {
  std::vector<CellGroup> groups;
  for (const std::string& id : choice.cases) {
    const CaseInfo* const info = find_case(id);
    if (info == nullptr) return unknown_case(id);
    STROBE_TRY(
        const std::vector<Shape> shapes,
        !choice.shapes.empty()
            ? chosen_shapes(choice, *info)
            : grid_shapes(choice.grid.empty() ? usual_grid(info->kind) : choice.grid, info->kind));
    const std::vector<DType> dtypes =
        choice.dtypes.empty() ? std::vector{usual_dtype(info->kind)} : choice.dtypes;
    for (const DType dtype : dtypes) {
      for (const Shape& shape : shapes) {
        const bool is_small =
            choice.most_elements == 0 ||
            elements_of(info->kind, shape) <= static_cast<double>(choice.most_elements);
        if (is_small) groups.push_back({info, shape, dtype});
      }
    }
  }
  if (!groups.empty()) return groups;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = "no shape is small enough",
               .where = "--max-elements",
               .hint = "a larger number, or --shape 128x128"};
}

std::optional<std::string> predicted_oom(double resident_bytes, std::optional<double> free_bytes) {
  if (!free_bytes || resident_bytes <= kUsableShare * *free_bytes) return {};
  return fmt::format("needs {} and {} are free; not run", decimal_bytes_text(resident_bytes),
                     decimal_bytes_text(*free_bytes));
}

bool fit_together(const std::vector<double>& resident_bytes, std::optional<double> free_bytes) {
  if (!free_bytes) return true;
  return std::accumulate(resident_bytes.begin(), resident_bytes.end(), 0.0) <=
         kUsableShare * *free_bytes;
}

}  // namespace strobe::bench
