// The answers of Cambricon's plugins, on a small trace in the format of torch_mlu: two steps of a
// distributed training on device 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string mlu_trace() {
  std::ifstream file(STROBE_SOURCE_DIR "/tests/unit/tensorboard/data/mlu.pt.trace.json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// As an older torch_mlu writes it.
std::string older_trace() {
  std::string text = replaced(mlu_trace(), "privateuse1_runtime", "mlu_runtime");
  text = replaced(text, "gpu_memcpy", "mlu_memcpy");
  text = replaced(text, "\"dim\":[16,1,1]", "\"dimx\":16,\"dimy\":1,\"dimz\":1");
  return replaced(text, "\"fwdbwd\"", "\"forward_backward\"");
}

// The communication of the second step takes 1 us longer.
std::string uneven(const std::string& trace) {
  return replaced(trace, "\"ts\":2680,\"dur\":100", "\"ts\":2680,\"dur\":101");
}

std::string without_properties(const std::string& trace) {
  return "{" + trace.substr(trace.find("\"traceEvents\""));
}

class MluTest : public ::testing::Test {
 protected:
  void add(const std::string& trace, Variant variant = Variant::kByContent,
           std::string worker = "node_0") {
    desk_.add(std::move(worker), trace, {.variant = variant});
  }

  ViewDesk desk_;
};

TEST_F(MluTest, a_trace_is_recognised_by_its_content) {
  const auto variant = [](const std::string& trace) {
    const auto profile = read_profile(trace);
    EXPECT_TRUE(profile);
    return (*profile)->options.variant;
  };
  EXPECT_EQ(variant(mlu_trace()), Variant::kMluA);
  EXPECT_EQ(variant(without_properties(mlu_trace())), Variant::kMluA);
  EXPECT_EQ(variant(older_trace()), Variant::kMluB);
  EXPECT_EQ(variant(TraceLines().op("cncl:broadcast", 0, 10).text()), Variant::kMluA);
  EXPECT_EQ(variant(TraceLines().op("a", 0, 1).text(R"("deviceProperties":[{"name":"MLU590"}],)")),
            Variant::kMluA);
  EXPECT_EQ(variant(TraceLines().op("a", 0, 1).text(R"("deviceProperties":[{"name":"H200"}],)")),
            Variant::kGpu);
}

TEST_F(MluTest, overview_speaks_of_mlus) {
  add(mlu_trace());
  const std::string body = desk_.body("overview");
  EXPECT_EQ(
      member(body, "mlu_metrics"),
      R"({"title": "MLU Summary", "data": [{"title": "MLU 2:", "value": ""}, )"
      R"({"title": "Name", "value": "MLU370-M8"}, {"title": "Memory", "value": "41.4 GB"}, )"
      R"({"title": "Compute Capability", "value": "5.0"}, )"
      R"({"title": "MLU Utilization", "value": "34.17 %"}, )"
      R"({"title": "Kernel Time using Tensor Cores", "value": "0.0 %"}], "tooltip": )"
      R"("The MLU usage metrics:\n\nMLU Utilization:\nMLU busy time / All steps time. The higher, )"
      R"(the better. MLU busy time is the time during which there is at least one MLU kernel )"
      R"(running on it. All steps time is the total time of all profiler steps(or called as )"
      R"(iterations).\n\nKernel using Tensor Cores:\nTotal MLU Time for Tensor Core kernels / )"
      R"(Total MLU Time for all kernels.\nIt is always 0.0 On MLU devices because MLU does not )"
      R"(using Tensor Cores.\n"})");
  EXPECT_THAT(body, HasSubstr(R"({"title": "Device Type", "value": "MLU"})"));
  EXPECT_THAT(body, HasSubstr("<li>MLU 2 has low utilization. You could try to increase batch size "
                              "to improve. Note: Increasing batch size may affect the speed and "
                              "stability of model convergence.</li>"));
  EXPECT_THAT(body, Not(HasSubstr("GPU")));
}

TEST_F(MluTest, without_properties_the_summary_has_no_name_and_no_memory) {
  add(without_properties(mlu_trace()));
  EXPECT_THAT(desk_.body("overview"),
              HasSubstr(R"("data": [{"title": "MLU 2:", "value": ""}, )"
                        R"({"title": "MLU Utilization", "value": "34.17 %"}, )"
                        R"({"title": "Kernel Time using Tensor Cores", "value": "0.0 %"}])"));
}

