#include "strobe/tensorboard/ranges.h"
#include "tests/unit/tensorboard/forest_sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RangesTest, merging_joins_what_overlaps_or_touches_and_drops_what_is_inside) {
  EXPECT_THAT(merge({whole_range(5, 6), whole_range(0, 4), whole_range(1, 2), whole_range(4, 5),
                     whole_range(8, 9)}),
              ElementsAre(whole_range(0, 6), whole_range(8, 9)));
  EXPECT_THAT(merge({whole_range(3, 3), whole_range(7, 7)}),
              ElementsAre(whole_range(3, 3), whole_range(7, 7)));
}

TEST(RangesTest, subtracting_leaves_the_pieces_in_order) {
  EXPECT_THAT(subtract({whole_range(0, 10), whole_range(20, 30)},
                       {whole_range(2, 3), whole_range(5, 22), whole_range(30, 40)}),
              ElementsAre(whole_range(0, 2), whole_range(3, 5), whole_range(22, 30)));
  EXPECT_THAT(subtract({whole_range(0, 10)}, {whole_range(0, 10)}), IsEmpty());
}

TEST(RangesTest, a_moment_stays_unless_something_covers_it) {
  EXPECT_THAT(subtract({whole_range(5, 5)}, {whole_range(0, 5)}), ElementsAre(whole_range(5, 5)));
  EXPECT_THAT(subtract({whole_range(5, 5)}, {whole_range(5, 6)}), IsEmpty());
}

TEST(RangesTest, a_moment_cuts_in_two_and_both_pieces_have_the_kind_of_its_start) {
  const Ranges pieces = subtract({whole_range(0, 10)}, {{Number::whole(4), Number::real(4)}});
  EXPECT_THAT(pieces, ElementsAre(whole_range(0, 4), whole_range(4, 10)));
  EXPECT_EQ(to_text(total(pieces)), "10");
}

TEST(RangesTest, touching_ranges_do_not_meet) {
  EXPECT_THAT(intersect({whole_range(0, 5)}, {whole_range(5, 9)}), IsEmpty());
  EXPECT_THAT(intersect({whole_range(0, 5), whole_range(6, 9)}, {whole_range(3, 7)}),
              ElementsAre(whole_range(3, 5), whole_range(6, 7)));
}

TEST(RangesTest, a_moment_meets_what_it_is_inside_of) {
  EXPECT_THAT(intersect({whole_range(5, 5)}, {whole_range(5, 9)}), ElementsAre(whole_range(5, 5)));
  EXPECT_THAT(intersect({whole_range(5, 5)}, {whole_range(0, 5)}), IsEmpty());
  EXPECT_THAT(intersect({whole_range(5, 9)}, {whole_range(5, 5)}),
              IsEmpty());  // strictly, for the second list
  EXPECT_THAT(intersect({whole_range(4, 9)}, {whole_range(5, 5)}), ElementsAre(whole_range(5, 5)));
}

TEST(RangesTest, a_total_is_whole_as_long_as_all_its_parts_are) {
  EXPECT_EQ(to_text(total({whole_range(0, 5), whole_range(7, 9)})), "7");
  EXPECT_EQ(to_text(total({whole_range(0, 5), {Number::real(7.5), Number::whole(9)}})), "6.5");
  EXPECT_EQ(to_text(total({})), "0");
}

}  // namespace
}  // namespace strobe::tensorboard
