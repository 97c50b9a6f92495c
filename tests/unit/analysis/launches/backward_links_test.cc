#include "strobe/analysis/launches/backward_links.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(BackwardLinksTest, a_backward_operator_finds_the_last_forward_of_its_number) {
  Sketch sketch;
  sketch.thread(1).slice("view", kOp, 0_us, 1_us).sequence(5);
  sketch.slice("mm", kOp, 2_us, 1_us).sequence(5);
  const SliceId mm = sketch.last();
  sketch.slice("add", kOp, 4_us, 1_us).sequence(6);
  sketch.thread(2).slice("mm backward", kOp, 10_us, 1_us).sequence(5, 1);
  const SliceId backward = sketch.last();
  const auto links = link_backward(sketch.trace());
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].backward, backward);
  EXPECT_EQ(links[0].forward, mm);
}

TEST(BackwardLinksTest, a_forward_that_starts_later_is_not_meant) {
  // Numbers begin anew with every capture; the second use is a later forward.
  Sketch sketch;
  sketch.thread(1).slice("first", kOp, 0_us, 1_us).sequence(5);
  const SliceId first = sketch.last();
  sketch.slice("second", kOp, 20_us, 1_us).sequence(5);
  sketch.thread(2).slice("backward", kOp, 10_us, 1_us).sequence(5, 1);
  const auto links = link_backward(sketch.trace());
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].forward, first);
}

TEST(BackwardLinksTest, a_number_without_a_forward_and_another_process_give_no_link) {
  Sketch sketch;
  sketch.thread(1, 1).slice("forward", kOp, 0_us, 1_us).sequence(5);
  sketch.thread(2, 1).slice("backward of nothing", kOp, 10_us, 1_us).sequence(8, 1);
  sketch.thread(2, 2).slice("backward elsewhere", kOp, 10_us, 1_us).sequence(5, 1);
  EXPECT_TRUE(link_backward(sketch.trace()).empty());
}

}  // namespace
}  // namespace strobe::analysis
