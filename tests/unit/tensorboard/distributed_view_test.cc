#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/distributed_view.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

constexpr std::string_view kProperties =
    R"("deviceProperties":[{"name":"Tesla V100","totalGlobalMem":34089730048,"computeMajor":7,)"
    R"("computeMinor":0},{"name":"Tesla V100"}],)";

// Two steps of 100 us, each with a compute kernel from 10 to 50, and a call from 30 to 35 whose
// kernel starts at 40.
TraceLines worker(double kernel_dur) {
  TraceLines lines;
  for (int step = 0; step < 2; ++step) {
    const double t = 100.0 * step;
    const std::string call_ids = "\"External id\":" + std::to_string(900 + step);
    const std::string shape = R"(,"Input Dims":[[4,8],[],[3]],"Input type":)"
                              R"(["float","long int","c10::BFloat16"])";
    lines.step(step + 3, t, 100);
    lines.launch("aten::mm", t + 1, 9, "gemm", t + 10, 40);
    lines.op("nccl:all_reduce", t + 30, 5, call_ids + shape);
    lines.x("kernel", "ncclKernel", t + 40, kernel_dur,
            call_ids + ",\"device\":0,\"correlation\":" + std::to_string(900 + step), "8", "0");
  }
  return lines;
}

class DistributedViewTest : public ::testing::Test {
 protected:
  void add(std::string name, double kernel_dur, std::string_view header = "",
           Variant variant = Variant::kGpu) {
    desk_.add(std::move(name), worker(kernel_dur).text(header), {.variant = variant});
  }

  ViewDesk desk_;
};

TEST_F(DistributedViewTest, overlap_is_told_by_step_and_worker_and_averaged) {
  add("b", 30);
  add("a", 35);
  EXPECT_EQ(desk_.body("distributed/overlap"),
            R"({"metadata": {"title": "Computation/Communication Overview", "legends": )"
            R"(["Computation", "Overlapping", "Communication", "Other"], "units": "us"}, )"
            R"("data": {"all": {"a": [25, 15, 25, 35], "b": [25, 15, 20, 40]}, )"
            R"("3": {"a": [25, 15, 25, 35], "b": [25, 15, 20, 40]}, )"
            R"("4": {"a": [25, 15, 25, 35], "b": [25, 15, 20, 40]}}})");
}

TEST_F(DistributedViewTest, waiting_is_what_the_fastest_worker_did_not_need) {
  add("b", 30);
  add("a", 35);
  EXPECT_EQ(desk_.body("distributed/waittime"),
            R"({"metadata": {"title": "Synchronizing/Communication Overview", "legends": )"
            R"(["Data Transfer Time", "Synchronizing Time"], "units": "us"}, )"
            R"("data": {"all": {"a": [35, 5], "b": [35, 0]}, )"
            R"("3": {"a": [35, 5], "b": [35, 0]}, "4": {"a": [35, 5], "b": [35, 0]}}})");
}

TEST_F(DistributedViewTest, operations_are_summed_by_name) {
  add("b", 30);
  add("a", 35);
  const std::string body = desk_.body("distributed/commops");
  EXPECT_NE(body.find(R"("rows": [["nccl:all_reduce", 2, 284, 142, 80, 40, 70, 35]]})"),
            std::string::npos)
      << body;
  EXPECT_NE(body.find(R"("rows": [["nccl:all_reduce", 2, 284, 142, 70, 35, 70, 35]]})"),
            std::string::npos)
      << body;
}

TEST_F(DistributedViewTest, a_step_name_occurring_twice_shows_the_later_and_counts_both) {
  TraceLines lines;
  lines.step(3, 0, 100).step(3, 100, 50).op("aten::mm", 0, 20).op("aten::mm", 100, 11);
  lines.op("gloo:broadcast", 40, 5, "\"External id\":7");
  desk_.add("w", lines.text());
  EXPECT_EQ(member(desk_.body("distributed/overlap"), "data"),
            R"({"all": {"w": [15, 0, 2, 57]}, "3": {"w": [11, 0, 0, 39]}})")
      << "15.5, 2.5 and 57 are cut to whole numbers";
}

TEST_F(DistributedViewTest, calls_outside_of_steps_are_told_under_null) {
  TraceLines lines;
  lines.step(3, 0, 100).op("aten::mm", 0, 20);
  lines.op("gloo:broadcast", 40, 5, "\"External id\":7");
  lines.op("gloo:broadcast", 140, 8, "\"External id\":8");
  desk_.add("w", lines.text());
  EXPECT_EQ(member(desk_.body("distributed/waittime"), "data"),
            R"({"all": {"w": [6, 0]}, "3": {"w": [5, 0]}, "null": {"w": [8, 0]}})");
}

TEST_F(DistributedViewTest, devices_are_told_by_node_and_process) {
  add("host_1", 30, kProperties);
  add("other", 30, kProperties);
  add("host_0", 30, kProperties);
  add("third", 30, kProperties);
  const std::string device =
      R"({"GPU0": {"Name": "Tesla V100", "Memory": "31.75 GB", "Memory Raw": 34089730048, )"
      R"("Compute Capability": "7.0"}})";
  EXPECT_EQ(desk_.body("distributed/gpuinfo"),
            R"({"metadata": {"title": "Device Information"}, "data": {"host": {"Process 0": )" +
                device + R"(, "Process 1": )" + device + R"(}, "other": {"Process 0": )" + device +
                R"(}, "third": {"Process 1": )" + device + "}}}");
}

TEST_F(DistributedViewTest, without_device_properties_there_is_no_device_information) {
  add("w", 30);
  EXPECT_EQ(desk_.body("distributed/gpuinfo"), "null");
}

