#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/cudnn_api.h"
#include "strobe/bench/providers/cuda/dnn_graph.h"

// cuDNN takes everything as descriptors: they are created, given attributes and finalized.
namespace strobe::bench {

// Destroyed automatically; the table of calls must outlive it.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  OwnedDescriptor(const CudnnApi& api, DnnDescriptor descriptor)
      : api_(&api), descriptor_(descriptor) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept;
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept;
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  ~OwnedDescriptor();

  DnnDescriptor get() const { return descriptor_; }

 private:
  const CudnnApi* api_ = nullptr;
  DnnDescriptor descriptor_ = nullptr;
};

// A descriptor under construction; it keeps the first failure.
class DescriptorMaker {
 public:
  DescriptorMaker(const CudnnApi& api, int type, std::string_view doing);

  DescriptorMaker& set(int attribute, int type, std::int64_t count, const void* values);
  DescriptorMaker& number(int attribute, std::int64_t value) {
    return set(attribute, dnn::kTypeInt64, 1, &value);
  }
  DescriptorMaker& numbers(int attribute, const std::vector<std::int64_t>& values) {
    return set(attribute, dnn::kTypeInt64, static_cast<std::int64_t>(values.size()), values.data());
  }
  DescriptorMaker& choice(int attribute, int type, int value) {
    return set(attribute, type, 1, &value);
  }
  DescriptorMaker& real(int attribute, float value) {
    return set(attribute, dnn::kTypeFloat, 1, &value);
  }
  DescriptorMaker& truth(int attribute, bool value) {
    return set(attribute, dnn::kTypeBoolean, 1, &value);
  }
  DescriptorMaker& part(int attribute, DnnDescriptor value) {
    return set(attribute, dnn::kTypeDescriptor, 1, &value);
  }
  Result<OwnedDescriptor> finish();

 private:
  const CudnnApi& api_;
  std::string_view doing_;
  Result<void> result_;
  OwnedDescriptor descriptor_;
};

// The target of plans: the GPU of a handle, or one that is only described (cuDNN 9.8 and newer);
// plans for a described one can be made on any machine, but not run.
struct DnnTarget {
  DnnHandle handle = nullptr;
  std::string device_json;  // used without a handle
};

// The graph as cuDNN descriptors; it and everything it refers to are added to `parts`.
Result<DnnDescriptor> describe_graph(const CudnnApi& api, const DnnTarget& target,
                                     const DnnGraph& graph, std::vector<OwnedDescriptor>& parts);

struct DnnPlan {
  OwnedDescriptor plan;
  std::int64_t workspace_bytes = 0;
  std::int64_t engine = -1;
};

// The ways in which cuDNN can run a graph, and a call of one of them.
class DnnPlans {
 public:
  // At most `most` plans, the library's favourite first. None of them needs a larger workspace,
  // computes in less than f32, or gives different bits in each call. kUnsupported: there is none.
  static Result<DnnPlans> find(const CudnnApi& api, const DnnTarget& target, DnnGraph graph,
                               std::size_t most, std::int64_t most_workspace_bytes);

  const DnnGraph& graph() const { return *graph_; }
  const std::vector<DnnPlan>& plans() const { return plans_; }
  // Engines proposed before enough plans were found that compute in less than f32 or give different
  // bits in each call.
  std::size_t unfair() const { return unfair_; }

  // The arguments of one call: `address_of` a tensor of the graph by its name.
  using AddressOf = std::function<CuPointer(std::string_view name)>;
  Result<OwnedDescriptor> pack(const AddressOf& address_of, CuPointer workspace) const;
  Result<void> enqueue(DnnHandle handle, std::size_t plan, const OwnedDescriptor& pack) const;

 private:
  const CudnnApi* api_ = nullptr;
  std::unique_ptr<DnnGraph> graph_;  // numbers are passed by address
  std::vector<OwnedDescriptor> parts_;
  std::vector<DnnPlan> plans_;
  std::size_t unfair_ = 0;
};

}  // namespace strobe::bench
