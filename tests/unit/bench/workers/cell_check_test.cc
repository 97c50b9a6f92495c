#include "strobe/bench/workers/cell_check.h"

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

// Only some rows of large outputs are checked; the place of the worst value is one in the tensors.
TEST(CheckCell, the_worst_value_of_a_second_output_is_found_behind_the_whole_first) {
  const CaseInfo& info = *find_case("horizontal_reduction_pointwise");
  constexpr std::int64_t kRows = 1 << 25;
  PrepareRequest request;
  request.cell = {std::string(info.id), {{kRows, 1}}, DType::kF32, "one"};
  CellReference reference(info, request);
  ASSERT_EQ(reference.outputs(), 2u);
  const Result<RowFolder> folder = RowFolder::make();
  ASSERT_TRUE(folder);
  const Checked checked = check_cell(
      reference, *folder, 0, [&](std::size_t output, const std::string& file) -> WorkerReply {
        const std::vector<double> right =
            reference_rows(info, request, output, reference.rows(output));
        std::vector<float> values(right.begin(), right.end());
        if (output == 1) values.back() += 100;
        EXPECT_TRUE(write_row_file(file, values));
        return {};
      });
  EXPECT_EQ(checked.status, CellStatus::kWrong);
  ASSERT_TRUE(checked.accuracy);
  EXPECT_EQ(checked.accuracy->mismatches, 1u);
  EXPECT_LT(checked.accuracy->checked, 2000u);
  EXPECT_EQ(checked.accuracy->worst_index, 2 * kRows - 1);
}

}  // namespace
}  // namespace strobe::bench
