#include "strobe/bench/providers/cpu/simd/dropout.h"
#include "strobe/bench/providers/cpu/simd/products.h"
#include "strobe/bench/providers/cpu/simd/row_kernels.h"
#include "strobe/bench/providers/cpu/simd/transposed.h"

// Compiled once for each instruction set and type of element, so that the compilation runs in
// parallel. cmake/vector_kernels.cmake defines STROBE_SIMD, its sizes, and STROBE_TYPE.
namespace strobe::bench::STROBE_SIMD {

template <class T>
inline constexpr DType kTypeOf = DType::kF32;
template <>
inline constexpr DType kTypeOf<F16> = DType::kF16;
template <>
inline constexpr DType kTypeOf<Bf16> = DType::kBf16;

// A compile-time table: no code of this instruction set runs before the CPU was checked.
template <class T>
constexpr TypeKernels make_kernels() {
  TypeKernels kernels;
  RowKernels<T>::enter(kernels.rows);
  enter_dropout<T>(kernels.rows);
  kernels.add_transposed = add_transposed<T>;
  kernels.add_dropped_transposed = add_transposed<T, true>;
  kernels.pack = pack_right<T>;
  kernels.multiply[static_cast<int>(DType::kF32)] = multiply<T, F32>;
  kernels.multiply[static_cast<int>(kTypeOf<T>)] = multiply<T, T>;
  if constexpr (kTypeOf<T> == DType::kF32) {
    kernels.multiply[static_cast<int>(DType::kF16)] = multiply<F32, F16>;
    kernels.multiply[static_cast<int>(DType::kBf16)] = multiply<F32, Bf16>;
  }
  kernels.mask = mask_rows<T>;
  kernels.affine = affine_rows<T>;
  return kernels;
}

extern const TypeKernels kF32Kernels, kF16Kernels, kBf16Kernels;
constinit const TypeKernels STROBE_TABLE = make_kernels<STROBE_TYPE>();

#ifdef STROBE_SET_NAME  // with the f32 kernels
extern const KernelSet kKernels;
constinit const KernelSet kKernels = {.name = STROBE_SET_NAME,
                                      .lanes = kLanes,
                                      .panel = kPanel,
                                      .tile_rows = kTileRowCount,
                                      .multiply_scratch = kScratchFloats,
                                      .softmax = softmax_in_place,
                                      .types = {&kF32Kernels, &kF16Kernels, &kBf16Kernels}};
#endif

}  // namespace strobe::bench::STROBE_SIMD
