#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/codegen/kernel_program.h"
#include "strobe/bench/providers/cuda/cell_tensors.h"
#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/cuda/device_clock.h"
#include "strobe/bench/providers/cuda/dnn_plan.h"
#include "strobe/bench/providers/cuda/gemm.h"
#include "strobe/bench/providers/cuda/loaded_program.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"
#include "strobe/bench/results/cell_record.h"

// One call of a case that uses a vendor's library: its buffers, and its steps in order, each a
// library call or one of our own kernels.
namespace strobe::bench {

class LibraryStep {
 public:
  // 0: there is no buffer of that name.
  using AddressOf = std::function<CuPointer(std::string_view buffer)>;

  virtual ~LibraryStep() = default;

  // The number of alternatives, the library's favourite first.
  virtual std::size_t choices() const { return 1; }
  virtual std::string choice_text(std::size_t /*choice*/) const { return ""; }
  // Alternatives of the library that are excluded: they compute in lower precision than the case
  // requires, or give different bits each time.
  virtual std::size_t unfair_choices() const { return 0; }
  virtual std::size_t workspace_bytes() const { return 0; }
  // As far as known before it has run.
  virtual std::vector<KernelLaunch> launches() const = 0;

  // Called once, before anything else.
  virtual Result<void> load(CudaDevice& /*device*/, const std::string& /*cache_folder*/) {
    return {};
  }
  // Adds a set of buffers.
  virtual Result<void> bind(const AddressOf& address_of, CuPointer workspace) = 0;
  virtual Result<void> enqueue(std::size_t choice, std::size_t set) = 0;
};

struct LibraryCall {
  std::vector<CellTensor> tensors;
  std::vector<std::unique_ptr<LibraryStep>> preparation;  // once for every set of buffers
  std::vector<std::unique_ptr<LibraryStep>> steps;
  std::string math;  // precision of the products: "f32 accumulation"
  double build_ms = 0;

  std::size_t workspace_bytes() const;
};

// Kernels of our own.
class KernelStep final : public LibraryStep {
 public:
  KernelStep(CudaDevice& device, GeneratedKernel kernel);

  std::vector<KernelLaunch> launches() const override;
  Result<void> load(CudaDevice& device, const std::string& cache_folder) override;
  Result<void> bind(const AddressOf& address_of, CuPointer workspace) override;
  Result<void> enqueue(std::size_t choice, std::size_t set) override;

 private:
  CudaDevice& device_;
  KernelProgram program_;
  LoadedProgram loaded_;
  std::vector<BoundProgram> bound_;
};

// A product by cuBLASLt.
class GemmStep final : public LibraryStep {
 public:
  struct Names {
    std::string left, right, added, out;
  };
  GemmStep(std::shared_ptr<CublasLtLibrary> library, Gemm gemm, Names names);

  std::size_t choices() const override { return gemm_.algorithms(); }
  std::string choice_text(std::size_t choice) const override {
    return gemm_.algorithm_text(choice);
  }
  std::size_t workspace_bytes() const override { return gemm_.workspace_bytes(); }
  std::vector<KernelLaunch> launches() const override { return {{.name = "cublasLtMatmul"}}; }
  Result<void> bind(const AddressOf& address_of, CuPointer workspace) override;
  Result<void> enqueue(std::size_t choice, std::size_t set) override;

 private:
  std::shared_ptr<CublasLtLibrary> library_;
  Gemm gemm_;
  Names names_;
  std::vector<GemmBuffers> sets_;
};

// One or more graphs of cuDNN that compute the same result.
class DnnStep final : public LibraryStep {
 public:
  DnnStep(std::shared_ptr<CudnnLibrary> library, std::vector<DnnPlans> graphs);

  std::size_t choices() const override { return choices_.size(); }
  std::string choice_text(std::size_t choice) const override;
  std::size_t unfair_choices() const override;
  std::size_t workspace_bytes() const override;
  std::vector<KernelLaunch> launches() const override { return {{.name = "cudnnBackendExecute"}}; }
  Result<void> bind(const AddressOf& address_of, CuPointer workspace) override;
  Result<void> enqueue(std::size_t choice, std::size_t set) override;

 private:
  struct Choice {
    std::size_t graph = 0;
    std::size_t plan = 0;
  };
  std::shared_ptr<CudnnLibrary> library_;
  std::vector<DnnPlans> graphs_;
  std::vector<Choice> choices_;
  std::vector<std::vector<OwnedDescriptor>> packs_;  // by set, then by graph
};

struct TunedStep {
  std::size_t choice = 0;
  double us = 0;            // its median with a cold cache; 0: not timed
  std::size_t tried = 0;    // alternatives that ran
  std::size_t refused = 0;  // alternatives that the library proposed but did not run
};

// Finds the fastest alternative of a step: all are tried briefly, the best ones longer. Uses the
// first set of buffers, with the results of the previous steps. Without `may_tune` the
// first alternative that runs. Fails if none does, if memory runs out or if the GPU is lost.
Result<TunedStep> tune_step(DeviceClock& clock, LibraryStep& step, bool may_tune);
// The median of one alternative that has run, in microseconds, with a cold cache.
Result<double> time_step(DeviceClock& clock, LibraryStep& step, std::size_t choice);

}  // namespace strobe::bench
