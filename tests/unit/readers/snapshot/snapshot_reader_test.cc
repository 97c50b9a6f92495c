#include "strobe/readers/snapshot/snapshot_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "strobe/readers/trace_reader.h"
#include "tests/support/pickle_sketch.h"

namespace strobe::readers {
namespace {

using sketch::again;
using sketch::dict;
using sketch::list;
using sketch::text;
using sketch::whole;

LoadedTrace read(const std::string& bytes) {
  auto loaded = read_trace_bytes(bytes, "snapshot.pickle");
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  return loaded ? std::move(*loaded) : LoadedTrace{};
}

std::string text_of(const AllocatorSnapshot& snapshot, StringId id) {
  return id.valid() ? std::string(snapshot.strings[id]) : "none";
}

TEST(SnapshotReaderTest, segments_blocks_and_events_become_rows) {
  const LoadedTrace loaded = read(sketch::small_snapshot());
  ASSERT_TRUE(loaded.snapshot);
  const AllocatorSnapshot& snapshot = *loaded.snapshot;
  ASSERT_EQ(snapshot.segments.size(), 1u);
  EXPECT_EQ(snapshot.segments[0].bytes, 2097152);
  EXPECT_EQ(text_of(snapshot, snapshot.segments[0].type), "small");
  ASSERT_EQ(snapshot.segments[0].block_count, 4u);
  EXPECT_EQ(snapshot.blocks[1].requested_bytes, 200);
  EXPECT_EQ(snapshot.blocks[1].state, BlockState::kInUse);
  ASSERT_EQ(snapshot.histories.size(), 1u);
  ASSERT_EQ(snapshot.events.size(), 7u);
  EXPECT_EQ(snapshot.events.actions[6], AllocatorAction::kOutOfMemory);
  EXPECT_EQ(snapshot.events.addresses[6], 777u);
  EXPECT_EQ(snapshot.events.times_ns[0], 10'000);
  EXPECT_EQ(snapshot.settings.at(0).second, "-1");
  EXPECT_TRUE(loaded.report.is_clean());
  EXPECT_EQ(loaded.report.event_count, 7u);
}

TEST(SnapshotReaderTest, equal_stacks_are_stored_once) {
  const LoadedTrace loaded = read(sketch::small_snapshot());
  const AllocatorSnapshot& snapshot = *loaded.snapshot;
  EXPECT_EQ(snapshot.frames.size(), 2u);
  EXPECT_EQ(snapshot.stack_count(), 1u);
  EXPECT_EQ(snapshot.events.stacks[0], snapshot.blocks[2].stack);
  EXPECT_FALSE(snapshot.events.stacks[2].valid());
  EXPECT_EQ(text_of(snapshot, snapshot.stack(snapshot.events.stacks[0])[1].function), "train");
}

TEST(SnapshotReaderTest, events_with_times_are_rows_of_the_memory_table) {
  const LoadedTrace loaded = read(sketch::small_snapshot());
  const MemoryColumns& memory = loaded.trace.memory();
  ASSERT_EQ(memory.size(), 4u);
  EXPECT_EQ(memory.actions[0], MemoryAction::kAllocate);
  EXPECT_EQ(memory.bytes[2], -100);
  EXPECT_EQ(memory.allocated_bytes[1], 1350);
  EXPECT_EQ(memory.allocated_bytes[3], 250);
  EXPECT_EQ(memory.reserved_bytes[0], 2097152);
  EXPECT_EQ(loaded.trace.instants().size(), 7u);
}

TEST(SnapshotReaderTest, without_times_there_is_no_trace_but_a_snapshot) {
  const LoadedTrace loaded = read(sketch::small_snapshot(false));
  EXPECT_EQ(loaded.trace.memory().size(), 0u);
  EXPECT_EQ(loaded.snapshot->events.size(), 7u);
  EXPECT_EQ(loaded.report.event_count, 7u);
}

TEST(SnapshotReaderTest, an_older_snapshot_is_a_list_of_segments_whose_blocks_have_a_history) {
  const std::string stack = list({sketch::frame("a", "a.py", 1), sketch::frame("b", "b.py", 2)});
  const std::string entry =
      dict({{"addr", whole(4096)}, {"real_size", whole(300)}, {"frames", stack}});
  const std::string first =
      dict({{"size", whole(512)}, {"state", text("active_allocated")}, {"history", list({entry})}});
  const std::string second = dict({{"size", whole(1024)}, {"state", text("active_pending_free")}});
  const LoadedTrace loaded =
      read(sketch::pickle(list({sketch::segment(0, 4096, 2048, "small", {first, second})})));
  ASSERT_TRUE(loaded.snapshot);
  const AllocatorSnapshot& snapshot = *loaded.snapshot;
  ASSERT_EQ(snapshot.blocks.size(), 2u);
  EXPECT_EQ(snapshot.blocks[0].requested_bytes, 300);
  EXPECT_EQ(snapshot.stack(snapshot.blocks[0].stack).size(), 2u);
  EXPECT_EQ(snapshot.blocks[1].requested_bytes, 1024);
  EXPECT_EQ(snapshot.blocks[1].state, BlockState::kAwaitingFree);
  EXPECT_EQ(snapshot.blocks[1].address, 4096u + 512);
}

// Protocol 0 fills dicts one member at a time, so nothing is folded while it is read.
TEST(SnapshotReaderTest, the_oldest_protocol_is_read_too) {
  const std::string bytes =
      "(dVsegments\n(l(dVaddress\nI4096\nsVtotal_size\nI2048\nsVblocks\n(l(dVsize\nI512\nsVstate\n"
      "Vactive_allocated\nsasasVdevice_traces\n(l(l(dVaction\nValloc\nsVaddr\nI4096\nsVsize\nI500\n"
      "sVframes\n(l(dVname\nVf\nsVfilename\nVf.py\nsVline\nI3\nsasaas.";
  const LoadedTrace loaded = read(bytes);
  ASSERT_TRUE(loaded.snapshot);
  EXPECT_EQ(loaded.snapshot->blocks.size(), 1u);
  ASSERT_EQ(loaded.snapshot->events.size(), 1u);
  EXPECT_EQ(loaded.snapshot->events.bytes[0], 500);
  EXPECT_TRUE(loaded.snapshot->events.stacks[0].valid());
}

TEST(SnapshotReaderTest, an_event_that_stands_in_two_histories_counts_in_both) {
  const std::string one = "}\x94(" + text("action") + text("alloc") + text("addr") + whole(1) +
                          text("size") + whole(9) + "u";
  const LoadedTrace loaded = read(sketch::pickle(
      dict({{"segments", "]"}, {"device_traces", "](](" + one + "e](" + again(0) + "ee"}})));
  ASSERT_EQ(loaded.snapshot->histories.size(), 2u);
  EXPECT_EQ(loaded.snapshot->histories[1].count, 1u);
  EXPECT_EQ(loaded.snapshot->events.bytes[1], 9);
}

TEST(SnapshotReaderTest, numbers_that_cannot_be_are_reported) {
  const LoadedTrace loaded = read(sketch::snapshot(
      {sketch::segment(-1, 4096, -5, "small", {})},
      {{sketch::event("alloc", 1, INT64_MAX, 5), sketch::event("alloc", 2, INT64_MAX, INT64_MAX),
        sketch::event("sing", 2, 1, 5)}}));
  EXPECT_EQ(loaded.snapshot->segments.at(0).bytes, 0);
  EXPECT_EQ(loaded.snapshot->segments.at(0).device, 0);
  EXPECT_EQ(loaded.report[ImportIssue::kBadNumber].count, 5u);
  EXPECT_EQ(loaded.report[ImportIssue::kUnknownAction].count, 1u);
  EXPECT_EQ(loaded.snapshot->events.actions[2], AllocatorAction::kOther);
}

TEST(SnapshotReaderTest, a_pickle_that_runs_code_is_refused) {
  const auto loaded = read_trace_bytes(
      "\x80\x04"
      "cos\nsystem\n.",
      "evil.pickle");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what, "the pickle is more than plain data: it asks for GLOBAL");
  EXPECT_NE(loaded.error().where.find("byte 2"), std::string::npos);
}

TEST(SnapshotReaderTest, another_pickle_is_named) {
  const auto loaded = read_trace_bytes(sketch::pickle(dict({{"loss", whole(1)}})), "x.pickle");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what, "a pickle, but no snapshot of an allocator");
}

TEST(SnapshotReaderTest, what_is_cut_keeps_the_events_before) {
  const std::string bytes = sketch::small_snapshot();
  const LoadedTrace loaded = read(bytes.substr(0, bytes.rfind("oom")));
  ASSERT_TRUE(loaded.snapshot);
  EXPECT_EQ(loaded.snapshot->segments.size(), 1u);
  EXPECT_EQ(loaded.snapshot->histories.at(0).count, 6u);
  EXPECT_EQ(loaded.report[ImportIssue::kTruncatedFile].count, 1u);
}

TEST(SnapshotReaderTest, every_cut_and_every_spoilt_byte_ends) {
  const std::string bytes = sketch::small_snapshot();
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    (void)read_trace_bytes(bytes.substr(0, i), "cut.pickle");
    for (const unsigned mask : {0x01u, 0x80u, 0xFFu}) {
      std::string spoilt = bytes;
      spoilt[i] = static_cast<char>(static_cast<unsigned char>(spoilt[i]) ^ mask);
      const auto loaded = read_trace_bytes(spoilt, "spoilt.pickle");
      if (!loaded || !loaded->snapshot) continue;
      std::size_t blocks = 0;
      for (const AllocatorSegment& segment : loaded->snapshot->segments)
        blocks += segment.block_count;
      EXPECT_EQ(blocks, loaded->snapshot->blocks.size());
    }
  }
}

}  // namespace
}  // namespace strobe::readers
