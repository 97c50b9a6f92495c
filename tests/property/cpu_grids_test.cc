#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "strobe/bench/grid.h"
#include "strobe/bench/providers/provider.h"
#include "strobe/bench/reference/mask_check.h"
#include "strobe/bench/reference/reference.h"
#include "tests/support/watched.h"

// Every case on the host, fused and operator by operator, on the shapes of `quick` and `odd`: all
// values are compared with f64. Shapes up to 2^20 elements, products up to 2^18;
// STROBE_MOST_ELEMENTS=16777216 covers everything that the manual promises and takes minutes.
namespace strobe::bench {
namespace {

std::int64_t most_elements(CaseKind kind) {
  if (const char* told = std::getenv("STROBE_MOST_ELEMENTS"); told != nullptr) {
    return std::strtoll(told, nullptr, 10);
  }
  if (test::kIsWatched) return 1 << 15;
  return kind == CaseKind::kRows ? 1 << 20 : 1 << 18;
}

std::int64_t elements_of(const CaseInfo& info, const Shape& shape) {
  if (info.kind == CaseKind::kRows) return shape[0] * shape[1];  // some outputs: one per row
  const OutputLayout layout = output_layouts(info, shape).back();
  return layout.rows * layout.columns;
}

// For 16-bit types only the smaller shapes: errors occur at the ends of rows.
std::vector<DType> types_for(CaseKind kind, std::int64_t elements) {
  if (elements * 16 > most_elements(kind)) return {DType::kF32};
  return {DType::kF32, DType::kF16, DType::kBf16};
}

void expect_right(Provider& provider, const CaseInfo& info, const Shape& shape, DType dtype) {
  PrepareRequest request;
  request.cell = {std::string(info.id), shape, dtype, provider.probe().name};
  request.flush = FlushKind::kHot;
  if (info.has_affine_accuracy_inputs) request.law = InputLaw::kConditioned;
  const auto cell = provider.prepare(request);
  ASSERT_TRUE(cell) << cell.error().what;
  const auto layouts = output_layouts(info, shape);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto rows = rows_to_check(layouts[i], request.seed);
    const auto actual = (*cell)->output_rows(i, rows);
    ASSERT_TRUE(actual) << actual.error().what;
    const Accuracy accuracy = compare_values(*actual, reference_rows(info, request, i, rows),
                                             tolerance_of(info, shape, dtype));
    EXPECT_EQ(accuracy.mismatches, 0u) << cell_text(request.cell) << ": " << equality_line(accuracy)
                                       << ", worst by " << accuracy.max_abs;
    EXPECT_EQ(check_mask(info, request, rows, *actual).differences, 0u) << cell_text(request.cell);
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const CaseInfo& info : cases()) names.emplace_back(info.id);
  return names;
}

class CpuGrids : public ::testing::TestWithParam<std::string> {};

TEST_P(CpuGrids, all_values_are_right) {
  const CaseInfo& info = *find_case(GetParam());
  int cells = 0;
  for (const char* name : {"cpu", "cpu-unfused"}) {
    const auto provider = make_provider(name);
    for (const char* grid : {"quick", "odd"}) {
      const auto shapes = grid_shapes(grid, info.kind);
      ASSERT_TRUE(shapes) << shapes.error().what;
      for (const Shape& shape : *shapes) {
        const std::int64_t elements = elements_of(info, shape);
        if (elements > most_elements(info.kind)) continue;
        for (const DType dtype : types_for(info.kind, elements)) {
          expect_right(*provider, info, shape, dtype);
        }
        ++cells;
      }
    }
  }
  EXPECT_GT(cells, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuGrids, ::testing::ValuesIn(case_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace strobe::bench
