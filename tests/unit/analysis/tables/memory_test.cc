#include "strobe/analysis/tables/memory.h"

#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> owner_texts(const std::vector<MemoryOwner>& owners) {
  std::vector<std::string> texts;
  for (const MemoryOwner& owner : owners) {
    texts.push_back(owner.name + " " + std::to_string(owner.bytes) + "/" +
                    std::to_string(owner.count));
  }
  return texts;
}

TEST(MemoryCurveTest, totals_of_the_trace_are_the_curve) {
  Sketch sketch;
  sketch.memory(kAllocated, "Place(gpu:0)", 20, 5).totals(105, 200);
  sketch.memory(kAllocated, "Place(gpu:0)", 10, 50).totals(100, 128);
  sketch.memory(kFreed, "Place(gpu:0)", 30, -50).totals(55, 200);
  const auto curves = list_memory_curves(sketch.trace());
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].place, "GPU 0");
  ASSERT_EQ(curves[0].points.size(), 3u);
  EXPECT_EQ(curves[0].points[0].time_ns, 10);
  EXPECT_EQ(curves[0].peak, 1u);
  EXPECT_EQ(curves[0].points[1].allocated_bytes, 105);
  EXPECT_EQ(curves[0].reserved_peak_bytes, 200);
}

TEST(MemoryCurveTest, without_totals_events_add_up_from_zero) {
  Sketch sketch;
  sketch.metadata().traits.device_label = "MLU";
  sketch.memory(kAllocated, "Place(gpu:1)", 0, 10).memory(kFreed, "Place(gpu:1)", 5, -4);
  const auto curves = list_memory_curves(sketch.trace());
  EXPECT_EQ(curves[0].place, "MLU 1");
  EXPECT_EQ(curves[0].points[1].allocated_bytes, 6);
  EXPECT_EQ(curves[0].points[1].reserved_bytes, -1) << "unknown";
}

