#include <gtest/gtest.h>

#include "tests/unit/query/asked.h"
#include "tests/unit/query/needs_duckdb.h"

namespace strobe::query {
namespace {

// Two segments, the first with two blocks, and a history of two events.
AllocatorSnapshot two_segments() {
  AllocatorSnapshot made;
  for (const char* function : {"forward", "main"}) {
    made.frames.push_back({.function = made.strings.intern(function),
                           .file = made.strings.intern("train.py"),
                           .line = static_cast<std::int64_t>(made.frames.size()) + 7});
  }
  made.stack_frames = {0, 1, 1};
  made.stack_begins = {0, 2, 3};
  made.streams = {0, 77};
  const auto add_segment = [&](std::int32_t device, std::uint64_t address, std::int64_t bytes,
                               const char* type, std::size_t blocks) {
    AllocatorSegment& segment = made.segments.emplace_back();
    segment.device = device;
    segment.address = address;
    segment.bytes = bytes;
    segment.stream = static_cast<std::uint32_t>(device);
    segment.type = made.strings.intern(type);
    segment.first_block = made.blocks.size();
    segment.block_count = blocks;
  };
  const auto add_block = [&](std::uint64_t address, std::int64_t requested, BlockState state,
                             StackId stack) {
    made.blocks.push_back({.address = address,
                           .bytes = 512,
                           .requested_bytes = requested,
                           .state = state,
                           .stack = stack});
  };
  add_segment(0, 4096, 1024, "small", 2);
  add_block(4096, 500, BlockState::kInUse, StackId(1));
  add_block(4608, 0, BlockState::kFree, StackId());
  add_segment(1, 8192, 512, "large", 1);
  add_block(8192, 9, BlockState::kAwaitingFree, StackId(0));
  made.events.times_ns = {AllocatorEvents::kNoTime, 5'000};
  made.events.actions = {AllocatorAction::kAllocate, AllocatorAction::kOutOfMemory};
  made.events.addresses = {4096, 100};
  made.events.bytes = {500, 900};
  made.events.streams = {0, 1};
  made.events.stacks = {StackId(1), StackId()};
  made.events.contexts.resize(2);
  made.events.remarks.resize(2);
  made.histories = {{.first = 0, .count = 1}, {.first = 1, .count = 1}};
  return made;
}

std::string csv(std::string_view sql) {
  const AllocatorSnapshot snapshot = two_segments();
  const Trace trace;
  const ImportReport import;
  auto engine = Engine::open({{.run = "run",
                               .rank = 0,
                               .path = "snapshot.pickle",
                               .trace = &trace,
                               .import = &import,
                               .snapshot = &snapshot}});
  return engine ? csv_of(*engine, sql) : engine.error().what;
}

TEST(AllocatorTablesTest, a_block_knows_its_segment_and_its_stack) {
  STROBE_NEEDS_DUCKDB();
  EXPECT_EQ(csv("select device, segment, segment_type, stream, address, bytes, requested, state, "
                "stack_id from allocator_blocks order by address"),
            "device,segment,segment_type,stream,address,bytes,requested,state,stack_id\n"
            "0,4096,small,0,4096,512,500,in use,1\n"
            "0,4096,small,0,4608,512,0,free,\n"
            "1,8192,large,77,8192,512,9,awaiting free,0\n");
}

TEST(AllocatorTablesTest, events_have_the_device_of_their_history) {
  STROBE_NEEDS_DUCKDB();
  EXPECT_EQ(csv("select device, time, action, address, bytes, stream, stack_id "
                "from allocator_events order by device"),
            "device,time,action,address,bytes,stream,stack_id\n"
            "0,,alloc,4096,500,0,1\n"
            "1,5000,oom,100,900,77,\n");
}

TEST(AllocatorTablesTest, frames_of_a_stack_begin_with_the_innermost) {
  STROBE_NEEDS_DUCKDB();
  EXPECT_EQ(csv("select stack_id, depth, function, file, line from stacks order by all"),
            "stack_id,depth,function,file,line\n"
            "0,0,forward,train.py,7\n"
            "0,1,main,train.py,8\n"
            "1,0,main,train.py,8\n");
}

}  // namespace
}  // namespace strobe::query
