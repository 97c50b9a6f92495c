#include "strobe/bench/providers/cuda/dnn_descriptor.h"

#include <utility>

#include <fmt/format.h>

namespace strobe::bench {

OwnedDescriptor::OwnedDescriptor(OwnedDescriptor&& other) noexcept
    : api_(other.api_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}

OwnedDescriptor& OwnedDescriptor::operator=(OwnedDescriptor&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OwnedDescriptor::~OwnedDescriptor() {
  if (descriptor_ != nullptr) api_->descriptor_destroy(descriptor_);
}

DescriptorMaker::DescriptorMaker(const CudnnApi& api, int type, std::string_view doing)
    : api_(api), doing_(doing) {
  DnnDescriptor descriptor = nullptr;
  result_ =
      api.check(api.descriptor_create(type, &descriptor), "cudnnBackendCreateDescriptor", doing);
  if (result_) descriptor_ = OwnedDescriptor(api, descriptor);
}

DescriptorMaker& DescriptorMaker::set(int attribute, int type, std::int64_t count,
                                      const void* values) {
  if (result_) {
    result_ = api_.check(api_.attribute_set(descriptor_.get(), attribute, type, count, values),
                         fmt::format("cudnnBackendSetAttribute({})", attribute), doing_);
  }
  return *this;
}

Result<OwnedDescriptor> DescriptorMaker::finish() {
  STROBE_TRY_VOID(result_);
  STROBE_TRY_VOID(
      api_.check(api_.descriptor_finalize(descriptor_.get()), "cudnnBackendFinalize", doing_));
  return std::move(descriptor_);
}

}  // namespace strobe::bench
