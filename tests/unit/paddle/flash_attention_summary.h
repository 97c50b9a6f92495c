#pragma once

#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace_builder.h"

// The summary of a hundred flash-attention steps, made by hand, in nanoseconds.
namespace strobe::paddle {

inline Trace flash_attention_trace() {
  TraceBuilder builder;
  builder.metadata().traits.runtime_label = "CudaRuntime";
  builder.metadata().process_cpu_utilization = 1.125;
  builder.metadata().system_cpu_utilization = 0.056716;
  return std::move(builder).build();
}

inline analysis::Summary flash_attention_summary() {
  using analysis::TimeStat;
  const std::string flash_kernel =
      "void flash_fwd_kernel<Flash_fwd_kernel_traits<32, 128, 128, 4, false, false, "
      "cutlass::half_t, Flash_kernel_traits<32> >, true>(Flash_fwd_params)";
  const std::string copy_kernel =
      "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::"
      "TensorMap<Eigen::Tensor<int, 1> > >, Eigen::GpuDevice>, long>(Eigen::TensorEvaluator, long)";
  const TimeStat flash_kernel_time{100, 61'126'500, 616'800, 605'900};
  const TimeStat copy_kernel_time{300, 16'675'600, 56'240, 54'700};
  const TimeStat no_device_time{100, 0, 0, 0};

  analysis::Summary summary;
  summary.has_steps = true;
  summary.total_ns = 9'586'500;
  summary.devices = {{0, 77'802'100, 77'802'100, 400}};
  summary.host_types = {{SliceKind::kStep, "", 100, 9'586'500},
                        {SliceKind::kUserRange, "", 200, 7'532'100},
                        {SliceKind::kOperator, "", 200, 6'818'000},
                        {SliceKind::kOperatorPhase, "", 400, 2'028'428},
                        {SliceKind::kRuntimeCall, "", 1900, 2'978'500}};
  summary.device_types = {{SliceKind::kKernel, "", 400, 77'802'100}};

  analysis::OperatorRow transpose;
  transpose.name = "transpose dygraph";
  transpose.host = {100, 612'200, 9'500, 5'842};
  transpose.device = no_device_time;
  transpose.phases = {{"transpose infer_meta",
                       SliceKind::kOperatorPhase,
                       {100, 50'810, 900, 400},
                       no_device_time,
                       {}},
                      {"transpose compute",
                       SliceKind::kOperatorPhase,
                       {100, 60'118, 900, 500},
                       no_device_time,
                       {}}};

  analysis::OperatorRow flash;
  flash.name = "flash_attn dygraph";
  flash.host = {100, 6'205'800, 108'000, 59'798};
  flash.device = {100, 77'802'100, 783'600, 770'000};
  flash.phases = {{"flash_attn infer_meta",
                   SliceKind::kOperatorPhase,
                   {100, 94'300, 2'100, 800},
                   no_device_time,
                   {}},
                  {"flash_attn compute",
                   SliceKind::kOperatorPhase,
                   {100, 1'823'200, 28'000, 16'000},
                   flash_kernel_time,
                   {{flash_kernel, SliceKind::kKernel, flash_kernel_time}}}};
  flash.work = {{copy_kernel, SliceKind::kKernel, copy_kernel_time}};

  summary.operators = {{"", {transpose, flash}}};
  summary.kernels = {{copy_kernel, copy_kernel_time, false, {}},
                     {flash_kernel, flash_kernel_time, false, {}}};
  return summary;
}

}  // namespace strobe::paddle
