#include "strobe/writers/kineto_frame.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/sketch.h"

namespace strobe::writers {
namespace {

Trace trace_of(std::string_view dialect, const Metadata& more = {}) {
  Sketch sketch;
  sketch.metadata() = more;
  sketch.metadata().traits.dialect = dialect;
  return sketch.slice("a", kOp, 0, 1).trace();
}

TEST(KinetoFrameTest, a_trace_of_no_file_gets_kinetos_members) {
  Metadata metadata;
  metadata.devices.push_back(
      {.id = 1, .name = "GPU \"x\"", .memory_bytes = 80, .compute_major = 9});
  metadata.distributed = {.backend = "nccl", .rank = 3, .world_size = 8};
  const FileFrame frame = frame_of(trace_of("strobe record", metadata), 1'700'000'000'000'000'000);
  EXPECT_EQ(frame.front, R"(  "schemaVersion": 1,
  "baseTimeNanoseconds": 1700000000000000000,
  "deviceProperties": [{"id": 1, "name": "GPU \"x\"", "totalGlobalMem": 80, "computeMajor": 9, "computeMinor": 0}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "displayTimeUnit": "ms",
)");
  EXPECT_EQ(frame.back, "");
}

TEST(KinetoFrameTest, members_stay_and_are_repaired) {
  Metadata metadata;
  metadata.members = {{"schemaVersion", "1"}, {"odd \"key\"", "[nan, {\"a\" : 01}]"}};
  EXPECT_EQ(frame_of(trace_of("kineto", metadata), 0).front,
            "  \"schemaVersion\": 1,\n  \"odd \\\"key\\\"\": [null, {\"a\": 1}],\n");
}

// Some members would tell a reader that Kineto wrote the file.
TEST(KinetoFrameTest, other_dialects_have_their_members_behind_the_events) {
  Metadata metadata;
  metadata.members = {{"traceName", "\"x\""}};
  const FileFrame frame = frame_of(trace_of("chrome", metadata), 0);
  EXPECT_EQ(frame.front, "");
  EXPECT_EQ(frame.back, "  \"traceName\": \"x\",\n");
  EXPECT_EQ(frame_of(trace_of("paddle", metadata), 0).front, frame.back);
}

TEST(KinetoFrameTest, a_rank_is_given_only_to_a_trace_that_says_none) {
  const GivenRank given{.rank = 2, .world_size = 4};
  const std::string wanted = "  \"distributedInfo\": {\"rank\": 2, \"world_size\": 4},\n";
  EXPECT_NE(frame_of(trace_of("kineto"), 0, given).front.find(wanted), std::string::npos);
  Metadata metadata;
  metadata.members = {{"distributedInfo", "{\"rank\": 7}"}};
  metadata.distributed.rank = 7;
  const Trace own = trace_of("kineto", metadata);
  EXPECT_EQ(frame_of(own, 0, given).front.find("\"rank\": 2"), std::string::npos);
  EXPECT_NE(frame_of(own, 0, given).front.find("\"rank\": 7"), std::string::npos);
  EXPECT_EQ(shared_frame_of(own, 0).front.find("rank"), std::string::npos);
}

TEST(KinetoFrameTest, categories_of_kineto_stay_and_others_follow_the_kind) {
  EXPECT_EQ(kineto_category(SliceKind::kRuntimeCall, "cuda_driver"), "cuda_driver");
  EXPECT_EQ(kineto_category(SliceKind::kRuntimeCall, "API"), "cuda_runtime");
  EXPECT_EQ(kineto_category(SliceKind::kKernel, "graph"), "kernel");
  EXPECT_EQ(kineto_category(SliceKind::kMemcpy, ""), "gpu_memcpy");
  EXPECT_EQ(kineto_category(SliceKind::kMemset, ""), "gpu_memset");
  EXPECT_EQ(kineto_category(SliceKind::kOperator, ""), "cpu_op");
  EXPECT_EQ(kineto_category(SliceKind::kOperatorPhase, ""), "cpu_op");
  EXPECT_EQ(kineto_category(SliceKind::kStep, ""), "user_annotation");
  EXPECT_EQ(kineto_category(SliceKind::kPythonCall, ""), "python_function");
  EXPECT_EQ(kineto_category(SliceKind::kDeviceAnnotation, ""), "gpu_user_annotation");
  EXPECT_EQ(kineto_category(SliceKind::kOther, "OS runtime"), "OS runtime");
  EXPECT_EQ(kineto_category(SliceKind::kOther, ""), "other");
}

TEST(KinetoFrameTest, an_allocation_is_written_as_kineto_does) {
  const Trace trace = Sketch()
                          .memory(kAllocated, "Place(gpu:3)", 5, 64)
                          .totals(100, 200)
                          .address(4096)
                          .memory(kFreed, "CPU", 6, -64)
                          .trace();
  EXPECT_EQ(kineto_memory_arguments(trace, 0),
            R"({"Device Type":1,"Device Id":3,"Bytes":64,"Addr":4096,"Total Allocated":100,)"
            R"("Total Reserved":200})");
  EXPECT_EQ(kineto_memory_arguments(trace, 1), R"({"Device Type":0,"Device Id":-1,"Bytes":-64})");
}

TEST(KinetoFrameTest, memory_is_of_a_device_only_where_its_place_names_one) {
  const Trace trace = Sketch()
                          .memory(kAllocated, "pinned memory", 5, 64)
                          .memory(kAllocated, "managed memory", 6, 64)
                          .memory(kAllocated, "GPU 0", 7, 64)
                          .trace();
  const std::string of_host = R"({"Device Type":0,"Device Id":-1,"Bytes":64})";
  EXPECT_EQ(kineto_memory_arguments(trace, 0), of_host);
  EXPECT_EQ(kineto_memory_arguments(trace, 1), of_host);
  EXPECT_EQ(kineto_memory_arguments(trace, 2), R"({"Device Type":1,"Device Id":0,"Bytes":64})");
}

}  // namespace
}  // namespace strobe::writers
