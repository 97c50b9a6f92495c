#include "strobe/bench/providers/cuda/library_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/providers/stop_watch.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
std::size_t LibraryCall::workspace_bytes() const {
  std::size_t most = 0;
  for (const auto& step : steps) most = std::max(most, step->workspace_bytes());
  return most;
}

KernelStep::KernelStep(CudaDevice& device, GeneratedKernel kernel) : device_(device) {
  program_.label = kernel.name;
  program_.kernels.push_back(std::move(kernel));
}

std::vector<KernelLaunch> KernelStep::launches() const {
  if (!loaded_.kernels.empty()) return loaded_.launches();
  const GeneratedKernel& kernel = program_.kernels.front();
  return {{.name = kernel.name,
           .grid = {kernel.grid[0], kernel.grid[1], kernel.grid[2]},
           .block = {kernel.block[0], kernel.block[1], kernel.block[2]}}};
}

Result<void> KernelStep::load(CudaDevice& device, const std::string& cache_folder) {
  STROBE_TRY(loaded_, load_program(device, program_, code_in(device, cache_folder)));
  return {};
}

Result<void> KernelStep::bind(const AddressOf& address_of, CuPointer /*workspace*/) {
  STROBE_TRY(BoundProgram bound, BoundProgram::make(loaded_, address_of));
  bound_.push_back(std::move(bound));
  return {};
}

Result<void> KernelStep::enqueue(std::size_t /*choice*/, std::size_t set) {
  return bound_[set].enqueue(device_, loaded_);
}

GemmStep::GemmStep(std::shared_ptr<CublasLtLibrary> library, Gemm gemm, Names names)
    : library_(std::move(library)), gemm_(std::move(gemm)), names_(std::move(names)) {}

Result<void> GemmStep::bind(const AddressOf& address_of, CuPointer workspace) {
  sets_.push_back({.left = address_of(names_.left),
                   .right = address_of(names_.right),
                   .added = names_.added.empty() ? 0 : address_of(names_.added),
                   .out = address_of(names_.out),
                   .workspace = workspace});
  return {};
}

Result<void> GemmStep::enqueue(std::size_t choice, std::size_t set) {
  return gemm_.enqueue(choice, sets_[set], library_->stream());
}

DnnStep::DnnStep(std::shared_ptr<CudnnLibrary> library, std::vector<DnnPlans> graphs)
    : library_(std::move(library)), graphs_(std::move(graphs)) {
  for (std::size_t graph = 0; graph < graphs_.size(); ++graph) {
    for (std::size_t plan = 0; plan < graphs_[graph].plans().size(); ++plan) {
      choices_.push_back({graph, plan});
    }
  }
}

std::string DnnStep::choice_text(std::size_t choice) const {
  const Choice& chosen = choices_[choice];
  return fmt::format("engine {} of {} operations, {} of {}",
                     graphs_[chosen.graph].plans()[chosen.plan].engine,
                     graphs_[chosen.graph].graph().operations.size(), choice + 1, choices_.size());
}

std::size_t DnnStep::unfair_choices() const {
  std::size_t unfair = 0;
  for (const DnnPlans& graph : graphs_) unfair += graph.unfair();
  return unfair;
}

std::size_t DnnStep::workspace_bytes() const {
  std::int64_t most = 0;
  for (const DnnPlans& graph : graphs_) {
    for (const DnnPlan& plan : graph.plans()) most = std::max(most, plan.workspace_bytes);
  }
  return static_cast<std::size_t>(most);
}

Result<void> DnnStep::bind(const AddressOf& address_of, CuPointer workspace) {
  std::vector<OwnedDescriptor> packs;
  for (const DnnPlans& graph : graphs_) {
    STROBE_TRY(OwnedDescriptor pack, graph.pack(address_of, workspace));
    packs.push_back(std::move(pack));
  }
  packs_.push_back(std::move(packs));
  return {};
}

Result<void> DnnStep::enqueue(std::size_t choice, std::size_t set) {
  const Choice& chosen = choices_[choice];
  return graphs_[chosen.graph].enqueue(library_->handle(), chosen.plan, packs_[set][chosen.graph]);
}

namespace {

constexpr int kFirstSamples = 3;
constexpr int kFinalSamples = 10;
constexpr std::size_t kFinalists = 3;
constexpr double kBudgetMs = 1500;  // for the first round; the library's first three always run

struct Timed {
  std::size_t choice = 0;
  double us = 0;
};

class Tuner {
 public:
  Tuner(DeviceClock& clock, LibraryStep& step) : clock_(clock), step_(step) {}

  // Runs once and waits: code is loaded, and a refusal shows before anything is held.
  Result<void> run(std::size_t choice) {
    STROBE_TRY_VOID(step_.enqueue(choice, 0));
    return clock_.device().synchronize();
  }

  Result<double> time(std::size_t choice, int samples) {
    std::vector<double> each;
    for (int i = 0; i < samples; ++i) {
      STROBE_TRY(const DeviceClock::Block block,
                 clock_.measure(
                     1, [&](int) { return clock_.flush().enqueue(FlushKind::kCold); },
                     [&](int) { return step_.enqueue(choice, 0); }));
      each.push_back(block.elapsed_us.front());
    }
    return stats::median_of(each);
  }

  bool must_stop(const Error& error) {
    return clock_.device().is_lost() || error.code == ErrorCode::kOutOfMemory;
  }

 private:
  DeviceClock& clock_;
  LibraryStep& step_;
};

}  // namespace

Result<TunedStep> tune_step(DeviceClock& clock, LibraryStep& step, bool may_tune) {
  Tuner tuner(clock, step);
  const bool times = may_tune && step.choices() > 1;
  const StopWatch start;
  TunedStep tuned;
  std::vector<Timed> timed;
  Result<void> refusal;
  for (std::size_t choice = 0; choice < step.choices(); ++choice) {
    const double spent_ms = start.ms();
    if (timed.size() >= kFinalists && spent_ms > kBudgetMs) break;
    if (const Result<void> ran = tuner.run(choice); !ran) {
      if (tuner.must_stop(ran.error())) return ran.error();
      refusal = ran.error();
      ++tuned.refused;
      continue;
    }
    ++tuned.tried;
    if (!times) {
      tuned.choice = choice;
      return tuned;
    }
    STROBE_TRY(const double us, tuner.time(choice, kFirstSamples));
    timed.push_back({choice, us});
  }
  if (timed.empty()) return refusal.error();
  std::ranges::stable_sort(timed, {}, &Timed::us);
  timed.resize(std::min(timed.size(), kFinalists));
  for (Timed& one : timed) {
    STROBE_TRY(one.us, tuner.time(one.choice, kFinalSamples));
  }
  const Timed best = *std::ranges::min_element(timed, {}, &Timed::us);
  tuned.choice = best.choice;
  tuned.us = best.us;
  STROBE_TRY_VOID(tuner.run(best.choice));  // the next step reads its results
  return tuned;
}

Result<double> time_step(DeviceClock& clock, LibraryStep& step, std::size_t choice) {
  return Tuner(clock, step).time(choice, kFinalSamples);
}

}  // namespace strobe::bench