TEST_F(MluTest, device_copies_of_a_communication_call_are_communication) {
  add(mlu_trace());
  const std::string steps = member(desk_.body("overview"), "steps");
  EXPECT_THAT(steps, HasSubstr("<b>Memcpy: 20us</b>"));
  EXPECT_THAT(steps, HasSubstr("<b>Communication: 135us</b>"));
  EXPECT_EQ(member(desk_.body("distributed/waittime"), "data"),
            R"({"all": {"node_0": [135.0, 0.0]}, "3": {"node_0": [135, 0]}, )"
            R"("4": {"node_0": [135, 0]}})");
}

TEST_F(MluTest, recommendations_ask_for_cncl_and_never_for_tensor_cores) {
  add(replaced(mlu_trace(), "cncl:all_reduce", "gloo:all_reduce"), Variant::kMluA);
  EXPECT_THAT(desk_.body("overview"), HasSubstr("runs without CNCL"));
  EXPECT_THAT(desk_.body("overview"), Not(HasSubstr("Tensor Cores, and none does")));
  ViewDesk with_cncl;
  with_cncl.add("w", mlu_trace());
  EXPECT_THAT(with_cncl.body("overview"), Not(HasSubstr("CNCL")));
  ViewDesk unknown;
  unknown.add("w", without_properties(replaced(mlu_trace(), "cncl:all", "gloo:all")),
              {.variant = Variant::kMluA});
  EXPECT_THAT(unknown.body("overview"), Not(HasSubstr("CNCL")));
}

TEST_F(MluTest, memory_at_the_limit_is_judged_in_mib) {
  const auto trace = [](long long mib) {
    return TraceLines()
        .op("a", 0, 100)
        .memory(
            5, 1, 8, 20, 0,
            ",\"Total Allocated\":" + std::to_string(mib * 1024 * 1024) + ",\"Total Reserved\":1")
        .text(R"x("deviceProperties":[{"name":"MLU370","totalMem(MiB)":1000}],)x");
  };
  add(trace(950));
  EXPECT_THAT(desk_.body("overview"), HasSubstr("95.0% of its 1.0GB"));
  ViewDesk below;
  below.add("w", trace(850));
  EXPECT_THAT(below.body("overview"), Not(HasSubstr("nearly full")));
}

TEST_F(MluTest, kernels_are_told_by_dimension_and_type_and_none_uses_tensor_cores) {
  add(mlu_trace());
  const std::string by_launch = desk_.body("kernel/table");
  EXPECT_THAT(
      by_launch,
      HasSubstr(R"("columns": [{"type": "string", "name": "Name"}, {"type": "string", "name": )"
                R"("Operator"}, {"type": "string", "name": "DimXYZ"}, {"type": "string", "name": )"
                R"("Kernel Type"}, {"type": "string", "name": "Kernel Uses Tensor Cores", )"
                R"("tooltip": "Whether this kernel uses Tensor Cores. It's always NO On MLU )"
                R"(devices because MLU does not have Tensor Cores."}, {"type": "number", "name": )"
                R"("Calls"})"));
  EXPECT_THAT(by_launch,
              HasSubstr(R"(["mlu_gemm_h884", "aten::addmm", "[16, 1, 1]", "UNION4", "No", 2, )"
                        R"(120, 60, 60, 60])"));
  EXPECT_THAT(by_launch,
              HasSubstr(R"(["mlu_bias_add", "aten::addmm", "[4, 1, 1]", "UNION1", "No", )"
                        R"(1, 10, 10, 10, 10], ["mlu_bias_add", )"))
      << "the hidden task topology tells them apart";
  EXPECT_THAT(desk_.body("kernel/table", {{"group_by", "Kernel"}}),
              HasSubstr("It's always NO On MLU devices"));
  EXPECT_THAT(desk_.body("operation/table"), Not(HasSubstr(R"("tc_eligible": "Yes")")));
}

TEST_F(MluTest, a_kernel_without_a_type_has_null) {
  add(replaced(mlu_trace(), R"("kernel type":"BLOCK",)", ""));
  EXPECT_THAT(desk_.body("kernel/table"),
              HasSubstr(R"("cncl:all_reduce", "[1, 1, 1]", null, "No")"));
}

TEST_F(MluTest, counters_are_appended_behind_the_events) {
  add(mlu_trace());
  const std::string body = desk_.body("trace");
  EXPECT_TRUE(body.starts_with(mlu_trace().substr(0, mlu_trace().rfind(']'))));
  EXPECT_THAT(body, HasSubstr(R"(, {"ph":"C", "name":"MLU 2 Utilization", "pid":2, "ts":1000, )"
                              R"("args":{"MLU Utilization":1}}, )"));
  EXPECT_TRUE(body.ends_with(R"("ts":2990, "args":{"MLU Utilization":0}}]})"));
  EXPECT_THAT(body, Not(HasSubstr("SM Efficiency")));
}

