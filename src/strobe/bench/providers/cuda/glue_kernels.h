#pragma once

#include <cstdint>
#include <string>

#include "strobe/bench/providers/codegen/kernel_program.h"

// Kernels that run between calls of a library if nothing is fused, and those that prepare its
// inputs. Tensors are given by name; all have one type and are computed in f32.
namespace strobe::bench::kernels {

GeneratedKernel add(DType dtype, std::string a, std::string b, std::string out,
                    std::int64_t elements);
GeneratedKernel relu(DType dtype, std::string x, std::string out, std::int64_t elements);
GeneratedKernel scale(DType dtype, std::string x, std::string out, float factor,
                      std::int64_t elements);
// out = x + mask; the mask repeats every `period` elements.
GeneratedKernel add_mask(DType dtype, std::string x, std::string mask, std::string out,
                         std::int64_t elements, std::int64_t period);
GeneratedKernel softmax(DType dtype, std::string x, std::string out, std::int64_t rows,
                        std::int64_t columns);
// [B,S,H,D] to [B,H,S,D].
GeneratedKernel heads_first(DType dtype, std::string x, std::string out, const Shape& shape);
// gamma (x - mean) / sqrt(variance + 1e-5) + beta, one of each per channel, channels last.
GeneratedKernel batch_norm(DType dtype, std::string x, std::string out, std::int64_t elements,
                           std::int64_t channels);

// -10000 above the diagonal, 0 elsewhere.
GeneratedKernel causal_mask(DType dtype, std::string out, std::int64_t length);
GeneratedKernel zeros(DType dtype, std::string out, std::int64_t elements);
// Folds the norm into the filters w [channels, inner] and a bias: w', b' of spec and papers.
GeneratedKernel folded_filters(DType dtype, std::string w, std::string out, std::int64_t channels,
                               std::int64_t inner);
GeneratedKernel folded_bias(DType dtype, std::string out, std::int64_t channels);

}  // namespace strobe::bench::kernels
