#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/results/foreign_tables.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

enum Column : std::size_t { kName, kSize, kOther };
constexpr std::array<std::string_view, 3> kNames = {"name", "size", "other"};

TEST(CsvRows, columns_are_found_by_name_wherever_they_stand) {
  CsvRows rows("\xEF\xBB\xBFsize,strange,name\r\n7,x,\"a,\"\"b\"\r\n\n \n8\n", kNames);
  EXPECT_TRUE(rows.has(kName));
  EXPECT_FALSE(rows.has(kOther));
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.field(kName), "a,\"b");
  EXPECT_EQ(rows.field(kSize), "7");
  EXPECT_EQ(rows.field(kOther), "");
  ASSERT_TRUE(rows.next());  // empty lines do not count
  EXPECT_EQ(rows.field(kSize), "8");
  EXPECT_EQ(rows.field(kName), "");
  EXPECT_FALSE(rows.next());
}

TEST(CsvRows, a_remark_has_its_place_and_twenty_are_enough) {
  std::string csv = "name\n";
  for (int i = 0; i < 25; ++i) csv += "x\ty\n";
  CsvRows rows(csv, kNames);
  while (rows.next()) rows.remark(kName, "is odd");
  const std::vector<std::string> remarks = rows.take_remarks();
  ASSERT_THAT(remarks, SizeIs(21));
  EXPECT_EQ(remarks.front(), "line 2, column 'name': 'x y' is odd");
  EXPECT_EQ(remarks.back(), "5 more like these");
}

TEST(CsvRows, nothing_has_no_rows) {
  CsvRows rows("", kNames);
  EXPECT_FALSE(rows.has(kName));
  EXPECT_FALSE(rows.next());
  EXPECT_THAT(rows.take_remarks(), ElementsAre());
}

constexpr std::string_view kGridHeader =
    "version,device,case,baseline,contender,metric,dim0,dim1,value,status\n";

RatioGrids grids_of(const std::string& rows) {
  auto grids = parse_ratio_grids(std::string(kGridHeader) + rows, "grids.csv");
  EXPECT_TRUE(grids) << (grids ? "" : grids.error().what);
  return grids ? std::move(grids).value() : RatioGrids{};
}

TEST(RatioGrids, rows_of_one_pair_are_one_table_in_the_order_of_the_file) {
  const RatioGrids grids = grids_of(
      "v3,A100,softmax,eager,inductor,relative_performance_pct,128,256,123.45,ok\n"
      "v3,A100,softmax,eager,inductor,relative_performance_pct,128,128,80,ok\n"
      "v3,A100,softmax,eager,flash2,relative_performance_pct,128,128,1025.1,ok\r\n");
  ASSERT_EQ(grids.grids.size(), 2u);
  EXPECT_EQ(grids.rows, 3u);
  EXPECT_EQ(grids.grids[0].contender, "inductor");
  ASSERT_EQ(grids.grids[0].cells.size(), 2u);
  EXPECT_EQ(grids.grids[0].cells[0].dim1, 256);
  EXPECT_EQ(grids.grids[0].cells[0].value, 123.45);
  EXPECT_EQ(grids.grids[1].cells[0].value, 1025.1);
  EXPECT_TRUE(grids.remarks.empty());
}

TEST(RatioGrids, a_missing_operand_is_a_status_and_no_number) {
  const RatioGrids grids = grids_of(
      "v1,R,softmax,a,b,relative_overhead,1,1,,value_error\n"
      "v1,R,softmax,a,b,relative_overhead,1,2,,oom\n"
      "v1,R,softmax,a,b,relative_overhead,1,3,2.5,same_kernels\n"
      "v1,R,softmax,a,b,relative_overhead,1,4,2.5,wrong\n");
  const auto& cells = grids.grids[0].cells;
  EXPECT_EQ(cells[0].status, CellStatus::kMissing);
  EXPECT_EQ(cells[1].status, CellStatus::kOom);
  EXPECT_FALSE(cells[0].value || cells[1].value);
  EXPECT_TRUE(cells[2].ran_same_kernels);
  EXPECT_EQ(cells[3].status, CellStatus::kWrong);
  EXPECT_EQ(cells[3].value, 2.5);
  for (const GridCell& cell : cells) EXPECT_FALSE(cell.counts());
  EXPECT_FALSE(geometric_mean(grids.grids[0]));
  EXPECT_TRUE(grids.remarks.empty());
}

