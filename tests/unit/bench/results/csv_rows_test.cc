#include "strobe/bench/results/csv_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  ASSERT_TRUE(rows.next());  // the empty lines are none
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

}  // namespace
}  // namespace strobe::bench
