#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/report/bench/bench_page.h"

namespace strobe::report {
namespace {

using ::testing::ElementsAre;

bench::TunedShapes tuned() {
  bench::TunedShapes tuned;
  for (const auto& [rows, y, warps] :
       {std::array{32, 16, 2}, std::array{64, 64, 2}, std::array{128, 64, 4}}) {
    tuned.shapes.push_back({.device = "A100",
                            .case_id = "layout",
                            .shape = {{rows, 128}},
                            .block_x = 32,
                            .block_y = y,
                            .warps = warps,
                            .stages = 1,
                            .shared_bytes = 2112});
  }
  tuned.remarks = {"line 9: odd"};
  return tuned;
}

TEST(TuningPage, rows_are_shapes_and_the_most_frequent_choice_comes_first) {
  const auto page = tuning_page(tuned(), {});
  ASSERT_TRUE(page);
  const BenchTable& table = page->tables.at(0);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].cells[1].text, "32x128");
  EXPECT_EQ(table.rows[0].cells[2].text, "32x16");
  EXPECT_EQ(table.rows[0].cells[5].text, "2.06 KiB");
  EXPECT_THAT(table.notes,
              ElementsAre("blocks: 32x64 (2 of 3 shapes), 32x16 (1)",
                          "warps: 2 (2 of 3 shapes), 4 (1)", "stages: 1 (3 of 3 shapes)"));
  EXPECT_THAT(page->remarks, ElementsAre("line 9: odd"));
}

TEST(TuningPage, rows_are_chosen_by_device_case_and_shape) {
  BenchChoice choice;
  choice.shapes = {{{64, 128}}};
  ASSERT_TRUE(tuning_page(tuned(), choice));
  EXPECT_EQ(tuning_page(tuned(), choice)->tables[0].rows.size(), 1u);
  choice.devices = {"H200"};
  EXPECT_EQ(tuning_page(tuned(), choice).error().code, ErrorCode::kTooLittleData);
}

}  // namespace
}  // namespace strobe::report
