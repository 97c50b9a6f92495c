#include "strobe/bench/workers/protocol.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WorkerRequest asking(WorkerOp op) {
  WorkerRequest request{.op = op, .id = 7};
  request.prepare.cell = {"softmax", Shape{{4096, 1024}}, DType::kBf16, "torch-inductor"};
  request.prepare.seed = 42;
  request.prepare.law = InputLaw::kConditioned;
  request.prepare.flush = FlushKind::kHot;
  return request;
}

TEST(Protocol, a_request_is_one_line_that_reads_back) {
  WorkerRequest request = asking(WorkerOp::kCell);
  request.modes = {TimeMode::kDevice, TimeMode::kCall};
  request.file = "/tmp/a \"b\"\n";
  request.rows = {0, 5, 6, 7, 8, 20};
  request.output = 1;
  const std::string line = to_line(request);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_THAT(line, HasSubstr(R"("variant":"inductor")"));
  EXPECT_THAT(line, HasSubstr(R"("rows":[0,[5,4],20])"));
  EXPECT_THAT(line, HasSubstr(R"("return":"file")"));

  const auto read = parse_request(line);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->op, WorkerOp::kCell);
  EXPECT_EQ(read->id, 7);
  EXPECT_EQ(read->prepare.cell.case_id, "softmax");
  EXPECT_EQ(read->prepare.cell.shape, request.prepare.cell.shape);
  EXPECT_EQ(read->prepare.cell.dtype, DType::kBf16);
  EXPECT_EQ(read->prepare.seed, 42u);
  EXPECT_EQ(read->prepare.law, InputLaw::kConditioned);
  EXPECT_EQ(read->prepare.flush, FlushKind::kHot);
  EXPECT_EQ(read->modes, request.modes);
  EXPECT_EQ(read->rows, request.rows);
  EXPECT_EQ(read->file, request.file);
  EXPECT_EQ(read->output, 1u);
}

TEST(Protocol, a_queue_that_must_not_be_held_and_api_calls_are_asked_for_by_name) {
  WorkerRequest prepare = asking(WorkerOp::kPrepare);
  EXPECT_EQ(to_line(prepare).find("hold"), std::string::npos);
  EXPECT_TRUE(parse_request(to_line(prepare))->prepare.hold);
  prepare.prepare.hold = false;
  EXPECT_THAT(to_line(prepare), HasSubstr(R"("hold":false)"));
  EXPECT_FALSE(parse_request(to_line(prepare))->prepare.hold);

  WorkerRequest sample{.op = WorkerOp::kSample, .id = 7};
  EXPECT_TRUE(parse_request(to_line(sample))->sample.hold);
  sample.sample.hold = false;
  EXPECT_FALSE(parse_request(to_line(sample))->sample.hold);

  for (const WorkerOp op : {WorkerOp::kFinish, WorkerOp::kCell}) {
    WorkerRequest request = asking(op);
    EXPECT_EQ(to_line(request).find("api"), std::string::npos);
    EXPECT_FALSE(parse_request(to_line(request))->wants_api);
    request.wants_api = true;
    EXPECT_TRUE(parse_request(to_line(request))->wants_api);
  }
}

TEST(Protocol, hello_is_the_line_every_stack_knows) {
  EXPECT_EQ(to_line(WorkerRequest{.op = WorkerOp::kHello}), R"({"op":"hello","proto":1})");
  EXPECT_EQ(to_line(WorkerRequest{.op = WorkerOp::kBye}), R"({"op":"bye"})");
}

TEST(Protocol, what_is_no_request_is_refused) {
  for (const char* line :
       {"", "hello", "[1]", "{\"op\":\"hello\"", R"({"op":"dance"})", R"({"op":"prepare","id":1})",
        R"({"op":"plan","case":"x","shape":[0,4]})", R"({"op":"rows","rows":[[0,99999999999]]})",
        R"({"op":"plan","case":"x","shape":[4],"dtype":"f64"})"}) {
    EXPECT_FALSE(parse_request(line)) << line;
  }
}

