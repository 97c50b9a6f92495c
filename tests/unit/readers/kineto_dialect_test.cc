#include <gtest/gtest.h>

#include <string>

#include "strobe/readers/dialect.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {
namespace {

SliceKind kind_of(std::string_view category, std::string_view name) {
  const CategoryRule rule = kKinetoDialect.category_rule(category);
  return rule.asks_name ? kKinetoDialect.name_rule(rule.kind, category, name).kind : rule.kind;
}

TEST(KinetoDialectTest, categories_of_every_year_mean_the_same) {
  EXPECT_EQ(kind_of("Operator", "aten::mm"), SliceKind::kOperator);
  EXPECT_EQ(kind_of("cpu_op", "aten::mm"), SliceKind::kOperator);
  EXPECT_EQ(kind_of("Kernel", "k"), SliceKind::kKernel);
  EXPECT_EQ(kind_of("kernel", "k"), SliceKind::kKernel);
  EXPECT_EQ(kind_of("Memcpy", "c"), SliceKind::kMemcpy);
  EXPECT_EQ(kind_of("gpu_memcpy", "c"), SliceKind::kMemcpy);
  EXPECT_EQ(kind_of("Memset", "s"), SliceKind::kMemset);
  EXPECT_EQ(kind_of("gpu_memset", "s"), SliceKind::kMemset);
  for (const char* category :
       {"Runtime", "cuda_runtime", "cuda_driver", "hip_runtime", "xpu_runtime", "xpu_driver",
        "mtia_runtime", "mlu_runtime", "privateuse1_runtime", "privateuse1_driver"}) {
    EXPECT_EQ(kind_of(category, "launch"), SliceKind::kRuntimeCall) << category;
  }
  EXPECT_EQ(kind_of("gpu_user_annotation", "x"), SliceKind::kDeviceAnnotation);
  EXPECT_EQ(kind_of("mlu_user_annotation", "x"), SliceKind::kDeviceAnnotation);
  EXPECT_EQ(kind_of("overhead", "x"), SliceKind::kOverhead);
  EXPECT_EQ(kind_of("cuda_sync", "x"), SliceKind::kSync);
  EXPECT_EQ(kind_of("Trace", "x"), SliceKind::kProfiler);
  EXPECT_EQ(kind_of("brand_new", "x"), SliceKind::kOther);
}

TEST(KinetoDialectTest, ranges_with_fixed_names_are_phases) {
  for (const char* category : {"user_annotation", "cpu_op", "Operator"}) {
    EXPECT_EQ(kind_of(category, "ProfilerStep#12"), SliceKind::kStep) << category;
    EXPECT_EQ(kind_of(category, "enumerate(DataLoader)#_SingleProcess.__next__"),
              SliceKind::kDataLoader);
    EXPECT_EQ(kind_of(category, "Optimizer.step#SGD.step"), SliceKind::kOptimizer);
    EXPECT_EQ(kind_of(category, "Optimizer.zero_grad#SGD.zero_grad"), SliceKind::kAnnotation);
  }
  EXPECT_EQ(kind_of("user_annotation", "DistributedDataParallel.forward"), SliceKind::kForward);
  EXPECT_EQ(kind_of("user_annotation", "nccl:all_reduce"), SliceKind::kCommunication);
  EXPECT_EQ(kind_of("user_annotation", "decode"), SliceKind::kAnnotation);
  EXPECT_EQ(kind_of("python_function", "nn.Module: Linear_3"), SliceKind::kForward);
  EXPECT_EQ(kind_of("python_function", "train.py(12): step"), SliceKind::kPythonCall);
}

TEST(KinetoDialectTest, the_forward_pass_is_told_by_its_name_in_any_dress) {
  for (const char* name : {"forward", "Forward", "## forward ##", "[forward]",
                           "FORWARD:", "DistributedDataParallel.forward"}) {
    EXPECT_EQ(kind_of("user_annotation", name), SliceKind::kForward) << name;
    EXPECT_EQ(kind_of("Operator", name), SliceKind::kForward) << name;
  }
  for (const char* name : {"forward pass", "fast-forward", "aten::nll_loss_forward", "##", ""}) {
    EXPECT_NE(kind_of("user_annotation", name), SliceKind::kForward) << name;
    EXPECT_NE(kind_of("cpu_op", name), SliceKind::kForward) << name;
  }
}

TEST(KinetoDialectTest, so_is_the_backward_pass_and_the_optimizer) {
  for (const char* name : {"backward", "Backward", "## backward ##", "TimingAutoUnit.backward",
                           "[pl][profile][Strategy]SingleDeviceStrategy.backward"}) {
    EXPECT_EQ(kind_of("user_annotation", name), SliceKind::kBackward) << name;
  }
  for (const char* name : {"optimizer", "## optimizer ##", "Optimizer step", "optimizer_step",
                           "OPTIMIZER_STEP", "optimizer.step"}) {
    EXPECT_EQ(kind_of("user_annotation", name), SliceKind::kOptimizer) << name;
  }
  for (const char* name :
       {"[pl][profile][LightningModule]Net.optimizer_step", "optimizer state", "loss_and_backward",
        "forward_backward", "DistributedDataParallel.backward hooks", "zero_grad"}) {
    EXPECT_EQ(kind_of("user_annotation", name), SliceKind::kAnnotation) << name;
  }
  EXPECT_EQ(kind_of("cpu_op", "aten::convolution_backward"), SliceKind::kOperator);
  EXPECT_EQ(kind_of("cpu_op", "AddmmBackward0"), SliceKind::kOperator);
}

TEST(KinetoDialectTest, data_loading_is_known_under_the_names_of_other_libraries) {
  for (const char* name :
       {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
        "enumerate(DataPipe)#BatcherIterDataPipe", "[_TrainingEpochLoop].train_dataloader_next",
        "[pl][profile][_TrainingEpochLoop].train_dataloader_next", "dataloader_next",
        "[pl][profile][_EvaluationLoop].val_next", "[_PredictionLoop].predict_next",
        "train.next(data_iter)", "TimingAutoUnit.train.next(data_iter)", "## load_batch ##",
        "## next_batch ##", "get_batch", "DataLoader", "dataloader", "data loading", "Data_Load"}) {
    EXPECT_EQ(kind_of("user_annotation", name), SliceKind::kDataLoader) << name;
  }
  for (const char* name :
       {"## copy_batch_to_gpu ##", "data transfer", "batch_to_device", "dataloader setup",
        "setup_train_dataloader", "next", "data", "load model", "[Planner].val_next"}) {
    EXPECT_EQ(kind_of("user_annotation", name), SliceKind::kAnnotation) << name;
  }
}

TEST(KinetoDialectTest, nodes_of_the_autograd_graph_are_backward_work_in_every_year) {
  const auto flags = [](std::string_view name) {
    return kKinetoDialect.name_rule(SliceKind::kOperator, "Operator", name).flags;
  };
  for (const char* name :
       {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "AddmmBackward",
        "CudnnBatchNormBackward", "torch::autograd::AccumulateGrad",
        "struct torch::autograd::AccumulateGrad", "CompiledFunctionBackward"}) {
    EXPECT_EQ(flags(name), kBackwardWork) << name;
  }
  for (const char* name : {"aten::cudnn_convolution_backward", "aten::mm", "torch::SomeBackward"}) {
    EXPECT_EQ(flags(name), kNoFlags) << name;
  }
}

TEST(KinetoDialectTest, operators_that_only_sound_like_communication_are_not) {
  for (const char* name : {"aten::broadcast_to", "warpctc", "my_rpc_helper"}) {
    EXPECT_EQ(kKinetoDialect.name_rule(SliceKind::kOperator, "cpu_op", name).flags, kNoFlags)
        << name;
  }
  EXPECT_EQ(kKinetoDialect
                .name_rule(SliceKind::kKernel, "kernel", "void deep_ep::intranode::combine<8>(int)")
                .flags,
            kCommunicates);
}

TEST(KinetoDialectTest, a_device_outside_the_list_is_like_those_in_it_if_they_are_alike) {
  const auto names = [](const std::string& listed) {
    const auto loaded = read_trace_bytes(
        R"({"schemaVersion":1,"deviceProperties":[)" + listed + R"(],"traceEvents":[
          {"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"pid":2,"tid":0,
           "args":{"device":2,"stream":0}}]})",
        "t", {.threads = 1});
    std::string text;
    for (const DeviceProperties& device : loaded->trace.metadata().devices) {
      text += std::to_string(device.id) + " " + device.name + ";";
    }
    return text;
  };
  EXPECT_EQ(names(R"({"id":0,"name":"MI300X"})"), "0 MI300X;2 MI300X;");
  EXPECT_EQ(names(R"({"id":0,"name":"MI300X"},{"id":2,"name":"MI300X"})"), "0 MI300X;2 MI300X;");
  EXPECT_EQ(names(R"({"id":0,"name":"MI300X"},{"id":1,"name":"MI210"})"), "0 MI300X;1 MI210;");
  EXPECT_EQ(names(""), "");
}

