#include "strobe/serve/on_demand.h"

#include <gtest/gtest.h>

#include <new>

namespace strobe::serve {
namespace {

TEST(LastAsked, what_is_asked_for_again_is_not_made_again) {
  LastAsked<int> kept(2);
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(kept.place_of("a")->peek(), nullptr);
  EXPECT_EQ(kept.place_of("a")->get(make), 1);
  EXPECT_EQ(kept.place_of("b")->get(make), 2);
  EXPECT_EQ(kept.place_of("a")->get(make), 1);
}

TEST(LastAsked, what_could_not_be_made_is_tried_again) {
  LastAsked<int> kept(2);
  EXPECT_THROW(kept.place_of("a")->get([]() -> int { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(kept.place_of("a")->peek(), nullptr);
  EXPECT_EQ(kept.place_of("a")->get([] { return 7; }), 7);
}

TEST(LastAsked, the_least_recently_asked_one_goes_first) {
  LastAsked<int> kept(2);
  int made = 0;
  const auto make = [&] { return ++made; };
  kept.place_of("a")->get(make);
  kept.place_of("b")->get(make);
  kept.place_of("a");
  kept.place_of("c")->get(make);
  EXPECT_NE(kept.place_of("a")->peek(), nullptr);
  EXPECT_EQ(kept.place_of("b")->peek(), nullptr);
}

TEST(LastAsked, who_holds_a_place_keeps_it) {
  LastAsked<int> kept(1);
  const auto held = kept.place_of("a");
  kept.place_of("b");
  EXPECT_EQ(held->get([] { return 7; }), 7);
}

}  // namespace
}  // namespace strobe::serve