TEST(Protocol, a_reply_reads_back) {
  WorkerReply reply{.id = 9, .status = CellStatus::kOk};
  reply.plan = Plan{.resident_bytes = 1e9, .kernels = 2, .unsupported = ""};
  reply.samples[TimeMode::kDevice] = {.samples_us = {1.5, 2.5}, .sm_mhz = {1980, 1975}};
  reply.kernels = {{.name = "triton_poi",
                    .grid = {4, 2, 1},
                    .block = {128, 1, 1},
                    .duration_us = 3.25,
                    .registers = 32,
                    .shared_bytes = 1024}};
  reply.api = {{"cudaStreamIsCapturing", 3, 0.75}, {"cuLaunchKernel", 1, 4.5}};
  reply.compile.nvrtc_ms = 120;
  reply.compile.is_cached = true;
  reply.config["schedule"] = "row-cluster";
  reply.resident_bytes = 4096;
  reply.peak_bytes = 8192;
  reply.clocks = {.sm_mhz = 1980,
                  .memory_mhz = {},
                  .power_w = 310,
                  .temperature_c = {},
                  .reasons = {"power cap"}};
  reply.outputs = 2;
  reply.lacks[Lack::kApi] = "the profiler lost the mark";
  reply.notes = {"recompiles:0"};
  reply.floors = Floors{.event_pair = 1.28,
                        .empty_kernel_events = {},
                        .empty_kernel = {},
                        .empty_kernel_record = 0.54,
                        .empty_kernel_graph = {},
                        .launch_call = 4.0,
                        .stream_spread = 0.16};
  reply.roofs = Roofs{.copy_gbps = 4300, .read_gbps = {}, .write_gbps = {}, .gemm_tflops = 700};

  const auto read = parse_reply(to_line(reply, WorkerOp::kCell));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->id, 9);
  EXPECT_EQ(read->plan->resident_bytes, 1e9);
  EXPECT_THAT(read->samples.at(TimeMode::kDevice).samples_us, ElementsAre(1.5, 2.5));
  EXPECT_THAT(read->samples.at(TimeMode::kDevice).sm_mhz, ElementsAre(1980, 1975));
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->kernels[0].name, "triton_poi");
  EXPECT_THAT(read->kernels[0].grid, ElementsAre(4, 2, 1));
  EXPECT_EQ(read->kernels[0].duration_us, 3.25);
  EXPECT_EQ(read->kernels[0].registers, 32);
  EXPECT_EQ(read->api, reply.api);
  EXPECT_EQ(read->compile.nvrtc_ms, 120);
  EXPECT_FALSE(read->compile.codegen_ms);
  EXPECT_TRUE(read->compile.is_cached);
  EXPECT_EQ(read->config.at("schedule"), "row-cluster");
  EXPECT_EQ(read->resident_bytes, 4096);
  EXPECT_EQ(read->clocks.power_w, 310);
  EXPECT_THAT(read->clocks.reasons, ElementsAre("power cap"));
  EXPECT_EQ(read->outputs, 2u);
  EXPECT_EQ(read->lacks, reply.lacks);
  EXPECT_THAT(read->notes, ElementsAre("recompiles:0"));
  EXPECT_EQ(read->floors->event_pair, 1.28);
  EXPECT_FALSE(read->floors->empty_kernel);
  EXPECT_EQ(read->floors->empty_kernel_record, 0.54);
  EXPECT_EQ(read->floors->stream_spread, 0.16);
  EXPECT_EQ(read->roofs->gemm_tflops, 700);
}

TEST(Protocol, an_older_stack_says_hello_in_fewer_words) {
  const auto read = parse_reply(
      R"({"ok":true,"torch":"2.11.0","triton":"3.6.0","device":"NVIDIA H200","cc":"9.0","variants":["eager"]})");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->info.is_available());
  EXPECT_EQ(read->info.version, "torch 2.11.0, triton 3.6.0");
  EXPECT_TRUE(read->ops.empty());
  EXPECT_THAT(read->variants, ElementsAre("eager"));
}

TEST(Protocol, an_older_worker_describes_a_cell_in_its_own_words) {
  const auto read = parse_reply(
      R"({"id":7,"status":"ok","kernels":[{"name":"k","grid":[4,1,1],"block":[256,1,1],"us":57.9,)"
      R"("regs":32,"smem":512}],"cached":true,"nvrtc_ms":3,"clock":{"sm_mhz":1980,"mem_mhz":3201,)"
      R"("reasons":["power cap"]}})");
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->kernels[0].registers, 32);
  EXPECT_EQ(read->kernels[0].shared_bytes, 512);
  EXPECT_TRUE(read->compile.is_cached);
  EXPECT_EQ(read->compile.nvrtc_ms, 3);
  EXPECT_EQ(read->clocks.memory_mhz, 3201);
  EXPECT_THAT(read->clocks.reasons, ElementsAre("power cap"));
}

TEST(Protocol, not_ok_without_a_reason_is_still_an_obstacle) {
  const auto read = parse_reply(R"({"ok":false})");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->info.is_available());
}

TEST(Protocol, words_of_tomorrow_are_passed_over_and_bad_types_are_missing) {
  const auto read = parse_reply(
      R"({"id":3,"status":"ok","new":{"x":[1]},"samples_us":{"warp":[1],"device":"soon"},"kernels":[7],"notes":5})");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->kernels.empty());
  EXPECT_TRUE(read->notes.empty());
  EXPECT_EQ(read->samples.count(TimeMode::kDevice), 1u);
  EXPECT_TRUE(read->samples.at(TimeMode::kDevice).samples_us.empty());
}

TEST(Protocol, what_is_no_reply_is_noise) {
  for (const char* line :
       {"Warning: no GPU", "", "42", "[]", "{\"id\":7", R"({"status":"splendid"})"}) {
    EXPECT_FALSE(parse_reply(line)) << line;
  }
}

TEST(Protocol, a_call_to_be_counted_needs_its_number_alone) {
  const std::string line = to_line(WorkerRequest{.op = WorkerOp::kCount, .id = 9});
  EXPECT_EQ(line, R"({"op":"count","id":9})");
  const Result<WorkerRequest> read = parse_request(line);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->op, WorkerOp::kCount);
  EXPECT_EQ(read->id, 9);
}

}  // namespace
}  // namespace strobe::bench
