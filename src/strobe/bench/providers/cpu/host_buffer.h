#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/reference/half_float.h"

// Memory for tensors: whole pages (large ones if the kernel has them), aligned for every vector.
namespace strobe::bench {

struct UnmapPages {
  std::size_t mapped = 0;
  void operator()(void* data) const;
};

class HostBuffer {
 public:
  // kOutOfMemory if there is not enough.
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

// Single values of a tensor whose type is known at run time.
inline float read_value(DType dtype, const void* tensor, std::int64_t at) {
  if (dtype == DType::kF32) return static_cast<const float*>(tensor)[at];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(tensor)[at];
  return dtype == DType::kF16 ? f16_value(bits) : bf16_value(bits);
}

inline void write_value(DType dtype, void* tensor, std::int64_t at, float value) {
  if (dtype == DType::kF32) {
    static_cast<float*>(tensor)[at] = value;
  } else {
    static_cast<std::uint16_t*>(tensor)[at] =
        dtype == DType::kF16 ? f16_bits(value) : bf16_bits(value);
  }
}

}  // namespace strobe::bench
