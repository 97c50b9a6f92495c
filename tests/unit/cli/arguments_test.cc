#include <gmock/gmock.h>

#include "strobe/cli/command.h"

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ArgumentsTest, what_was_not_typed_has_its_fallback) {
  const Arguments arguments;
  EXPECT_FALSE(arguments.has("top"));
  EXPECT_EQ(arguments.get("top", "10"), "10");
  EXPECT_TRUE(arguments.is_on("detail", true));
  EXPECT_FALSE(arguments.is_on("detail"));
  EXPECT_THAT(arguments.list("views"), IsEmpty());
}

TEST(ArgumentsTest, the_last_value_counts) {
  Arguments arguments;
  arguments.add("detail", "on");
  arguments.add("detail", "off");
  EXPECT_EQ(arguments.get("detail"), "off");
  EXPECT_FALSE(arguments.is_on("detail", true));
}

TEST(ArgumentsTest, a_list_is_cut_at_its_commas_and_empty_pieces_fall_out) {
  Arguments arguments;
  arguments.add("views", ",a,,b");
  arguments.add("views", "c,");
  EXPECT_THAT(arguments.list("views"), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace strobe::cli
