#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::device {

// The purpose of a kernel, from its name.
enum class KernelFamily : std::uint8_t {
  kGemm,
  kConv,
  kAttention,
  kSoftmax,
  kNorm,
  kConcat,
  kGather,  // and scatter
  kReduce,
  kCollective,
  kCopy,  // and memset, transposes, changes of layout
  kRng,
  kElementwise,
  kOther,
  kCount_,
};

std::string_view word_of(KernelFamily family);  // "gemm"

// The first rule that matches wins; the rules are a table in kernel_family.cc. `full` is the
// longest known name. The short name counts more than its template arguments, and those more than
// its namespaces.
KernelFamily kernel_family(std::string_view full);

}  // namespace strobe::device
