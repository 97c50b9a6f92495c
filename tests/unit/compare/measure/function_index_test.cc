#include "strobe/compare/measure/function_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/compare/measure/measure.h"
#include "tests/support/sketch.h"

namespace strobe::compare {
namespace {

TEST(FunctionNameTest, suffixes_of_clones_go) {
  EXPECT_EQ(canonical_name("run.constprop.0"), "run");
  EXPECT_EQ(canonical_name("run.part.3.isra.1"), "run");
  EXPECT_EQ(canonical_name("run.cold"), "run");
  EXPECT_EQ(canonical_name("run(int) [clone .constprop.0]"), "run(int)");
  EXPECT_EQ(canonical_name("run(int) [clone .part.3] [clone .cold]"), "run(int)");
}

TEST(FunctionNameTest, addresses_at_the_end_go) {
  EXPECT_EQ(canonical_name("run+0x1f"), "run");
  EXPECT_EQ(canonical_name("run @ 0x7f00aa"), "run");
  EXPECT_EQ(canonical_name("run (0x7f00aa)"), "run");
  EXPECT_EQ(canonical_name("run [0x7f00aa]"), "run");
  EXPECT_EQ(canonical_name("run+0x1f.constprop.0"), "run");
}

TEST(FunctionNameTest, what_only_looks_alike_stays) {
  EXPECT_EQ(canonical_name("conv2d.3"), "conv2d.3");
  EXPECT_EQ(canonical_name("gemm_0x10"), "gemm_0x10");
  EXPECT_EQ(canonical_name("0x7f00"), "0x7f00");
  EXPECT_EQ(canonical_name("aten::part"), "aten::part");
  EXPECT_EQ(canonical_name("f(a)[clone] kept"), "f(a)[clone] kept");
  EXPECT_EQ(canonical_name("void f<(anonymous namespace)::T>(int)"),
            "void f<(anonymous namespace)::T>(int)");
  EXPECT_EQ(canonical_name(""), "");
  EXPECT_EQ(canonical_name(".cold"), ".cold");
}

TEST(FunctionNameTest, mangled_names_are_read) {
  EXPECT_EQ(canonical_name("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(canonical_name("_ZN3foo3barEi.constprop.0"), "foo::bar(int)");
  EXPECT_EQ(canonical_name("_Znonsense!"), "_Znonsense!");
}

constexpr auto kHost = TrackKind::kHostThread;
constexpr auto kStream = TrackKind::kDeviceStream;

TEST(FunctionKindTest, a_kernel_that_communicates_is_a_collective) {
  EXPECT_EQ(function_kind(SliceKind::kKernel, kNoFlags, "kernel", kStream), FunctionKind::kKernel);
  EXPECT_EQ(function_kind(SliceKind::kKernel, kCommunicates, "kernel", kStream),
            FunctionKind::kCollective);
  EXPECT_EQ(function_kind(SliceKind::kOperator, kCommunicates, "cpu_op", kHost),
            FunctionKind::kHostOperator);
}

TEST(FunctionKindTest, the_operating_systems_categories_are_kinds_of_their_own) {
  EXPECT_EQ(function_kind(SliceKind::kOther, kNoFlags, "os_sched", kHost),
            FunctionKind::kScheduling);
  EXPECT_EQ(function_kind(SliceKind::kOther, kNoFlags, "os_io", kHost), FunctionKind::kInputOutput);
  EXPECT_EQ(function_kind(SliceKind::kOther, kNoFlags, "anything", kHost),
            FunctionKind::kHostOperator);
}

TEST(FunctionKindTest, a_range_that_loads_data_is_one_whatever_its_name) {
  EXPECT_EQ(function_kind(SliceKind::kDataLoader, kNoFlags, "Dataloader", kHost),
            FunctionKind::kDataLoading);
  EXPECT_FALSE(is_on_device(FunctionKind::kDataLoading));
  EXPECT_EQ(word_of(FunctionKind::kDataLoading), "data_loading");
}

TEST(FunctionKindTest, drawings_frames_and_steps_are_no_functions) {
  for (const SliceKind kind : {SliceKind::kStep, SliceKind::kPythonCall, SliceKind::kSync,
                               SliceKind::kProfiler, SliceKind::kDeviceAnnotation}) {
    EXPECT_FALSE(function_kind(kind, kNoFlags, "", kHost)) << word_of(kind);
  }
  EXPECT_FALSE(function_kind(SliceKind::kOther, kNoFlags, "", kStream));
}

TEST(FunctionKindTest, kinds_up_to_memset_are_on_the_device) {
  EXPECT_TRUE(is_on_device(FunctionKind::kMemset));
  EXPECT_FALSE(is_on_device(FunctionKind::kHostOperator));
  EXPECT_EQ(word_of(FunctionKind::kRuntimeCall), "runtime_call");
}

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
