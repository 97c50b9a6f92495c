#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/readers/dialect.h"
#include "strobe/readers/trace_reader.h"
#include "tests/unit/readers/damage.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

// The layers of program 7 on device 3: (7 << 10 | layer << 5 | device).
constexpr std::string_view kNpuCalls = "7395";
constexpr std::string_view kNpuHardware = "7587";
constexpr std::string_view kNpuCollectives = "7651";
constexpr std::string_view kNpuOverlap = "7907";

std::string npu_process(std::string_view process, std::string_view name) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::string(process) +
         R"(,"tid":0,"args":{"name":")" + std::string(name) + R"("}},)";
}

std::string npu_thread(std::string_view process, int thread, std::string_view name) {
  return R"({"ph":"M","name":"thread_name","pid":)" + std::string(process) + R"(,"tid":)" +
         std::to_string(thread) + R"(,"args":{"name":")" + std::string(name) + R"("}},)";
}

std::string npu_slice(std::string_view name, std::string_view process, int thread,
                      std::string_view ts, std::string_view dur,
                      std::string_view rest = R"("args":{})") {
  return R"({"ph":"X","name":")" + std::string(name) + R"(","pid":)" + std::string(process) +
         R"(,"tid":)" + std::to_string(thread) + R"(,"ts":")" + std::string(ts) + R"(","dur":)" +
         std::string(dur) + "," + std::string(rest) + "},";
}

std::string npu_task(std::string_view name, std::string_view type, std::string_view ts,
                     std::string_view dur = "1", int stream = 2) {
  return npu_slice(name, kNpuHardware, stream, ts, dur,
                   R"("args":{"Task Type":")" + std::string(type) + R"(","connection_id":5})");
}

std::string npu_arrow(char phase, std::string_view category, std::string_view id,
                      std::string_view process, int thread, std::string_view ts) {
  return R"({"ph":")" + std::string(1, phase) + R"(","name":"x","cat":")" + std::string(category) +
         R"(","id":)" + std::string(id) + R"(,"pid":)" + std::string(process) + R"(,"tid":)" +
         std::to_string(thread) + R"(,"ts":")" + std::string(ts) + R"("},)";
}

const std::string kNpuNames = npu_process("7", "Python") + npu_process(kNpuCalls, "CANN") +
                              npu_process(kNpuHardware, "Ascend Hardware") +
                              npu_process(kNpuCollectives, "HCCL") +
                              npu_process(kNpuOverlap, "Overlap Analysis");

LoadedTrace load_npu(std::string events) {
  events.back() = ']';
  auto loaded = read_trace_bytes("[" + events, "trace_view.json", {.threads = 1});
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  EXPECT_EQ(loaded->trace.traits().dialect, "ascend");
  EXPECT_FALSE(loaded->report.lost_something());
  return *std::move(loaded);
}

SliceId npu_slice_named(const Trace& trace, std::string_view name) {
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.name(SliceId(row)) == name) return SliceId(row);
  }
  return {};
}

TEST(AscendDialectTest, times_are_read_as_decimals_and_rounded_half_up) {
  const Trace trace =
      load_npu(kNpuNames + npu_task("a", "AI_CORE", "1736408883688177.930", "840.07675") +
               npu_task("b", "AI_CORE", "1736408883688177.0005", "0.00025") +
               npu_task("c", "AI_CORE", "1736408883688178", "0.0005"))
          .trace;
  EXPECT_THAT(trace.slices().starts_ns,
              ElementsAre(1736408883688177930, 1736408883688177001, 1736408883688178000));
  EXPECT_THAT(trace.slices().durations_ns, ElementsAre(840077, 0, 1));
}