TEST(RatioGrids, a_row_that_cannot_be_used_is_named_by_line_and_column) {
  const RatioGrids grids = grids_of(
      "v,d,softmax,a,b,relative_overhead,8,8,1.5,ok\n"
      "v,d,softmax,a,b,speed,8,16,1.5,ok\n"
      "v,d,,a,b,relative_overhead,8,16,1.5,ok\n"
      "v,d,softmax,a,b,relative_overhead,x,16,1.5,ok\n"
      "v,d,softmax,a,b,relative_overhead,8,1e3,1.5,ok\n"
      "v,d,softmax,a,b,relative_overhead,8,16,fast,ok\n"
      "v,d,softmax,a,b,relative_overhead,8,32,1.5,fine\n"
      "v,d,softmax,a,b,relative_overhead,8,8,1.7,ok\n"
      "v,d\n");
  EXPECT_THAT(
      grids.remarks,
      ElementsAre(
          "line 3, column 'metric': 'speed' is not a metric that strobe knows; the row is left out",
          "line 4, column 'case': '' has no case; the row is left out",
          "line 5, column 'dim0': 'x' is not a size; the row is left out",
          "line 6, column 'dim1': '1e3' is not a size; the row is left out",
          "line 7, column 'value': 'fast' is not a positive number; the cell counts as missing",
          "line 8, column 'status': 'fine' is not a status; the cell counts as missing",
          "line 9, column 'dim0': '8' occurs a second time with its dim1; the row is "
          "left out",
          "line 10, column 'metric': '' is not a metric that strobe knows; the row is left out"));
  EXPECT_EQ(grids.rows, 9u);
  EXPECT_EQ(grids.grids[0].cells.size(), 3u);
}

TEST(RatioGrids, endless_trouble_is_counted_instead_of_listed) {
  std::string rows = "v,d,softmax,a,b,relative_overhead,8,8,1.5,ok\n";
  for (int i = 0; i < 1000; ++i) rows += "v,d,softmax,a,b,speed,8,16,1.5,ok\n";
  const RatioGrids grids = grids_of(rows);
  EXPECT_EQ(grids.remarks.size(), 21u);
  EXPECT_EQ(grids.remarks.back(), "980 more like these");
}

TEST(RatioGrids, columns_may_come_in_any_order_and_beside_others) {
  const auto grids = parse_ratio_grids(
      "\xEF\xBB\xBFvalue,\"case\",color,metric,dim1,dim0\n12.5,\"soft,max\",red,gbps,4,2\n", "x");
  ASSERT_TRUE(grids) << grids.error().what;
  EXPECT_EQ(grids->grids[0].case_id, "soft,max");
  EXPECT_EQ(grids->grids[0].cells[0].dim0, 2);
  EXPECT_EQ(grids->grids[0].cells[0].value, 12.5);
}

TEST(RatioGrids, a_noisy_cell_is_told_by_its_column) {
  const auto grids = parse_ratio_grids(
      "case,metric,dim0,dim1,value,status,noisy\n"
      "softmax,gbps,8,8,12.5,ok,true\n"
      "softmax,gbps,8,16,12.5,ok,\n"
      "softmax,gbps,8,32,12.5,ok,false\n"
      "softmax,gbps,8,64,12.5,ok,maybe\n"
      "softmax,gbps,8,128,,oom,true\n",
      "x");
  ASSERT_TRUE(grids) << grids.error().what;
  std::vector<bool> noisy;
  for (const GridCell& cell : grids->grids.at(0).cells) noisy.push_back(cell.is_noisy);
  EXPECT_THAT(noisy, ElementsAre(true, false, false, false, false));
  EXPECT_THAT(grids->remarks, ElementsAre("line 5, column 'noisy': 'maybe' is neither true nor "
                                          "false; the cell counts as not noisy"));
}