TEST(KinetoDialectTest, mangled_kernels_get_names_that_people_can_read) {
  const auto loaded = read_trace_bytes(R"({"schemaVersion":1,"traceEvents":[
      {"ph":"X","cat":"kernel","name":"_ZN3foo3barEi.kd","ts":1,"dur":1,"pid":0,"tid":0},
      {"ph":"X","cat":"kernel","name":"_ZN3foo3barEi","ts":3,"dur":1,"pid":0,"tid":0},
      {"ph":"X","cat":"cpu_op","name":"_ZN3foo3barEi","ts":1,"dur":1,"pid":9,"tid":9}]})",
                                       "t", {.threads = 1});
  ASSERT_TRUE(loaded);
  const Trace& trace = loaded->trace;
  EXPECT_EQ(trace.strings()[trace.slices().names[0]], "foo::bar(int)");
  EXPECT_EQ(trace.slices().names[0], trace.slices().names[1]);
  EXPECT_EQ(trace.strings()[trace.slices().names[2]], "_ZN3foo3barEi");
}

TEST(KinetoDialectTest, the_autograd_engine_and_collectives_are_flagged) {
  EXPECT_EQ(kKinetoDialect
                .name_rule(SliceKind::kOperator, "cpu_op",
                           "autograd::engine::evaluate_function: AddmmBackward0")
                .flags,
            kBackwardWork);
  EXPECT_EQ(kKinetoDialect.name_rule(SliceKind::kOperator, "cpu_op", "record_param_comms").flags,
            kCommunicates);
  EXPECT_EQ(
      kKinetoDialect.name_rule(SliceKind::kKernel, "kernel", "ncclKernel_AllReduce_RING").flags,
      kCommunicates);
  EXPECT_EQ(kKinetoDialect.name_rule(SliceKind::kKernel, "kernel", "sgemm").flags, kNoFlags);
}