TEST(MemoryCurveTest, thinning_keeps_peaks_lows_and_the_end) {
  std::vector<MemoryPoint> points;
  for (std::int64_t i = 0; i < 10'000; ++i) points.push_back({i, 100, 500});
  points[1'234].allocated_bytes = 900;
  points[7'000].allocated_bytes = 1;
  points[7'001].reserved_bytes = 900;
  points.back().allocated_bytes = 42;
  const auto kept = thinned(points, 10);
  EXPECT_LE(kept.size(), 40u);
  const auto holds = [&](std::int64_t time_ns) {
    return std::ranges::count(kept, time_ns, &MemoryPoint::time_ns) == 1;
  };
  EXPECT_TRUE(holds(1'234) && holds(7'000) && holds(7'001) && holds(9'999));
  EXPECT_TRUE(std::ranges::is_sorted(kept, {}, &MemoryPoint::time_ns));
  EXPECT_EQ(thinned(points, 2'500).size(), 10'000u) << "few enough to keep all";
  EXPECT_TRUE(thinned({}, 10).empty());
}

TEST(MemoryCurveTest, what_is_alive_at_the_peak_belongs_to_operators_and_adds_up) {
  Sketch sketch;
  sketch.metadata().traits.nested_operators_are_phases = true;
  sketch.slice("op", kOp, 0, 100).slice("phase", kOp, 10, 20).slice("other", kOp, 100, 50);
  sketch.memory(kAllocated, "Place(gpu:0)", 15, 30).address(1).totals(1'030, -1);
  sketch.memory(kAllocated, "Place(gpu:0)", 20, 40).address(2).totals(1'070, -1);
  sketch.memory(kFreed, "Place(gpu:0)", 50, -40).address(2).totals(1'030, -1);
  sketch.memory(kAllocated, "Place(gpu:0)", 60, 50).address(3).totals(1'080, -1);
  sketch.memory(kAllocated, "Place(gpu:0)", 120, 7).address(4).totals(1'087, -1);
  sketch.memory(kAllocated, "Place(gpu:0)", 500, 2).address(5).totals(1'089, -1);
  sketch.memory(kFreed, "Place(gpu:0)", 600, -30).address(1).totals(1'059, -1);
  const Trace trace = sketch.trace();
  const auto curves = list_memory_curves(trace);
  EXPECT_THAT(
      owner_texts(owners_at_peak(attribute_trace(trace), curves[0])),
      ElementsAre("[before the trace] 1000/0", "op 80/2", "other 7/1", "[unattributed] 2/1"));
  EXPECT_EQ(not_freed_bytes(trace, curves[0]), 59);
}

TEST(MemoryCurveTest, without_addresses_there_are_no_owners_and_the_sum_is_not_freed) {
  Sketch sketch;
  sketch.slice("op", kOp, 0, 100).memory(kAllocated, "Place(gpu:0)", 15, 30);
  sketch.memory(kFreed, "Place(gpu:0)", 20, -10);
  sketch.memory(MemoryAction::kReserve, "Place(gpu:0)", 30, 4096);
  const Trace trace = sketch.trace();
  const auto curves = list_memory_curves(trace);
  EXPECT_TRUE(owners_at_peak(attribute_trace(trace), curves[0]).empty());
  EXPECT_EQ(not_freed_bytes(trace, curves[0]), 20);
}

TEST(MemoryCurveTest, more_freed_than_allocated_leaves_nothing) {
  Sketch sketch;
  sketch.memory(kAllocated, "cpu", 15, 30).memory(kFreed, "cpu", 20, -70);
  const Trace trace = sketch.trace();
  EXPECT_EQ(not_freed_bytes(trace, list_memory_curves(trace)[0]), 0);
}

TEST(MemoryCurveTest, reservations_are_no_allocations) {
  Sketch sketch;
  sketch.memory(MemoryAction::kReserve, "Place(gpu:0)", 0, 512);
  sketch.memory(kAllocated, "Place(gpu:0)", 1, 8);
  sketch.memory(MemoryAction::kUnreserve, "Place(gpu:0)", 2, -512);
  const auto curves = list_memory_curves(sketch.trace());
  EXPECT_EQ(curves[0].points[0].allocated_bytes, 0);
  EXPECT_EQ(curves[0].points[1].reserved_bytes, 512);
  EXPECT_EQ(curves[0].points[2].reserved_bytes, 0);
  EXPECT_EQ(curves[0].points[2].allocated_bytes, 8);
}

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

std::vector<std::string> row_texts(const std::vector<MemoryRow>& rows) {
  std::vector<std::string> texts;
  for (const MemoryRow& row : rows) {
    texts.push_back(row.name + " +" + std::to_string(row.allocated_bytes) + " -" +
                    std::to_string(row.freed_bytes));
  }
  return texts;
}

// Thread 1: an operator with others inside it, a range, and nothing; thread 2 has no ranges.
Trace events_everywhere() {
  return Sketch()
      .thread(1)
      .slice("linear", kOp, 0_us, 20_us)
      .slice("addmm", kOp, 5_us, 10_us)
      .slice("empty", kOp, 6_us, 2_us)
      .slice("load", SliceKind::kAnnotation, 30_us, 10_us)
      .memory(kAllocated, "p", 7_us, 100)
      .memory(kAllocated, "p", 18_us, 10)
      .memory(kAllocated, "p", 35_us, 40)
      .memory(kFreed, "p", 50_us, -100)
      .thread(2)
      .memory(kFreed, "p", 60_us, -30)
      .trace();
}

TEST(MemoryPlacesTest, every_event_is_in_one_row) {
  const Trace trace = events_everywhere();
  const auto places = list_memory_places(attribute_trace(trace));
  ASSERT_EQ(places.size(), 1u);
  EXPECT_THAT(row_texts(places[0].allocated),
              ElementsAre("linear +110 -0", "load +40 -0", "[outside of ranges] +0 -130"));
  EXPECT_EQ(places[0].allocated[2].frees, 2u);
  std::int64_t kept = 0;
  for (const MemoryRow& row : places[0].allocated) kept += row.increased_bytes();
  EXPECT_EQ(kept, 20);  // 100 + 10 + 40 - 100 - 30
  EXPECT_EQ(places[0].peak_allocated_bytes, 150);
}

TEST(MemoryPlacesTest, only_the_chosen_time_counts_for_events_and_peaks) {
  const Trace trace = events_everywhere();
  const IntervalSet late = {{30_us, 55_us}};
  const auto places =
      list_memory_places(attribute_trace(trace, TimeSelection(late)), std::optional(late));
  ASSERT_EQ(places.size(), 1u);
  EXPECT_THAT(row_texts(places[0].allocated),
              ElementsAre("load +40 -0", "[outside of ranges] +0 -100"));
  EXPECT_EQ(places[0].peak_allocated_bytes, 150);
  const IntervalSet between = {{20_us, 30_us}, {52_us, 70_us}};
  const auto quiet =
      list_memory_places(attribute_trace(trace, TimeSelection(between)), std::optional(between));
  ASSERT_EQ(quiet.size(), 1u);
  EXPECT_EQ(quiet[0].peak_allocated_bytes, 110) << "in use since before";
}

TEST(MemoryPlacesTest, a_peak_before_the_chosen_time_is_not_its_peak) {
  Sketch sketch;
  sketch.memory(kAllocated, "p", 10, 900).totals(1'000, 2'000).peaks(1'000, 2'000);
  sketch.memory(kFreed, "p", 20, -700).totals(300, 2'000).peaks(1'000, 2'000);
  sketch.memory(kAllocated, "p", 40, 50).totals(350, 1'500).peaks(1'000, 2'000);
  const Trace trace = sketch.trace();
  EXPECT_EQ(list_memory_places(attribute_trace(trace))[0].peak_allocated_bytes, 1'000);
  const IntervalSet late = {{30, 60}};
  const auto places =
      list_memory_places(attribute_trace(trace, TimeSelection(late)), std::optional(late));
  EXPECT_EQ(places[0].peak_allocated_bytes, 350);
  EXPECT_EQ(places[0].peak_reserved_bytes, 2'000) << "until the event at 40";
}

TEST(MemoryPlacesTest, a_place_without_events_in_the_chosen_time_keeps_what_it_holds) {
  Sketch sketch;
  sketch.memory(kAllocated, "model", 10, 900).memory(kAllocated, "batch", 40, 50);
  sketch.memory(kAllocated, "gone", 12, 70).memory(kFreed, "gone", 14, -70);
  const Trace trace = sketch.trace();
  const IntervalSet late = {{30, 60}};
  const auto places =
      list_memory_places(attribute_trace(trace, TimeSelection(late)), std::optional(late));
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].place, "batch");
  EXPECT_EQ(places[1].place, "model");
  EXPECT_EQ(places[1].peak_allocated_bytes, 900);
  EXPECT_TRUE(places[1].allocated.empty());
}

TEST(ClassicMemoryPlacesTest, an_operator_answers_for_its_direct_phases_which_have_no_rows) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .slice("phase", kPhase, 5_us, 10_us)
                          .slice("deeper", kPhase, 6_us, 2_us)
                          .memory(kAllocated, "p", 10_us, 100)
                          .memory(kAllocated, "p", 7_us, 1000)
                          .trace();
  const auto places = list_memory_places(attribute_trace(trace, {}, TreeRules::kCompatible));
  ASSERT_EQ(places[0].allocated.size(), 1u);
  EXPECT_EQ(places[0].allocated[0].name, "op");
  EXPECT_EQ(places[0].allocated[0].allocated_bytes, 100);
}

TEST(ClassicMemoryPlacesTest, other_direct_children_count_under_both_names) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .slice("launch", SliceKind::kDynamicLaunch, 5_us, 10_us)
                          .memory(kAllocated, "p", 10_us, 100)
                          .trace();
  const auto places = list_memory_places(attribute_trace(trace, {}, TreeRules::kCompatible));
  ASSERT_EQ(places[0].allocated.size(), 2u);
  EXPECT_EQ(places[0].allocated[0].name, "op");
  EXPECT_EQ(places[0].allocated[1].name, "launch");
}

TEST(ClassicMemoryPlacesTest,
     where_nested_operators_are_phases_the_outermost_answers_for_all_once) {
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
  const auto places = list_memory_places(attribute_trace(trace, {}, TreeRules::kCompatible));
  ASSERT_EQ(places[0].allocated.size(), 1u);
  EXPECT_EQ(places[0].allocated[0].name, "linear");
  EXPECT_EQ(places[0].allocated[0].allocated_bytes, 100);
  EXPECT_EQ(places[0].peak_allocated_bytes, 105);  // outside all ranges, but in use
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
