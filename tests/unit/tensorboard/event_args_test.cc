#include "strobe/tensorboard/event_args.h"

#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

ArgValues read(std::string_view json) {
  JsonCursor cursor(json);
  ArgValues args;
  args.read(cursor);
  EXPECT_FALSE(cursor.failed());
  return args;
}

TEST(EventArgsTest, a_null_is_missing_and_a_later_value_replaces_an_earlier_one) {
  const ArgValues args = read(R"({"device":1,"device":null,"correlation":null,"correlation":"7"})");
  EXPECT_FALSE(args[Arg::kDevice].present());
  EXPECT_EQ(as_link(args[Arg::kCorrelation]), 7);
  EXPECT_EQ(as_link(args[Arg::kExternalId]), kNoLink);
}

TEST(EventArgsTest, arguments_that_are_no_object_are_none) {
  EXPECT_FALSE(read("null")[Arg::kDevice].present());
  EXPECT_FALSE(read(R"([{"device":1}])")[Arg::kDevice].present());
}

TEST(EventArgsTest, kernels_keep_what_is_theirs) {
  Events events;
  const std::uint32_t row = keep_args(
      read(R"({"blocks per SM":1,"est. achieved occupancy %":50.5,"grid":[1,2,3],"device":3})"),
      Category::kKernel, events);
  const KernelArgs& args = events.kernel_args.at(row);
  EXPECT_EQ(to_text(*args.blocks_per_sm), "1");
  EXPECT_EQ(to_text(*args.occupancy_percent), "50.5");
  EXPECT_EQ(events.text(args.grid), "[1,2,3]");
  EXPECT_EQ(args.device, 3);
  EXPECT_FALSE(args.block.valid());
  EXPECT_EQ(args.task_row, Event::kNoDetails);
}

TEST(EventArgsTest, an_operator_without_arguments_costs_no_row) {
  Events events;
  EXPECT_EQ(keep_args(read(R"({"External id":1,"Call stack":""})"), Category::kCpuOp, events),
            Event::kNoDetails);
  EXPECT_EQ(keep_args(read(R"({"Input dims":[[2]]})"), Category::kCpuOp, events), 0u);
  EXPECT_EQ(events.text(events.operator_args[0].input_dims), "[[2]]");
}

TEST(EventArgsTest, memory_totals_are_unknown_unless_given) {
  Events events;
  keep_args(read(R"({"Device Type":1,"Device Id":0,"Bytes":-512})"), Category::kMemory, events);
  EXPECT_EQ(events.memory_args[0].bytes, -512);
  EXPECT_FALSE(events.memory_args[0].address);
  EXPECT_NE(events.memory_args[0].total_allocated, events.memory_args[0].total_allocated);
}

}  // namespace
}  // namespace strobe::tensorboard