TEST(AscendDialectTest, the_type_of_a_task_tells_work_from_waits) {
  std::string events = kNpuNames;
  const std::vector<std::string> kernels = {"AI_CORE", "AI_VECTOR_CORE", "AI_CPU",
                                            "MIX_AIC", "MIX_AIV",        "DSA_SQE"};
  for (const std::string& type : kernels) events += npu_task("op", type, "10");
  events +=
      npu_task("MEMCPY_ASYNC", "PCIE_DMA_SQE", "20") + npu_task("MEMCPY_ASYNC", "SDMA_SQE", "21");
  for (const char* type : {"EVENT_WAIT_SQE", "EVENT_RECORD_SQE", "PLACE_HOLDER_SQE", "Notify Wait",
                           "SDMA", "Write Value", "KERNEL_AICORE", "brand new"}) {
    events += npu_task(type, type, "30");
  }
  const LoadedTrace loaded = load_npu(events);
  const Trace& trace = loaded.trace;
  const auto of_kind = [&](SliceKind kind) {
    return std::ranges::count(trace.slices().kinds, kind);
  };
  EXPECT_EQ(of_kind(SliceKind::kKernel), 6);
  EXPECT_EQ(of_kind(SliceKind::kMemcpy), 2);
  EXPECT_EQ(of_kind(SliceKind::kDeviceAnnotation), 8);
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const CategoryId category = trace.slices().categories[row];
    EXPECT_EQ(trace.strings()[trace.categories()[category.index()].name], kernels[row]);
    EXPECT_EQ(trace.track(SliceId(row)).device, 3);
    EXPECT_EQ(trace.track(SliceId(row)).kind, TrackKind::kDeviceStream);
  }
  // The report counts the categories that the file has.
  EXPECT_EQ((loaded.report.events.at({'X', ""})), 16u);
}

TEST(AscendDialectTest, a_collective_counts_once_and_what_is_derived_never) {
  const Trace trace =
      load_npu(kNpuNames + npu_thread(kNpuCollectives, 0, "Group 0 Communication") +
               npu_thread(kNpuCollectives, 1, "Plane 0") +
               npu_slice("hcom_allReduce__1", kNpuCollectives, 0, "10", "5",
                         R"("args":{"alg_type":"MESH","count":4})") +
               npu_slice("Notify_Wait", kNpuCollectives, 1, "10", "4",
                         R"("args":{"task type":"Notify_Wait"})") +
               npu_slice("Communication", kNpuOverlap, 1, "10", "5", R"("cname":"x")"))
          .trace;
  EXPECT_THAT(trace.slices().kinds, ElementsAre(SliceKind::kKernel, SliceKind::kDeviceAnnotation,
                                                SliceKind::kDeviceAnnotation));
  EXPECT_EQ(trace.slices().flags[0], kCommunicates);
  EXPECT_EQ(trace.track(SliceId(0)).device, 3);
}

TEST(AscendDialectTest, calls_and_their_device_work_are_joined_by_arrows) {
  const Trace trace =
      load_npu(
          kNpuNames + npu_slice("aten::mm", "7", 1, "1", "50", R"("cat":"cpu_op","args":{})") +
          npu_slice("AscendCL@aclnnMm", kNpuCalls, 1, "10", "20", R"("args":{"level":"acl"})") +
          npu_slice("Node@launch", kNpuCalls, 1, "12", "5", R"("args":{"level":"node"})") +
          npu_slice("AscendCL@aclrtMemcpyAsync", kNpuCalls, 1, "40", "2",
                    R"("args":{"level":"acl"})") +
          npu_arrow('s', "HostToDevice", R"("40004068119343529983")", kNpuCalls, 1, "15") +
          npu_arrow('f', "HostToDevice", R"("40004068119343529983")", kNpuHardware, 2, "60") +
          npu_arrow('s', "HostToDevice", "936", kNpuCalls, 1, "40") +
          npu_arrow('f', "HostToDevice", R"("936")", kNpuHardware, 2, "70") +
          npu_task("mm", "AI_CORE", "60") + npu_task("MEMCPY_ASYNC", "SDMA_SQE", "70") +
          npu_task("alone", "AI_CORE", "80"))
          .trace;
  const auto& correlations = trace.slices().correlations;
  const SliceId call = npu_slice_named(trace, "aclnnMm");
  const SliceId copy_call = npu_slice_named(trace, "aclrtMemcpyAsync");
  ASSERT_TRUE(call.valid() && copy_call.valid());
  EXPECT_EQ(trace.kind(call), SliceKind::kRuntimeCall);
  EXPECT_EQ(trace.kind(npu_slice_named(trace, "launch")), SliceKind::kDynamicLaunch);
  EXPECT_NE(correlations[call.index()], kNoLaunchId);
  EXPECT_EQ(correlations[call.index()], correlations[npu_slice_named(trace, "mm").index()]);
  EXPECT_EQ(correlations[copy_call.index()],
            correlations[npu_slice_named(trace, "MEMCPY_ASYNC").index()]);
  EXPECT_NE(correlations[copy_call.index()], correlations[call.index()]);
  EXPECT_EQ(correlations[npu_slice_named(trace, "alone").index()], kNoLaunchId);
  // The calls stand on the thread of the framework that made them.
  EXPECT_EQ(trace.slices().tracks[call.index()],
            trace.slices().tracks[npu_slice_named(trace, "aten::mm").index()]);
  EXPECT_EQ(trace.track(call).kind, TrackKind::kHostThread);
  EXPECT_TRUE(trace.nesting_hints().owners.empty());
}