TEST(KinetoDialectTest, memory_instants_carry_their_place_and_running_peaks) {
  const std::string_view text = R"({"schemaVersion":1,"traceEvents":[
    {"ph":"i","name":"[memory]","ts":2,"pid":1,"tid":1,
     "args":{"Total Reserved":100,"Total Allocated":40,"Bytes":-30,"Device Id":2,"Device Type":1,"Addr":16}},
    {"ph":"i","name":"[memory]","ts":1,"pid":1,"tid":1,
     "args":{"Total Reserved":100,"Total Allocated":70,"Bytes":30,"Device Id":2,"Device Type":1}},
    {"ph":"i","name":"[memory]","ts":3,"pid":1,"tid":1,"args":{"Bytes":5,"Device Id":-1,"Device Type":0}}]})";
  const auto loaded = read_trace_bytes(text, "t", {.threads = 1});
  ASSERT_TRUE(loaded);
  const MemoryColumns& memory = loaded->trace.memory();
  ASSERT_EQ(memory.size(), 3u);
  EXPECT_EQ(loaded->trace.strings()[memory.places[0]], "Place(gpu:2)");
  EXPECT_EQ(memory.actions[0], MemoryAction::kFree);
  EXPECT_EQ(memory.addresses[0], 16u);
  EXPECT_EQ(memory.peak_allocated_bytes[0], 70);  // the allocation at 1 us comes first in time
  EXPECT_EQ(memory.peak_allocated_bytes[1], 70);
  EXPECT_EQ(loaded->trace.strings()[memory.places[2]], "Place(cpu)");
  EXPECT_EQ(memory.allocated_bytes[2], -1);
}

