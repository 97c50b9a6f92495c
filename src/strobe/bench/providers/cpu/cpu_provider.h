#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/thread_team.h"
#include "strobe/bench/providers/provider.h"

// The host itself. `cpu` fuses a case into one pass, `cpu-unfused` makes a pass over memory for
// every operator, as eager frameworks do. Vectors and threads are the same, so the difference is
// the fusion.
namespace strobe::bench {

class CpuProvider final : public Provider {
 public:
  // `kernels`: null for the best of this machine. `threads`: 0 for every processor.
  explicit CpuProvider(bool is_fused, const KernelSet* kernels = nullptr, std::int64_t threads = 0);

  ProviderInfo probe() override;
  Result<Plan> plan(const Cell& cell) override;
  Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) override;
  std::optional<double> free_bytes() override;
  Result<Floors> measure_floors() override;
  Result<Roofs> measure_roofs() override;
  std::vector<TimeMode> modes() const override { return {TimeMode::kCpu}; }
  std::map<std::string, double> device_facts() override;

 private:
  bool is_fused_;
  const KernelSet& kernels_;
  ThreadTeam team_;
  std::int64_t cache_bytes_;
};

}  // namespace strobe::bench