TEST_F(MluTest, arrays_behind_the_events_stay_behind_the_counters) {
  const std::string trace = mlu_trace();
  add(trace.substr(0, trace.rfind('}')) + R"(,"notes":["]"]})");
  EXPECT_THAT(desk_.body("trace"), HasSubstr(R"("args":{"MLU Utilization":0}}],"notes":["]"]})"));
}

TEST_F(MluTest, memory_is_of_mlus_and_cudas_number_has_no_name) {
  add(mlu_trace());
  const std::string rows = member(desk_.body("memory"), "rows");
  EXPECT_THAT(rows, HasSubstr(R"("MLU2": [["aten::addmm", 2, 8.0, 0.0, 2, 0, 8.0, 0.0])"));
  EXPECT_THAT(rows, Not(HasSubstr("GPU")));
  EXPECT_EQ(member(desk_.body("memory"), "default_device"), "\"MLU2\"");
  EXPECT_EQ(member(desk_.body("memory_events"), "default_device"), "\"MLU2\"");
}

TEST_F(MluTest, the_device_information_has_its_own_route) {
  add(mlu_trace());
  add(mlu_trace(), Variant::kByContent, "node_1");
  const std::string device = R"({"MLU2": {"Name": "MLU370-M8", "Memory": "41.4 GB", )"
                             R"("Memory Raw": 42396, "Compute Capability": "5.0"}})";
  EXPECT_EQ(member(desk_.body("distributed/mluinfo"), "data"),
            R"({"node": {"Process 0": )" + device + R"(, "Process 1": )" + device + "}}");
}

TEST_F(MluTest, averages_keep_their_fraction_and_small_types_have_no_size) {
  add(uneven(mlu_trace()));
  EXPECT_EQ(member(desk_.body("distributed/waittime"), "all"), R"({"node_0": [135.5, 0.0]})");
  EXPECT_EQ(member(desk_.body("distributed/overlap"), "all"),
            R"({"node_0": [240.0, 0.0, 135.5, 614.5]})");
  EXPECT_THAT(desk_.body("distributed/commops"), HasSubstr(R"(["cncl:all_reduce", 2, 512, 256, )"));
}

TEST_F(MluTest, time_in_nested_runtime_calls_is_subtracted_once) {
  TraceLines lines;
  lines.op("aten::mm", 0, 100, R"("External id":1)");
  lines.x("privateuse1_runtime", "cnnlMatMul", 10, 50, R"("External id":1,"correlation":1)");
  lines.x("privateuse1_runtime", "cnInvokeKernel", 20, 10, R"("External id":1,"correlation":2)");
  lines.x("privateuse1_runtime", "cnInvokeKernel", 70, 10, R"("External id":1,"correlation":3)");
  for (const Variant variant : {Variant::kGpu, Variant::kMluA, Variant::kMluC}) {
    ViewDesk desk;
    desk.add("w", lines.text(), {.variant = variant});
    EXPECT_EQ(member(desk.body("operation/table"), "host_self_duration"),
              variant == Variant::kGpu ? "30" : "40");
  }
}

TEST_F(MluTest, backward_work_moves_below_its_modules) {
  add(mlu_trace());
  const std::string tree = desk_.body("tree");
  EXPECT_THAT(tree, HasSubstr(R"("name": "nn.Module: Linear_0.backward", "start_time": 1560, )"
                              R"("end_time": 1650, "type": "backward", "tid": 200)"));
  EXPECT_THAT(tree, HasSubstr(R"("name": "nn.Module: ReLU_0.backward", "start_time": 1510)"));
}

TEST_F(MluTest, the_older_plugin_keeps_the_key_and_shortens_the_summary) {
  add(older_trace());
  const std::string body = desk_.body("overview");
  EXPECT_EQ(
      member(body, "gpu_metrics"),
      R"({"title": "MLU Summary", "data": [{"title": "MLU 2:", "value": ""}, )"
      R"({"title": "Name", "value": "MLU370-M8"}, {"title": "Memory", "value": "41.4 GB"}, )"
      R"({"title": "Compute Capability", "value": "5.0"}, )"
      R"({"title": "MLU Utilization", "value": "34.17 %"}], "tooltip": )"
      R"("The MLU usage metrics:\n\nMLU Utilization:\nMLU busy time / All steps time. The higher, )"
      R"(the better. MLU busy time is the time during which there is at least one MLU kernel )"
      R"(running on it. All steps time is the total time of all profiler steps(or called as )"
      R"(iterations).\n"})");
  EXPECT_THAT(body, HasSubstr("<b>Runtime: 70us</b>"));
  EXPECT_THAT(body, HasSubstr("<b>Communication: 135us</b>"));
}

