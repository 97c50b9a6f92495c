#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/cudnn_api.h"

// cuDNN is told everything in descriptors: made, given attributes, finished.
namespace strobe::bench {

// Given back by itself; the table of calls must outlive it.
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

// One descriptor while it is made: the first failure stays.
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

}  // namespace strobe::bench
