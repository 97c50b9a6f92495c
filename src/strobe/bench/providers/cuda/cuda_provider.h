#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/provider.h"

// Shared by all providers on a CUDA device: they find the GPU or say why not, and measure its
// floors and roofs.
namespace strobe::bench {

class CudaProvider : public Provider {
 public:
  CudaProvider(std::string name, OpenSession open)
      : name_(std::move(name)), open_(std::move(open)) {}

  ProviderInfo probe() override;
  std::optional<double> free_bytes() override;
  Result<Floors> measure_floors() override;
  Result<Roofs> measure_roofs() override;
  std::vector<TimeMode> modes() const override {
    return {TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall, TimeMode::kActivity};
  }
  bool can_be_counted() const override { return true; }
  Result<void> run_empty_counted() override;
  std::map<std::string, double> device_facts() override;

 protected:
  // Opened when first needed. kMachineLacks on a machine without a GPU.
  Result<std::shared_ptr<CudaSession>> session();

 private:
  std::string name_;
  OpenSession open_;
  std::shared_ptr<CudaSession> session_;
};

// Why a provider of generated kernels does not support that cell; "" if it does.
std::string why_not_rows(const CaseInfo* info, const Cell& cell);

}  // namespace strobe::bench