TEST(RatioGrids, a_table_without_a_needed_column_says_which) {
  const auto grids = parse_ratio_grids("case,metric,dim0,value\n", "x.csv");
  ASSERT_FALSE(grids);
  EXPECT_EQ(grids.error().what, "its first line has no column 'dim1'");
  EXPECT_EQ(grids.error().where, "x.csv");
  EXPECT_FALSE(looks_like_ratio_grids("case,metric,dim0,value\n"));
  EXPECT_TRUE(looks_like_ratio_grids(kGridHeader));
}

TEST(RatioGrids, a_table_of_nothing_is_too_little) {
  EXPECT_EQ(parse_ratio_grids(kGridHeader, "x").error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(
      parse_ratio_grids(std::string(kGridHeader) + "a,b\n", "x").error().what,
      "none of its 1 rows can be used: line 2, column 'metric': '' is not a metric that strobe "
      "knows; the row is left out");
}

constexpr std::string_view kTunedHeader =
    "device,case,dim0,dim1,xblock,yblock,num_warps,num_stages,shared_bytes,arch\n";

TEST(TunedShapes, a_row_is_what_was_chosen_for_a_shape) {
  const auto read = parse_tuned_shapes(
      std::string(kTunedHeader) + "A100,layout,32,1024,32,16,2,1,2112,80\r\n", "x");
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->shapes.size(), 1u);
  const TunedShape& tuned = read->shapes[0];
  EXPECT_EQ(tuned.device, "A100");
  EXPECT_EQ(tuned.case_id, "layout");
  EXPECT_EQ(tuned.shape, (Shape{{32, 1024}}));
  EXPECT_EQ(tuned.block_x, 32);
  EXPECT_EQ(tuned.block_y, 16);
  EXPECT_EQ(tuned.warps, 2);
  EXPECT_EQ(tuned.stages, 1);
  EXPECT_EQ(tuned.shared_bytes, 2112);
}

TEST(TunedShapes, they_are_told_by_their_columns) {
  EXPECT_TRUE(looks_like_tuned_shapes(kTunedHeader));
  EXPECT_TRUE(looks_like_tuned_shapes("\xEF\xBB\xBF" + std::string(kTunedHeader)));
  EXPECT_FALSE(looks_like_tuned_shapes("case,dim0,dim1,value\n"));
  EXPECT_FALSE(looks_like_tuned_shapes(""));
}

TEST(TunedShapes, a_row_that_cannot_be_used_is_left_out_and_told) {
  const auto read = parse_tuned_shapes(
      std::string(kTunedHeader) +
          "A100,layout,32,1024,32,0,2,1,,80\nA100,layout,32,1024,32,16,2,1,,80\n",
      "x");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->shapes.size(), 1u);
  EXPECT_THAT(read->remarks, ElementsAre("line 2, column 'yblock': '0' is not a valid number; "
                                         "the row is left out"));
}

TEST(TunedShapes, nothing_that_can_be_used_is_an_error) {
  EXPECT_EQ(parse_tuned_shapes(kTunedHeader, "x").error().what, "it has no rows");
  EXPECT_EQ(parse_tuned_shapes("case,dim0\n", "x").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(parse_tuned_shapes(std::string(kTunedHeader) + "a,,1,1,1,1,1,1\n", "x").error().code,
            ErrorCode::kTooLittleData);
}

}  // namespace

}  // namespace strobe::bench
