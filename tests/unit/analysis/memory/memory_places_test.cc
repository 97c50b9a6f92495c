#include "strobe/analysis/memory/memory_places.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(MemoryPlacesTest, allocations_and_frees_add_up_under_their_range) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .memory(kAllocated, "Place(gpu:0)", 1_us, 512)
                          .peaks(512, 2048)
                          .memory(kAllocated, "Place(gpu:0)", 2_us, 256)
                          .peaks(768, 2048)
                          .memory(kFreed, "Place(gpu:0)", 3_us, -512)
                          .peaks(768, 2048)
                          .memory(MemoryAction::kReserve, "Place(gpu:0)", 4_us, 2048)
                          .trace();
  const auto places = list_memory_places(attribute_trace(trace));
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].place, "Place(gpu:0)");
  EXPECT_EQ(places[0].peak_allocated_bytes, 768);
  EXPECT_EQ(places[0].peak_reserved_bytes, 2048);
  ASSERT_EQ(places[0].allocated.size(), 1u);
  const MemoryRow& row = places[0].allocated[0];
  EXPECT_EQ(row.name, "op");
  EXPECT_EQ(row.allocations, 2u);
  EXPECT_EQ(row.frees, 1u);
  EXPECT_EQ(row.allocated_bytes, 768);
  EXPECT_EQ(row.freed_bytes, 512);
  EXPECT_EQ(row.increased_bytes(), 256);
  ASSERT_EQ(places[0].reserved.size(), 1u);
  EXPECT_EQ(places[0].reserved[0].allocated_bytes, 2048);
}

TEST(MemoryPlacesTest, an_operator_answers_for_its_direct_phases_which_have_no_rows) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .slice("phase", kPhase, 5_us, 10_us)
                          .slice("deeper", kPhase, 6_us, 2_us)
                          .memory(kAllocated, "p", 10_us, 100)
                          .memory(kAllocated, "p", 7_us, 1000)
                          .trace();
  const auto places = list_memory_places(attribute_trace(trace));
  ASSERT_EQ(places[0].allocated.size(), 1u);
  EXPECT_EQ(places[0].allocated[0].name, "op");
  EXPECT_EQ(places[0].allocated[0].allocated_bytes, 100);
}

TEST(MemoryPlacesTest, other_direct_children_count_under_both_names) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .slice("launch", SliceKind::kDynamicLaunch, 5_us, 10_us)
                          .memory(kAllocated, "p", 10_us, 100)
                          .trace();
  const auto places = list_memory_places(attribute_trace(trace));
  ASSERT_EQ(places[0].allocated.size(), 2u);
  EXPECT_EQ(places[0].allocated[0].name, "op");
  EXPECT_EQ(places[0].allocated[1].name, "launch");
}

TEST(MemoryPlacesTest, where_nested_operators_are_phases_the_outermost_answers_for_all_once) {
  TraceTraits traits;
  traits.nested_operators_are_phases = true;
  const Trace trace = Sketch()
                          .traits(traits)
                          .slice("linear", kOp, 0_us, 20_us)
                          .slice("addmm", kOp, 5_us, 10_us)
                          .slice("empty", kOp, 6_us, 2_us)
                          .memory(kAllocated, "p", 7_us, 100)
                          .memory(kAllocated, "p", 40_us, 5)
                          .peaks(105, 0)
                          .trace();
  const auto places = list_memory_places(attribute_trace(trace));
  ASSERT_EQ(places[0].allocated.size(), 1u);
  EXPECT_EQ(places[0].allocated[0].name, "linear");
  EXPECT_EQ(places[0].allocated[0].allocated_bytes, 100);
  EXPECT_EQ(places[0].peak_allocated_bytes, 105);  // outside all ranges, in use all the same
}

TEST(MemoryPlacesTest, a_place_without_allocations_has_no_table) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .memory(MemoryAction::kReserve, "Place(cpu)", 4_us, 2048)
                          .trace();
  EXPECT_TRUE(list_memory_places(attribute_trace(trace)).empty());
}

}  // namespace
}  // namespace strobe::analysis