TEST_F(DistributedViewTest, workers_that_share_no_communication_have_no_distributed_view) {
  desk_.add("w", TraceLines().op("aten::mm", 0, 10).text());
  EXPECT_EQ(desk_.ask("distributed/overlap").status, 404);
  EXPECT_EQ(desk_.body("views").find("Distributed"), std::string::npos);
}

TEST_F(DistributedViewTest, worker_all_has_the_distributed_view_and_no_other) {
  add("w", 30);
  EXPECT_EQ(desk_.body("workers", {{"view", "Distributed"}}), R"(["All"])");
  EXPECT_EQ(desk_.body("workers", {{"view", "Overview"}}), R"(["w"])");
  EXPECT_EQ(desk_.body("spans", {{"worker", "All"}}), R"(["1"])");
  EXPECT_EQ(desk_.ask("overview", {{"worker", "All"}}).status, 400);
  EXPECT_NE(desk_.body("views").find("Distributed"), std::string::npos);
}

using ::testing::ElementsAre;

std::shared_ptr<const Profile> read(const TraceLines& lines) {
  auto profile = read_profile(lines.text());
  EXPECT_TRUE(profile);
  return *profile;
}

TraceLines& call(TraceLines& lines, int ext, double ts, double dur, double kernel_ts,
                 double kernel_dur, std::string_view name = "nccl:all_reduce") {
  const std::string ids = "\"External id\":" + std::to_string(ext);
  lines.op(name, ts, dur, ids);
  return lines.x("kernel", "ncclKernel", kernel_ts, kernel_dur,
                 ids + ",\"device\":0,\"correlation\":" + std::to_string(ext), "7", "0");
}

std::vector<std::string> steps_of(const std::vector<CommCall>& calls) {
  std::vector<std::string> steps;
  for (const CommCall& call : calls) steps.push_back(call.step.value_or("none"));
  return steps;
}

TEST(SpanCommunicationTest, a_call_has_its_own_range_and_those_of_its_kernels_by_start) {
  TraceLines lines;
  call(lines, 5, 100, 10, 90, 40);
  const auto calls = list_calls(*read(lines));
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_THAT(calls[0].ranges, ElementsAre(Range{Number::whole(90), Number::whole(130)},
                                           Range{Number::whole(100), Number::whole(110)}));
}

TEST(SpanCommunicationTest, a_call_across_the_end_of_a_step_has_none_and_the_next_may_have_one) {
  TraceLines lines;
  lines.step(1, 0, 100).step(2, 100, 100);
  call(lines, 5, 10, 10, 30, 5);
  call(lines, 6, 95, 10, 110, 5);
  call(lines, 7, 120, 10, 130, 5);
  call(lines, 8, 500, 10, 520, 5);
  EXPECT_THAT(steps_of(list_calls(*read(lines))), ElementsAre("1", "none", "2", "none"));
}

TEST(SpanCommunicationTest, a_call_before_the_first_step_does_not_move_on) {
  TraceLines lines;
  lines.step(1, 100, 100);
  call(lines, 5, 10, 10, 30, 5);
  call(lines, 6, 120, 10, 140, 5);
  EXPECT_THAT(steps_of(list_calls(*read(lines))), ElementsAre("none", "1"));
}

TEST(SpanCommunicationTest, two_libraries_in_one_trace_leave_no_list) {
  TraceLines lines;
  call(lines, 5, 10, 10, 30, 5);
  call(lines, 6, 50, 10, 70, 5, "gloo:broadcast");
  EXPECT_TRUE(list_calls(*read(lines)).empty());
}

class JoinTest : public ::testing::Test {
 protected:
  void add(std::string worker, const TraceLines& lines, std::string span = "1") {
    run_.profiles.push_back({std::move(worker), std::move(span), read(lines), {}});
  }

  tensorboard::Run run_;
};

TEST_F(JoinTest, the_shortest_range_among_the_workers_is_the_transfer) {
  TraceLines slow;
  TraceLines fast;
  call(slow, 5, 100, 10, 110, 40);
  call(fast, 5, 100, 4, 140, 10);
  add("b", slow);
  add("a", fast);
  const auto joined = join_workers(run_, "1");
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->workers[0].worker, "a");
  EXPECT_THAT(joined->workers[1].calls[0].transfers,
              ElementsAre(Range{Number::whole(106), Number::whole(110)},
                          Range{Number::whole(140), Number::whole(150)}));
}

TEST_F(JoinTest, workers_whose_calls_do_not_match_are_not_joined) {
  TraceLines one;
  TraceLines two;
  TraceLines bare;
  call(one, 5, 100, 10, 110, 40);
  call(call(two, 5, 100, 10, 110, 40), 6, 200, 10, 210, 5);
  bare.op("nccl:all_reduce", 100, 10, "\"External id\":5");
  add("a", one);
  EXPECT_TRUE(join_workers(run_, "1")) << "one worker is enough";
  add("b", two, "2");
  EXPECT_TRUE(join_workers(run_, "1")) << "another span does not matter";
  run_.profiles[1].span = "1";
  EXPECT_FALSE(join_workers(run_, "1")) << "more calls";
  run_.profiles.pop_back();
  add("c", bare);
  EXPECT_FALSE(join_workers(run_, "1")) << "fewer ranges";
  run_.profiles.pop_back();
  add("d", TraceLines().op("aten::mm", 0, 10));
  EXPECT_FALSE(join_workers(run_, "1")) << "no communication";
  EXPECT_FALSE(join_workers(run_, "7"));
}

}  // namespace

}  // namespace strobe::tensorboard
