#pragma once

#include "strobe/bench/providers/codegen/kernel_program.h"
#include "strobe/bench/providers/cuda/dnn_plan.h"
#include "strobe/bench/providers/cuda/gemm.h"
#include "strobe/bench/providers/cuda/library_step.h"
#include "strobe/bench/providers/cuda/loaded_program.h"
#include "strobe/bench/providers/cuda/vendor_libraries.h"

// The three kinds of steps.
namespace strobe::bench {

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

}  // namespace strobe::bench
