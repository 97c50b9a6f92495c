#include "strobe/cli/fleet_request.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

Result<FleetRequest> read_fleet(const std::vector<std::string>& words,
                                const TypedFlags& flags = {}) {
  return typed_request(fleet_flags, complete_fleet, words, flags);
}

TEST(FleetRequestTest, text_has_short_tables_and_other_formats_have_all_rows) {
  EXPECT_EQ(read_fleet({"ops.csv"})->top, kRowsOnAPage);
  EXPECT_EQ(read_fleet({"ops.csv"}, {{"format", "html"}})->top, 0u);
  EXPECT_EQ(read_fleet({"ops.csv"}, {{"top", "all"}})->top, 0u);
  EXPECT_EQ(read_fleet({"ops.csv"}, {{"format", "html"}, {"top", "3"}})->top, 3u);
}

TEST(FleetRequestTest, there_is_one_job) {
  EXPECT_EQ(read_fleet({"-"})->input, "/dev/stdin");
  EXPECT_EQ(read_fleet({}).error().what, "no job was given");
  EXPECT_EQ(read_fleet({"a", "b"}).error().what, "`strobe fleet` takes one job, not 2");
}

}  // namespace
}  // namespace strobe::cli