TEST(KinetoDialectTest, vendors_are_told_by_their_categories_and_devices) {
  const auto traits = [](const std::string& text) {
    return read_trace_bytes(text, "t", {.threads = 1})->trace.traits();
  };
  EXPECT_EQ(
      traits(R"({"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"xpu_runtime","ts":1,"dur":1}]})")
          .device_label,
      "XPU");
  const TraceTraits mlu = traits(
      R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"MLU370-M8"}],"traceEvents":[
          {"ph":"X","cat":"privateuse1_runtime","ts":1,"dur":1}]})");
  EXPECT_EQ(mlu.device_label, "MLU");
  EXPECT_EQ(mlu.runtime_label, "MluRuntime");
}

TEST(KinetoDialectTest, traces_without_a_header_are_known_by_their_events) {
  const auto dialect = [](const std::string& text) {
    return read_trace_bytes(text, "t", {.threads = 1})->trace.traits().dialect;
  };
  EXPECT_EQ(dialect(R"([{"ph":"X","cat":"cpu_op","ts":1,"dur":1}])"), "kineto");
  EXPECT_EQ(dialect(R"([{"ph":"X","cat":"Kernel","ts":1,"dur":1,"args":{"correlation":1}}])"),
            "kineto");
  EXPECT_EQ(dialect(R"([{"ph":"X","cat":"Operator","ts":1,"dur":1}])"), "chrome");
  EXPECT_EQ(dialect(R"([{"ph":"X","cat":"net","ts":1,"dur":1}])"), "chrome");
}

TEST(KinetoDialectTest, the_queues_of_an_mtia_hold_kernels_copies_and_waits) {
  const auto queued = [](std::string_view name, std::string_view args) {
    return R"({"ph":"X","cat":"mtia_ccp_events","name":")" + std::string(name) +
           R"(","pid":17,"tid":9,"ts":1,"dur":2,"args":)" + std::string(args) + "},";
  };
  std::string text = queued("merge", R"({"correlation":5,"row":"0","column":"0"})") +
                     queued("dma_request", R"({"direction":"HOST_TO_DEVICE","size":8})") +
                     queued("dma_request", R"({"direction":"DEVICE_TO_HOST","size":8})") +
                     queued("dma_request", R"({"size":8})") + queued("event_wait", "{}") +
                     queued("event_record", R"({"row":0,"column":0})") + queued("packet", "{}");
  text.back() = ']';
  const auto loaded = read_trace_bytes(R"({"schemaVersion":1,"traceEvents":[)" + text + "}",
                                       "trace.json", {.threads = 1, .keep_args = false});
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  const std::vector<SliceKind> kinds = {SliceKind::kKernel,           SliceKind::kMemcpy,
                                        SliceKind::kMemcpy,           SliceKind::kMemcpy,
                                        SliceKind::kDeviceAnnotation, SliceKind::kDeviceAnnotation,
                                        SliceKind::kDeviceAnnotation};
  ASSERT_EQ(trace.slice_count(), kinds.size());
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    EXPECT_EQ(trace.kind(SliceId(row)), kinds[row]) << row;
    EXPECT_EQ(trace.track(SliceId(row)).device, 17);
  }
  EXPECT_EQ(trace.slices().correlations[0], 5u);
  EXPECT_EQ(trace.name(SliceId(1)), "dma_request HtoD");
  EXPECT_EQ(trace.name(SliceId(2)), "dma_request DtoH");
  EXPECT_EQ(trace.name(SliceId(3)), "dma_request");
  EXPECT_EQ(trace.traits().device_label, "MTIA");
  EXPECT_EQ((loaded->report.events.at({'X', "mtia_ccp_events"})), 7u);
}

}  // namespace
}  // namespace strobe::readers
