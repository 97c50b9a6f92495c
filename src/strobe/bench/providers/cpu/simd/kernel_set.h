#pragma once

#include "strobe/bench/providers/cpu/simd/dropout.h"
#include "strobe/bench/providers/cpu/simd/products.h"
#include "strobe/bench/providers/cpu/simd/row_kernels.h"
#include "strobe/bench/providers/cpu/simd/transposed.h"

namespace strobe::bench::STROBE_SIMD {

// Made by the compiler: nothing of this instruction set runs before the machine was asked.
constexpr KernelSet make_set(const char* name) {
  KernelSet set;
  set.name = name;
  set.lanes = kLanes;
  RowKernels<F32>::enter(set.rows[0]);
  RowKernels<F16>::enter(set.rows[1]);
  RowKernels<Bf16>::enter(set.rows[2]);
  set.add_transposed[0] = add_transposed<F32>;
  set.add_transposed[1] = add_transposed<F16>;
  set.add_transposed[2] = add_transposed<Bf16>;
  set.add_dropped_transposed[0] = add_transposed<F32, true>;
  set.add_dropped_transposed[1] = add_transposed<F16, true>;
  set.add_dropped_transposed[2] = add_transposed<Bf16, true>;
  set.products = &kProducts;
  enter_dropout<F32>(set.rows[0]);
  enter_dropout<F16>(set.rows[1]);
  enter_dropout<Bf16>(set.rows[2]);
  return set;
}

}  // namespace strobe::bench::STROBE_SIMD
