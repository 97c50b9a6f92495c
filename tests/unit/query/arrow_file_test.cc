#include "strobe/query/arrow_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/query/opened_tables.h"

// What the files hold is tested with a reader of others: web/tests/browser/arrow_file.test.ts.
namespace strobe::query {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(ArrowFileTest, a_file_has_its_mark_at_both_ends) {
  const Opened run = opened();
  std::string bytes;
  ArrowFile file({{"dur", ValueType::kWhole}}, bytes);
  ASSERT_TRUE(file.add({{"dur", run.column("kernels", "dur")}}, bytes));
  file.end(bytes);
  EXPECT_THAT(bytes, StartsWith("ARROW1"));
  EXPECT_THAT(bytes, EndsWith("ARROW1"));
}

TEST(ArrowFileTest, a_number_that_does_not_fit_is_an_error) {
  const Opened run = opened();
  std::string bytes;
  ArrowFile file({{"total", ValueType::kWhole}}, bytes);
  const auto added = file.add({{"total", run.column("devices", "name")}}, bytes);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().what, "column 'total' has a whole number that does not fit in 64 bits");
}

}  // namespace
}  // namespace strobe::query
