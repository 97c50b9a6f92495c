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

// What one call of a case does that stands on a vendor's library: its buffers, and its steps in
// order, each a call of a library or a kernel of our own.
namespace strobe::bench {

class LibraryStep {
 public:
  // 0: there is no buffer of that name.
  using AddressOf = std::function<CuPointer(std::string_view buffer)>;

  virtual ~LibraryStep() = default;

  // Ways to do it, the library's favourite first.
  virtual std::size_t choices() const { return 1; }
  virtual std::string choice_text(std::size_t /*choice*/) const { return ""; }
  // Ways of the library that are no choice: they compute in less than the case asks for, or give
  // other bits each time.
  virtual std::size_t unfair_choices() const { return 0; }
  virtual std::size_t workspace_bytes() const { return 0; }
  // As far as it is known before it ran.
  virtual std::vector<KernelLaunch> launches() const = 0;

  // Once, before anything else.
  virtual Result<void> load(CudaDevice& /*device*/, const std::string& /*cache_folder*/) {
    return {};
  }
  // One more set of buffers to run on.
  virtual Result<void> bind(const AddressOf& address_of, CuPointer workspace) = 0;
  virtual Result<void> enqueue(std::size_t choice, std::size_t set) = 0;
};

struct LibraryCall {
  std::vector<CellTensor> tensors;
  std::vector<std::unique_ptr<LibraryStep>> preparation;  // once for every set of buffers
  std::vector<std::unique_ptr<LibraryStep>> steps;
  std::string math;  // in what the products are computed: "f32 accumulation"
  double build_ms = 0;

  std::size_t workspace_bytes() const;
};

// The three kinds of steps.

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

// One or more graphs of cuDNN that all compute the same.
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

// Which of a step's ways is the fastest here: all are tried briefly, the best ones longer.

struct TunedStep {
  std::size_t choice = 0;
  double us = 0;            // its median with a cold cache; 0: not timed
  std::size_t tried = 0;    // that ran
  std::size_t refused = 0;  // that the library proposed and then did not run
};

// On the first set of buffers, which hold what the steps before left. Without `may_tune` the first
// way that runs. An error if none does, if memory runs out or the GPU is lost.
Result<TunedStep> tune_step(DeviceClock& clock, LibraryStep& step, bool may_tune);

}  // namespace strobe::bench
