#include "tests/support/faults/player.h"

#include <algorithm>
#include <cmath>

namespace strobe {
namespace {

using enum KernelFamily;

// How a kernel's time depends on the clocks: time = (1 / clock) ^ elasticity. Compute depends on
// the core clock, data movement on the memory clock.
struct Elasticity {
  double core;
  double memory;
};

Elasticity elasticity_of(KernelFamily family) {
  switch (family) {
    case kGemm:
      return {0.95, 0.15};
    case kAttention:
      return {0.8, 0.5};
    case kElementwise:
      return {0.5, 0.9};
    case kNorm:
      return {0.6, 0.8};
  }
  return {};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

void change_kernel(Conditions::OtherKernels other, KernelSpec& kernel) {
  using enum Conditions::OtherKernels;
  if (other == kOneSmall && kernel.name.find("gelu") != std::string::npos) {
    kernel.name = replaced(kernel.name, "<4, gelu", "<8, gelu");
    kernel.device_us *= 1.2;
  } else if (other == kSomeGemms && kernel.name.find("256x128") != std::string::npos) {
    kernel.name = replaced(kernel.name, "256x128x64", "128x64x32");
    kernel.device_us *= 1.3;
  } else if (other == kOtherType) {
    kernel.name = replaced(kernel.name, "bf16", "f32");
    kernel.device_us *= kernel.family == kGemm ? 2.2 : 1.6;
  }
}

}  // namespace

RankPlayer::RankPlayer(const Workload& workload, const Conditions& conditions,
                       const RunNoise& noise, int cycles, Dice dice)
    : workload_(workload),
      conditions_(conditions),
      dice_(dice),
      machine_(conditions, noise, workload.has_scheduling, dice_.fork()),
      is_cut_(static_cast<std::size_t>(cycles)),
      cycle_us_(std::max(workload.host_us(), workload.device_us())) {
  for (const KernelSpec& spec : workload.layer) layer_.push_back(as_played(spec));
  for (const KernelSpec& spec : workload.head) head_.push_back(as_played(spec));
  if (dice_.chance(0.25)) is_cut_[0] = true;
  const auto lost = static_cast<std::size_t>(std::llround(conditions.lost_cycles * cycles));
  for (std::size_t i = 0; i < lost; ++i) is_cut_[i * is_cut_.size() / lost] = true;
}

RankPlayer::Kernel RankPlayer::as_played(KernelSpec spec) {
  const Elasticity elasticity = elasticity_of(spec.family);
  change_kernel(conditions_.other_kernels, spec);
  spec.device_us *= std::pow(1 / conditions_.core_clock, elasticity.core) *
                    std::pow(1 / conditions_.memory_clock, elasticity.memory) *
                    conditions_.kernel_slowdown * conditions_.blocks * (1 + 0.004 * dice_.normal());
  if (!spec.fills_device) {
    spec.blocks = std::llround(static_cast<double>(spec.blocks) * conditions_.blocks);
  }
  return {spec, "{\"device\":0,\"stream\":" + std::string(spec.on_side_stream ? "20" : "7") +
                    ",\"grid\":[" + std::to_string(spec.blocks) + ",1,1]}"};
}

int RankPlayer::layers() const {
  return static_cast<int>(std::lround(workload_.layers * conditions_.layers));
}

void RankPlayer::begin_cycle(int number) {
  machine_.begin_cycle(number < conditions_.cold_cycles ? conditions_.cold_slowdown : 1);
  machine_.record_device_from(is_cut_[static_cast<std::size_t>(number)]
                                  ? machine_.now_ns() +
                                        std::llround(dice_.uniform(0.35, 0.6) * cycle_us_ * 1000)
                                  : 0);
  layer_number_ = 0;
  stalled_layer_ = dice_.chance(0.05) ? dice_.between(0, layers() - 1) : -1;
  step_ = machine_.open("ProfilerStep#" + std::to_string(number + 3), SliceKind::kStep,
                        "user_annotation");
  load_input();
  upload();
  play(head_.front());
  if (number < conditions_.cold_cycles) machine_.call("cuModuleLoadData", 0.1 * cycle_us_);
}

void RankPlayer::load_input() {
  const SliceId range = machine_.open("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                      SliceKind::kAnnotation, "user_annotation");
  if (workload_.read_us > 0) machine_.read_file(workload_.read_us);
  machine_.compute(workload_.input_us - workload_.read_us);
  if (conditions_.input_delay > 0) {
    machine_.sleep(conditions_.input_delay * cycle_us_ * dice_.uniform(0.9, 1.1));
  }
  machine_.close(range);
}

void RankPlayer::upload() {
  const SliceId outer = machine_.open("to", SliceKind::kOperator, "cpu_op");
  machine_.compute(8);
  const SliceId inner = machine_.open("copy_", SliceKind::kOperator, "cpu_op");
  machine_.copy("Memcpy HtoD (Pinned -> Device)", workload_.upload_bytes,
                static_cast<double>(workload_.upload_bytes) / workload_.bus_bytes_per_s * 1e6);
  machine_.close(inner);
  machine_.close(outer);
}

void RankPlayer::download() {
  constexpr std::int64_t kBytes = 4096;
  const SliceId outer = machine_.open("_to_copy", SliceKind::kOperator, "cpu_op");
  const SliceId inner = machine_.open("copy_", SliceKind::kOperator, "cpu_op");
  machine_.copy("Memcpy DtoH (Device -> Pageable)", kBytes, 1.5);
  machine_.synchronize("cudaStreamSynchronize");
  machine_.close(inner);
  machine_.close(outer);
}

void RankPlayer::play(const Kernel& kernel) {
  const KernelSpec& spec = kernel.spec;
  const SliceId outer = machine_.open(spec.outer_operator, SliceKind::kOperator, "cpu_op");
  machine_.compute(0.3 * spec.host_us);
  const SliceId inner = machine_.open(spec.inner_operator, SliceKind::kOperator, "cpu_op");
  machine_.compute(0.4 * spec.host_us);
  machine_.launch("cudaLaunchKernel", 0.2 * spec.host_us,
                  spec.on_side_stream ? Machine::Stream::kSide : Machine::Stream::kMain,
                  {.name = spec.name,
                   .us = spec.device_us * (1 + 0.015 * dice_.normal()),
                   .args = kernel.args});
  machine_.close(inner);
  machine_.compute(0.1 * spec.host_us);
  machine_.close(outer);
  machine_.compute(spec.between_us);
}

void RankPlayer::play_layer() {
  for (const Kernel& kernel : layer_) play(kernel);
  if (layer_number_ == stalled_layer_) machine_.compute(0.3 * cycle_us_);
  disturb_layer();
  ++layer_number_;
}

int RankPlayer::due_now(int per_cycle, double& owed) const {
  owed += static_cast<double>(per_cycle) / layers();
  const int due = static_cast<int>(owed + 1e-9);
  owed -= due;
  return due;
}

// The extra work of the conditions in a cycle, spread over its layers.
void RankPlayer::disturb_layer() {
  if (conditions_.host_code > 0) {
    machine_.compute(conditions_.host_code * workload_.host_us() / layers());
  }
  if (conditions_.profiler_overhead > 0) {
    machine_.profile(conditions_.profiler_overhead * cycle_us_ / layers());
  }
  for (int i = due_now(conditions_.added_synchronizations, owed_synchronizations_); i > 0; --i) {
    machine_.synchronize("cudaDeviceSynchronize");
  }
  for (int i = due_now(conditions_.added_allocations, owed_allocations_); i > 0; --i) {
    machine_.synchronize("cudaFree");
    machine_.call("cudaMalloc", 60);
  }
}

void RankPlayer::finish_collective(std::int64_t all_there_ns) {
  machine_.finish_collective("ncclDevKernel_AllReduce_Sum_bf16", all_there_ns, 8 << 20,
                             workload_.collective_us);
}

void RankPlayer::end_cycle() {
  for (std::size_t i = 1; i < head_.size(); ++i) play(head_[i]);
  download();
  machine_.compute(15);
  machine_.close(step_);
  machine_.compute(10);
}

}  // namespace strobe