TEST_F(MluTest, the_older_plugin_tells_kernels_by_task_topology) {
  add(older_trace());
  const std::string table = desk_.body("kernel/table");
  EXPECT_THAT(
      table,
      HasSubstr(R"({"type": "string", "name": "Kernel Type"}, {"type": "string", "name": "Dim"}, )"
                R"({"type": "string", "name": "Tasktopo"}, {"type": "string", "name": )"
                R"("Tasktopo_node"}, {"type": "string", "name": "Kernel Uses Tensor Cores", )"
                R"("tooltip": "Whether this kernel uses Tensor Cores."}, )"
                R"({"type": "string", "name": "Op is Tensor Cores eligible")"));
  EXPECT_THAT(table, HasSubstr(R"(["mlu_gemm_h884", "aten::addmm", "UNION4", "[16, 1, 1]", "0", )"
                               R"("0", "Yes", "Yes", 2, 120)"));
  EXPECT_THAT(table, HasSubstr(R"("UNION1", "[None, None, None]", "5", "1", "No", "Yes", 1, 10)"));
}

TEST_F(MluTest, the_older_plugin_truncates_averages_and_knows_small_types) {
  add(uneven(older_trace()));
  EXPECT_EQ(member(desk_.body("distributed/waittime"), "all"), R"({"node_0": [135, 0]})");
  EXPECT_THAT(desk_.body("distributed/commops"), HasSubstr(R"(["cncl:all_reduce", 2, 528, 264, )"));
  EXPECT_THAT(desk_.body("distributed/gpuinfo"), HasSubstr(R"("MLU2": {"Name")"));
  EXPECT_THAT(desk_.body("memory_curve"), HasSubstr(R"("devices": ["CPU", "GPU2", "MLU2"])"));
  EXPECT_EQ(member(desk_.body("memory"), "default_device"), "\"MLU2\"");
}

TEST_F(MluTest, the_older_plugin_lists_the_kernels_of_operators_in_a_diff) {
  add(older_trace());
  const std::string body =
      desk_.body("diff", {{"exp_run", "run"}, {"exp_worker", "node_0"}, {"exp_span", "1"}});
  EXPECT_THAT(body, HasSubstr(R"({"name": "aten::addmm", "calls": 2, "kernel_calls": 4, )"
                              R"("kernel_name_list_str": "mlu_gemm_h884;mlu_bias_add", )"
                              R"("kernel_calls_list_str": "2;2", "host_duration": 180)"));
}

TEST_F(MluTest, the_older_plugin_repairs_the_links_of_gpu_traces) {
  TraceLines lines;
  lines.op("aten::mm", 0, 100, R"("External id":5)");
  lines.x("cuda_runtime", "cudaLaunchKernel", 10, 20, R"("External id":77,"correlation":77)");
  lines.x("kernel", "gemm", 40, 30, R"("External id":77,"correlation":77,"device":0)", "7", "0");
  const std::string gpu = lines.text(R"("deviceProperties":[{"name":"A100"}],)");
  add(gpu, Variant::kMluB);
  EXPECT_THAT(desk_.body("operation/table"), HasSubstr(R"("device_self_duration": 30)"));
  ViewDesk as_it_is;
  as_it_is.add("w", gpu, {.variant = Variant::kMluC});
  EXPECT_THAT(as_it_is.body("operation/table"), HasSubstr(R"("device_self_duration": 0)"));
}

TEST_F(MluTest, the_newer_plugin_takes_an_empty_list_of_properties_for_an_mlu) {
  const auto title = [](const std::string& trace) {
    ViewDesk desk;
    desk.add("w", trace, {.variant = Variant::kMluC});
    return member(desk.body("overview"), "gpu_metrics").substr(0, 25);
  };
  const std::string bare = without_properties(mlu_trace());
  EXPECT_EQ(title("{\"deviceProperties\":[]," + bare.substr(1)), R"({"title": "MLU Summary", )");
  EXPECT_EQ(title(mlu_trace()), R"({"title": "GPU Summary", )");
  add("{\"deviceProperties\":[]," + replaced(bare.substr(1), "\"dim\":[1,1,1],", ""),
      Variant::kMluC);
  EXPECT_THAT(desk_.body("kernel/table"),
              HasSubstr(R"("cncl:all_reduce", "BLOCK", "[,,,]", "0", "0", "No", "No", 2)"));
}

}  // namespace
}  // namespace strobe::tensorboard
