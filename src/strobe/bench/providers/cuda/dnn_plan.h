#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/cudnn_api.h"
#include "strobe/bench/providers/cuda/dnn_descriptor.h"
#include "strobe/bench/providers/cuda/dnn_graph.h"
#include "strobe/bench/providers/cuda/dnn_graph_description.h"

// Ways in which cuDNN runs a graph, and a call of one of them.
namespace strobe::bench {

struct DnnPlan {
  OwnedDescriptor plan;
  std::int64_t workspace_bytes = 0;
  std::int64_t engine = -1;
};

class DnnPlans {
 public:
  // At most so many plans, the library's favourite first, none of which needs a larger workspace,
  // computes in less than f32, or gives other bits in another call. kNotFound: there is none.
  static Result<DnnPlans> find(const CudnnApi& api, const DnnTarget& target, DnnGraph graph,
                               std::size_t most, std::int64_t most_workspace_bytes);

  const DnnGraph& graph() const { return *graph_; }
  const std::vector<DnnPlan>& plans() const { return plans_; }
  // Engines that were proposed before enough plans were found, and that compute in less than f32 or
  // give other bits in another call.
  std::size_t unfair() const { return unfair_; }

  // What one call is given: `address_of` a tensor of the graph by its name.
  using AddressOf = std::function<CuPointer(std::string_view name)>;
  Result<OwnedDescriptor> pack(const AddressOf& address_of, CuPointer workspace) const;
  Result<void> enqueue(DnnHandle handle, std::size_t plan, const OwnedDescriptor& pack) const;

 private:
  const CudnnApi* api_ = nullptr;
  std::unique_ptr<DnnGraph> graph_;  // numbers are handed over by their place
  std::vector<OwnedDescriptor> parts_;
  std::vector<DnnPlan> plans_;
  std::size_t unfair_ = 0;
};

}  // namespace strobe::bench
