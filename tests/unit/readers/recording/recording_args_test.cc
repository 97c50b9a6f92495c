#include "strobe/readers/recording/recording_args.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace strobe::readers {
namespace {

ShapeDefinition some_shape(wire::ShapeWhat what) {
  ShapeDefinition shape;
  shape.is_known = true;
  shape.values[wire::kShapeWhat] = static_cast<std::uint64_t>(what);
  shape.values[wire::kShapeDevice] = 2;
  shape.values[wire::kShapeContext] = 1;
  shape.values[wire::kShapeStream] = 7;
  shape.values[wire::kShapeGridX] = 4;
  shape.values[wire::kShapeGridY] = shape.values[wire::kShapeGridZ] = 1;
  shape.values[wire::kShapeBlockX] = 128;
  shape.values[wire::kShapeBlockY] = shape.values[wire::kShapeBlockZ] = 1;
  shape.values[wire::kShapeRegisters] = 32;
  shape.values[wire::kShapeStaticShared] = 1000;
  shape.values[wire::kShapeDynamicShared] = 24;
  return shape;
}

TEST(RecordingArgsTest, a_kernel_is_described_as_kineto_does) {
  EXPECT_EQ(kernel_args(some_shape(wire::ShapeWhat::kKernel)),
            R"({"device":2,"context":1,"stream":7,"registers per thread":32,"shared memory":1024,)"
            R"("grid":[4,1,1],"block":[128,1,1]})");
}

TEST(RecordingArgsTest, a_node_of_a_graph_names_both) {
  ShapeDefinition shape = some_shape(wire::ShapeWhat::kGraph);
  shape.values[wire::kShapeGraph] = 9;
  shape.values[wire::kShapeNode] = 3;
  EXPECT_EQ(kernel_args(shape),
            R"({"device":2,"context":1,"stream":7,"graph id":9,"graph node id":3})");
}

TEST(RecordingArgsTest, a_copy_has_its_bytes) {
  EXPECT_EQ(copy_args(some_shape(wire::ShapeWhat::kCopy), 4096),
            R"({"device":2,"context":1,"stream":7,"bytes":4096})");
}

TEST(RecordingArgsTest, the_rest_is_short) {
  EXPECT_EQ(call_args(700), R"({"result":700})");
  EXPECT_EQ(sync_args(1, 7), R"({"context":1,"stream":7})");
  EXPECT_EQ(sync_args(1, wire::kNoStream), R"({"context":1})");
  EXPECT_EQ(allocation_args("device", 512, 4096),
            R"({"memory":"device","bytes":512,"address":4096})");
}

std::string range_args(const RecordedName& name, const RangeDetails& details) {
  std::string text = "something old";
  write_range_args(name, details, text);
  return text;
}

TEST(RecordingArgsTest, a_range_tells_what_it_has) {
  EXPECT_EQ(range_args(parse_recorded_name("forward"), {}), "");
  EXPECT_EQ(range_args(parse_recorded_name("aten::mm, seq = 3, op_id = 17, sizes = [[2]]"), {}),
            R"({"Record function id":17,"Sequence number":3,"Input Dims":[[2]]})");
  EXPECT_EQ(range_args(parse_recorded_name("forward"), {.domain = "NCCL", .category = "c"}),
            R"({"domain":"NCCL","category":"c"})");
}

TEST(RecordingArgsTest, a_payload_keeps_its_type) {
  const auto payload = [](wire::PayloadType type, std::uint64_t bits) {
    return range_args({}, {.payload_type = type, .payload = bits});
  };
  EXPECT_EQ(payload(wire::PayloadType::kUnsigned, ~0ull), R"({"payload":18446744073709551615})");
  EXPECT_EQ(payload(wire::PayloadType::kSigned, ~0ull), R"({"payload":-1})");
  EXPECT_EQ(payload(wire::PayloadType::kReal, std::bit_cast<std::uint64_t>(2.5)),
            R"({"payload":2.5})");
  EXPECT_EQ(payload(wire::PayloadType::kReal,
                    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity())),
            "");
  EXPECT_EQ(payload(wire::PayloadType::kNone, 5), "");
}

}  // namespace
}  // namespace strobe::readers
