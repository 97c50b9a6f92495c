#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/provider.h"

// The inputs of every case: their order is their number in input_value(), so it is part of the
// contract between all providers and the reference.
//
//   over rows     as in fused(info).inputs
//   matmul        0 A [M,K], 1 B [K,N], 2 D [M,N]; matmul_matmul: 2 W [N,K]
//   convolution   0 x [N,H,W,C], 1 w [K,R,R,C], then conv_add: 2 D [N,P,Q,K];
//                 conv_bn: 2 gamma, 3 beta, 4 mean, 5 variance, K values each
//   attention     0 q, 1 k, 2 v, each [B,S,H,D]
namespace strobe::bench {

struct InputTensor {
  std::string name;
  std::int64_t elements = 0;
  // 0.5 + U(0, 2) whatever the law: a variance must be positive and not near 0, and a kept element
  // must not look like a dropped one.
  bool is_far_from_zero = false;
};
std::vector<InputTensor> input_tensors(const CaseInfo& info, const Shape& shape);

// The law of input `number` if the cell's law is `law`: the gradient of softmax_backward is always
// N(0, 1), only its softmax is made from U(0, 2) / C.
InputLaw law_of_input(const CaseInfo& info, std::size_t number, InputLaw law);

// One input of a cell, rounded to the cell's type. `columns` of the law is C of a case over rows.
class InputSource {
 public:
  InputSource(const InputTensor& tensor, std::uint32_t number, InputLaw law,
              const PrepareRequest& request);

  float operator()(std::int64_t index) const;
  void fill(float* out, std::int64_t first, std::int64_t count) const;

 private:
  std::uint64_t seed_;
  std::uint32_t number_;
  InputLaw law_;
  bool is_far_from_zero_;
  DType dtype_;
  std::int64_t columns_;
};
std::vector<InputSource> input_sources(const CaseInfo& info, const PrepareRequest& request);

}  // namespace strobe::bench
