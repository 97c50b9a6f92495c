#include "strobe/readers/counters/remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> written(const Remarks& remarks) {
  std::vector<std::string> lines;
  remarks.write_to(lines);
  return lines;
}

TEST(Remarks, say_row_line_and_column_of_the_first_and_count_the_rest) {
  Remarks remarks;
  remarks.add({17, 21}, "DRAM", "abc", "is not a number");
  remarks.add({18, 22}, "DRAM", "def", "is not a number");
  remarks.add({19, 23}, "Tensor", "x", "is not a number");
  remarks.add({20, 0}, "the result is damaged");
  remarks.add_once("the file is old");
  remarks.add_once("the file is old");
  EXPECT_THAT(written(remarks),
              ElementsAre("row 17 (line 21), 'DRAM': 'abc' is not a number; 1 more like it",
                          "row 19 (line 23), 'Tensor': 'x' is not a number",
                          "row 20: the result is damaged", "the file is old"));
}

TEST(Remarks, quote_a_file_briefly_and_in_valid_characters) {
  Remarks remarks;
  remarks.add({1, 0}, "", "a\nb\xFF", "is odd");
  remarks.add({2, 0}, "", std::string(100, 'x'), "is long");
  EXPECT_THAT(written(remarks), ElementsAre("row 1: 'a b\xEF\xBF\xBD' is odd",
                                            "row 2: '" + std::string(60, 'x') + "...' is long"));
}

}  // namespace
}  // namespace strobe::readers
