#include "strobe/compare/measure/function_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

constexpr Interval kAll{0, 1000};

TEST(FunctionIndexTest, one_name_is_several_functions_by_kind_and_device) {
  Sketch sketch;
  sketch.thread(1).slice("copy", SliceKind::kOperator, 0, 9);
  sketch.stream(7, 1).slice("copy", SliceKind::kKernel, 1, 2);
  sketch.stream(3, 1).slice("copy", SliceKind::kKernel, 1, 2);
  sketch.stream(7, 2).slice("copy", SliceKind::kKernel, 4, 2);
  sketch.stream(7, 2).slice("copy", SliceKind::kKernel, 7, 2).flags(kCommunicates);
  const FunctionIndex index = index_functions(sketch.trace(), {}, kAll);
  EXPECT_THAT(index.devices, ElementsAre("Host", "GPU 3", "GPU 7"));
  EXPECT_THAT(index.keys, ElementsAre(FunctionKey{"copy", FunctionKind::kKernel, "GPU 3"},
                                      FunctionKey{"copy", FunctionKind::kKernel, "GPU 7"},
                                      FunctionKey{"copy", FunctionKind::kCollective, "GPU 7"},
                                      FunctionKey{"copy", FunctionKind::kHostOperator, "Host"}));
  EXPECT_THAT(index.of_slice, ElementsAre(3, 1, 0, 1, 2));
  EXPECT_THAT(index.device_of, ElementsAre(1, 2, 2, 0));
}

TEST(FunctionIndexTest, clones_are_one_function) {
  Sketch sketch;
  sketch.thread(1).slice("f", SliceKind::kOperator, 0, 9);
  sketch.slice("f.constprop.0", SliceKind::kOperator, 10, 9);
  const FunctionIndex index = index_functions(sketch.trace(), {}, kAll);
  EXPECT_THAT(index.keys, ElementsAre(Field(&FunctionKey::name, "f")));
  EXPECT_THAT(index.of_slice, ElementsAre(0, 0));
}

TEST(FunctionIndexTest, markers_and_what_lies_outside_the_window_are_left_out) {
  Sketch sketch;
  sketch.thread(1).slice("cycle", SliceKind::kAnnotation, 100, 100);
  const SliceId marker = sketch.last();
  sketch.slice("early", SliceKind::kOperator, 0, 99);
  sketch.slice("reaches in", SliceKind::kOperator, 50, 60);
  sketch.slice("late", SliceKind::kOperator, 200, 1);
  const FunctionIndex index = index_functions(sketch.trace(), {marker}, {100, 200});
  EXPECT_THAT(index.keys, ElementsAre(Field(&FunctionKey::name, "reaches in")));
  EXPECT_THAT(index.of_slice,
              ElementsAre(FunctionIndex::kNone, FunctionIndex::kNone, 0, FunctionIndex::kNone));
}

TEST(FunctionIndexTest, the_operating_system_is_known_by_its_category) {
  Sketch sketch;
  sketch.thread(1).slice("oncpu", SliceKind::kOther, 0, 9).category("os_sched");
  sketch.slice("read", SliceKind::kOther, 0, 9).category("os_io");
  const FunctionIndex index = index_functions(sketch.trace(), {}, kAll);
  EXPECT_THAT(index.keys, ElementsAre(Field(&FunctionKey::kind, FunctionKind::kScheduling),
                                      Field(&FunctionKey::kind, FunctionKind::kInputOutput)));
}

}  // namespace
}  // namespace strobe::compare
