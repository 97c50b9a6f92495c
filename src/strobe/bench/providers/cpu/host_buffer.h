#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "strobe/base/result.h"

// Memory for tensors: whole pages, large ones where the kernel has them, aligned for every vector.
namespace strobe::bench {

struct UnmapPages {
  std::size_t mapped = 0;
  void operator()(void* data) const;
};

class HostBuffer {
 public:
  // kMachineLacks where there is no more.
  static Result<HostBuffer> make(std::int64_t bytes);

  void* data() const { return data_.get(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<void, UnmapPages> data_;
  std::int64_t bytes_ = 0;
};

}  // namespace strobe::bench