TEST(AscendDialectTest, an_operator_owns_the_calls_that_a_worker_makes_for_it) {
  const Trace trace =
      load_npu(kNpuNames + npu_slice("aten::mm", "7", 1, "1", "9", R"("cat":"cpu_op","args":{})") +
               npu_slice("Enqueue", "7", 1, "5", "1", R"("cat":"enqueue","args":{})") +
               npu_slice("Dequeue@aclnnMm", "7", 2, "20", "9", R"("cat":"dequeue","args":{})") +
               npu_arrow('s', "async_task_queue", "8", "7", 1, "5") +
               npu_arrow('f', "async_task_queue", "8", "7", 2, "20") +
               npu_slice("AscendCL@aclnnMm", kNpuCalls, 2, "21", "5") +
               npu_slice("AscendCL@other", kNpuCalls, 2, "50", "5"))
          .trace;
  const auto& owners = trace.nesting_hints().owners;
  ASSERT_EQ(owners.size(), trace.slice_count());
  EXPECT_EQ(owners[npu_slice_named(trace, "aclnnMm").index()], npu_slice_named(trace, "Enqueue"));
  EXPECT_FALSE(owners[npu_slice_named(trace, "other").index()].valid());
}

TEST(AscendDialectTest, a_lower_layer_alone_has_calls_of_its_own) {
  const Trace trace = load_npu(kNpuNames + npu_slice("Node@launch", kNpuCalls, 9, "10", "5") +
                               npu_slice("Runtime@KernelLaunch", kNpuCalls, 9, "11", "2"))
                          .trace;
  EXPECT_EQ(trace.kind(npu_slice_named(trace, "launch")), SliceKind::kRuntimeCall);
  EXPECT_EQ(trace.kind(npu_slice_named(trace, "KernelLaunch")), SliceKind::kDynamicLaunch);
  // Nothing else tells of its thread: it belongs to the program all the same.
  EXPECT_EQ(trace.track(SliceId(0)).process_number, 7);
}

TEST(AscendDialectTest, the_framework_is_told_as_in_other_traces) {
  const Trace trace =
      load_npu(
          npu_slice("ProfilerStep#50", "7", 1, "1", "50", R"("cat":"cpu_op","args":{})") +
          npu_slice("nn.Module: Net", "7", 1, "2", "5", R"("cat":"python_function","args":{})") +
          npu_slice("aten::mm", "7", 1, "3", "1",
                    R"("cat":"cpu_op","args":{"Sequence number":4,"Fwd thread id":0})"))
          .trace;
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kStep, SliceKind::kForward, SliceKind::kOperator));
  EXPECT_THAT(trace.sequences().sequence_numbers, ElementsAre(4));
  EXPECT_EQ(trace.traits().device_label, "NPU");
}

TEST(AscendDialectTest, other_arrays_are_not_taken_for_it) {
  for (const std::string text :
       {R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}])",
        R"([{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"Communication"}},
            {"ph":"X","name":"a","pid":1,"tid":1,"ts":"1","dur":2}])",
        R"({"schemaVersion":1,"traceEvents":[
            {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"CANN"}},
            {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":"1","dur":2}]})"}) {
    const auto loaded = read_trace_bytes(text, "trace.json", {.threads = 1});
    ASSERT_TRUE(loaded);
    EXPECT_NE(loaded->trace.traits().dialect, "ascend") << text;
  }
}

// No cut and no flipped byte may crash, hang or hide what it costs.
TEST(AscendDialectTest, damage_costs_only_what_it_hits) {
  std::string text = "[" + kNpuNames + npu_task("mm", "AI_CORE", "60") +
                     npu_slice("AscendCL@aclnnMm", kNpuCalls, 1, "10", "20") +
                     npu_arrow('s', "HostToDevice", "1", kNpuCalls, 1, "15") +
                     npu_arrow('f', "HostToDevice", "1", kNpuHardware, 2, "60");
  text.back() = ']';
  expect_survives(text, 2);
}

}  // namespace
}  // namespace strobe::readers
