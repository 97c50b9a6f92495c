#include "strobe/readers/recording/allocation_rows.h"

#include <gmock/gmock.h>

#include "strobe/readers/recording/host_rows.h"
#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::RecordedSketch;
using test::RunFileSketch;
using test::SinkSketch;
using ::testing::ElementsAre;
using wire::ChunkKind;

Trace allocations_of(const RecordedSketch& sketch, SinkSketch& to) {
  LaunchNumbers launches(sketch.file().segments().size());
  EXPECT_TRUE(add_calls(sketch.file(), 17, launches, to.sink));
  EXPECT_TRUE(add_allocations(sketch.file(), 17, launches, to.sink));
  return to.trace();
}

TEST(AllocationRowsTest, memory_is_reserved_on_the_thread_of_its_call) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.call(run.thread(21), "cudaMalloc", 100, 10, 7);
    const auto device = run.text("device");
    run.rows(ChunkKind::kAllocations,
             {{105, 0, 1, device, 4096, 0xabc0, 7}, {300, 1, 1, device, 4096, 0xabc0, 0}});
  });
  SinkSketch to;
  const Trace trace = allocations_of(sketch, to);
  const MemoryColumns& memory = trace.memory();
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_THAT(memory.actions, ElementsAre(MemoryAction::kReserve, MemoryAction::kUnreserve));
  EXPECT_THAT(memory.bytes, ElementsAre(4096, -4096));
  EXPECT_EQ(trace.strings()[memory.places[0]], "Place(gpu:1)");
  EXPECT_EQ(memory.addresses[1], 0xabc0u);
  EXPECT_EQ(trace.tracks()[memory.tracks[0].index()].thread_number, 21);
  EXPECT_EQ(trace.tracks()[memory.tracks[1].index()].kind, TrackKind::kAsync);
  ASSERT_EQ(trace.instants().size(), 2u);
  EXPECT_EQ(trace.strings()[trace.instants().names[1]], "free memory");
}

TEST(AllocationRowsTest, other_memory_is_named_by_its_kind) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.rows(ChunkKind::kAllocations, {{105, 0, 0, run.text("pinned"), 4096, 0xabc0, 0}});
  });
  SinkSketch to;
  const Trace trace = allocations_of(sketch, to);
  EXPECT_EQ(trace.strings()[trace.memory().places[0]], "pinned memory");
}

// A call that frees says neither how much nor what kind of memory; its thread may be written first.
TEST(AllocationRowsTest, memory_is_freed_where_and_as_much_as_it_was_allocated) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto device = run.text("device");
    run.rows(ChunkKind::kAllocations, {{300, 1, 0, device, 0, 0xabc0, 0}});
    run.rows(ChunkKind::kAllocations, {{100, 0, 2, run.text("managed"), 4096, 0xabc0, 0},
                                       {400, 0, 1, device, 512, 0xabc0, 0}});
  });
  SinkSketch to;
  const Trace trace = allocations_of(sketch, to);
  EXPECT_THAT(trace.memory().bytes, ElementsAre(4096, -4096, 512));
  EXPECT_EQ(trace.strings()[trace.memory().places[1]], "managed memory");
  EXPECT_EQ(trace.strings()[trace.memory().places[2]], "Place(gpu:1)");
}

TEST(AllocationRowsTest, an_impossible_size_is_left_out) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.rows(ChunkKind::kAllocations, {{105, 0, 0, run.text("device"), ~0ull, 1, 0}});
  });
  SinkSketch to;
  EXPECT_EQ(allocations_of(sketch, to).memory().size(), 0u);
  EXPECT_EQ(to.report[ImportIssue::kBadNumber].count, 1u);
}

}  // namespace
}  // namespace strobe::readers
