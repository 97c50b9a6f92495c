#pragma once

#include <cstddef>
#include <cstdint>

#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/cpu/simd/sweep.h"

// The cases over rows and their operators, each as a few passes over a row that stays in the cache.
namespace strobe::bench::STROBE_SIMD {

// As many vectors as there are registers for.
#if defined(__aarch64__)
constexpr int kCosVectors = 12, kExpVectors = 8, kGeluVectors = 6;
#elif STROBE_SIMD_BYTES == 64
constexpr int kCosVectors = 8, kExpVectors = 8, kGeluVectors = 8;
#else
constexpr int kCosVectors = 4, kExpVectors = 4, kGeluVectors = 4;
#endif

constexpr Constant kTwiceZ(2 * 0.79788456f);

enum Reduces { kNothing = 0, kSum = 1, kLargest = 2, kSquare = 4 };

#define STROBE_FUNCTOR_FOR(most, any, name, inputs, vectors, writes, reduces, ...)           \
  struct name {                                                                              \
    using AnySize = any;                                                                     \
    static constexpr float kMost = most;                                                     \
    static constexpr int kInputs = inputs, kVectors = vectors;                               \
    static constexpr bool kWrites = writes;                                                  \
    static constexpr bool kSums = ((reduces)&kSum) != 0, kMaxes = ((reduces)&kLargest) != 0; \
    static constexpr bool kSquares = ((reduces)&kSquare) != 0;                               \
    template <int U, class Again>                                                            \
    STROBE_INLINE static void apply([[maybe_unused]] const Pack<U>* x,                       \
                                    [[maybe_unused]] const float* s, Terms<U>& t,            \
                                    [[maybe_unused]] const Again& again) {                   \
      __VA_ARGS__;                                                                           \
    }                                                                                        \
  }
#define STROBE_FUNCTOR(...) STROBE_FUNCTOR_FOR(0, void, __VA_ARGS__)

// Operators.
STROBE_FUNCTOR(Copy, 1, 8, true, kNothing, t.out = x[0]);
STROBE_FUNCTOR(CosOfAny, 1, 4, true, kNothing, t.out = cos_of_any(x[0]));
STROBE_FUNCTOR_FOR(kCosSquares, CosOfAny, Cos, 1, kCosVectors, true, kNothing,
                   const Pack<U> u = x[0] * x[0];
                   t.measure(u); cos_of_square(u, t.out));
STROBE_FUNCTOR(ExpOfAny, 1, 4, true, kNothing, t.out = exp_of_any(x[0]));
STROBE_FUNCTOR_FOR(kExpSizes, ExpOfAny, Exp, 1, kExpVectors, true, kNothing,
                   const Pack<U> minus = x[0] * -1.0f;
                   t.measure(magnitude(minus)); exp_of_minus(minus, t.out));
STROBE_FUNCTOR(Tanh, 1, 4, true, kNothing, t.out = tanh(x[0]));
STROBE_FUNCTOR(Relu, 1, 8, true, kNothing, t.out = larger(x[0], packed<U>(0)));
STROBE_FUNCTOR(Neg, 1, 8, true, kNothing, t.out = packed<U>(0) - x[0]);
STROBE_FUNCTOR(Rsqrt, 1, 4, true, kNothing, t.out = rsqrt(x[0]));
STROBE_FUNCTOR(Recip, 1, 4, true, kNothing, t.out = packed<U>(1) / x[0]);
STROBE_FUNCTOR(Add, 2, 8, true, kNothing, t.out = x[0] + x[1]);
STROBE_FUNCTOR(Sub, 2, 8, true, kNothing, t.out = x[0] - x[1]);
STROBE_FUNCTOR(Mul, 2, 8, true, kNothing, t.out = x[0] * x[1]);
STROBE_FUNCTOR(Div, 2, 8, true, kNothing, t.out = x[0] / x[1]);
STROBE_FUNCTOR(Max, 2, 8, true, kNothing, t.out = larger(x[0], x[1]));
STROBE_FUNCTOR(Min, 2, 8, true, kNothing, t.out = smaller(x[0], x[1]));
STROBE_FUNCTOR(AddScalar, 1, 8, true, kNothing, t.out = x[0] + s[0]);
STROBE_FUNCTOR(SubScalar, 1, 8, true, kNothing, t.out = x[0] + -s[0]);
STROBE_FUNCTOR(MulScalar, 1, 8, true, kNothing, t.out = x[0] * s[0]);
STROBE_FUNCTOR(DivScalar, 1, 8, true, kNothing, t.out = x[0] / packed<U>(s[0]));
STROBE_FUNCTOR(MaxScalar, 1, 8, true, kNothing, t.out = larger(x[0], packed<U>(s[0])));
STROBE_FUNCTOR(MinScalar, 1, 8, true, kNothing, t.out = smaller(x[0], packed<U>(s[0])));
STROBE_FUNCTOR(ScalarSub, 1, 8, true, kNothing, t.out = packed<U>(s[0]) - x[0]);
STROBE_FUNCTOR(ScalarDiv, 1, 8, true, kNothing, t.out = packed<U>(s[0]) / x[0]);
STROBE_FUNCTOR(Sum, 1, 8, false, kSum, t.sum = x[0]);
STROBE_FUNCTOR(Largest, 1, 8, false, kLargest, t.largest = x[0]);
STROBE_FUNCTOR(Fill, 0, 8, true, kNothing, t.out = packed<U>(s[0]));

// Parts of fused cases.
STROBE_FUNCTOR(ChainOfAny, 1, 4, true, kNothing, const Pack<U> y = cos_of_any(x[0]);
               const Pack<U> x1 = x[0] * y; t.out = x1 + larger(x1, y));
STROBE_FUNCTOR_FOR(kCosSquares, ChainOfAny, Chain, 1, kCosVectors, true, kNothing,
                   const Pack<U> u = x[0] * x[0];
                   t.measure(u); Pack<U> y; cos_of_square(u, y); Pack<U> x1;
                   STROBE_UNROLL for (int k = 0; k < U; ++k) x1.v[k] = again(k) * y.v[k];
                   t.out = x1 + larger(x1, y));
STROBE_FUNCTOR(SumAndCosOfAny, 1, 4, true, kSum, t.out = cos_of_any(x[0]); t.sum = x[0]);
STROBE_FUNCTOR_FOR(kCosSquares, SumAndCosOfAny, SumAndCos, 1, kCosVectors, true, kSum,
                   const Pack<U> u = x[0] * x[0];
                   t.measure(u); cos_of_square(u, t.out);
                   STROBE_UNROLL for (int k = 0; k < U; ++k) t.sum.v[k] = again(k));
STROBE_FUNCTOR(SumAndMax, 1, 8, false, kSum | kLargest, t.sum = x[0]; t.largest = x[0]);
STROBE_FUNCTOR(AddThree, 3, 8, true, kNothing, t.out = x[2] + (x[0] + x[1]));
STROBE_FUNCTOR(GeluOfAny, 2, 4, true, kNothing, const Pack<U> v = x[0] + x[1];
               const Pack<U> inner = (v * 0.79788456f) * ((v * 0.044715f) * v + 1.0f);
               t.out = (v * 0.5f) * (tanh(inner) + 1.0f));
// (1 + tanh z) / 2 is 1 / (1 + e^-2z), and |v| <= 8 keeps |2 z| below 50.
STROBE_FUNCTOR_FOR(64.0f, GeluOfAny, Gelu, 2, kGeluVectors, true, kNothing,
                   const Pack<U> v = x[0] + x[1];
                   Pack<U> twice_z = v * v; t.measure(twice_z);
                   STROBE_UNROLL for (int k = 0; k < U; ++k)
                       twice_z.v[k] = v.v[k] * fused(twice_z.v[k], all(2 * 0.79788456f * 0.044715f),
                                                     fresh(kTwiceZ));
                   Pack<U> e; exp_of_minus(twice_z, e); t.out = v * reciprocal(e + 1.0f));
STROBE_FUNCTOR(ExpOfAnyDifference, 1, 4, true, kSum, t.out = exp_of_any(x[0] + -s[0]);
               t.sum = t.out);
STROBE_FUNCTOR_FOR(kExpSizes, ExpOfAnyDifference, ExpOfDifference, 1, kExpVectors, true, kSum,
                   Pack<U> below;
                   STROBE_UNROLL for (int k = 0; k < U; ++k) below.v[k] = s[0] - x[0].v[k];
                   t.measure(below); exp_of_minus(below, t.out); t.sum = t.out);
// y = s[1] e of the first softmax, into the second: y is in 0..1, so its maximum needs no pass and
// its exponential cannot overflow.
STROBE_FUNCTOR(ExpOfProduct, 1, kExpVectors, true, kSum, Pack<U> below;
               STROBE_UNROLL for (int k = 0; k < U; ++k) below.v[k] = s[1] - x[0].v[k] * s[0];
               exp_of_minus(below, t.out); t.sum = t.out);
STROBE_FUNCTOR(SumOfProducts, 2, 8, false, kSum, t.sum = x[0] * x[1]);
STROBE_FUNCTOR(BackwardWhole, 2, 8, true, kNothing, t.out = x[1] * (x[0] + -s[0]));
STROBE_FUNCTOR(BackwardAndNextSum, 4, 4, true, kSum, t.out = x[1] * (x[0] + -s[0]);
               t.sum = x[2] * x[3]);
STROBE_FUNCTOR(Backward, 2, 8, true, kNothing, t.out = x[0] - x[1] * s[0]);
// Mean and variance from sums of x - s[0], where s[0] is any value of the row: without this offset,
// a large mean would cancel the digits of the squares.
STROBE_FUNCTOR(SumAndSquares, 1, 8, false, kSum | kSquare, t.sum = x[0] + -s[0];
               t.squares = t.sum * t.sum);
STROBE_FUNCTOR(Normalise, 3, 4, true, kNothing, t.out = fused((x[0] + -s[0]) * s[1], x[1], x[2]));
STROBE_FUNCTOR(SumTimes, 1, 8, false, kSum, t.sum = x[0] * s[0]);
STROBE_FUNCTOR(SumTimesTwice, 1, 8, false, kSum, t.sum = (x[0] * s[0]) * s[1]);
STROBE_FUNCTOR(TimesThrice, 1, 8, true, kNothing, t.out = ((x[0] * s[0]) * s[1]) * s[2]);

template <class T>
STROBE_INLINE float one(const T* from) {
  T padded[kLanes] = {};
  padded[0] = *from;
  return load(padded)[0];
}
template <class T>
STROBE_INLINE void put(T* to, float value) {
  T padded[kLanes];
  store(padded, all(value));
  *to = padded[0];
}

// The tensors of a task, row by row.
template <class T>
struct RowOf {
  const T* in[3];
  T* out[2];

  RowOf(const RowsTask& task, std::int64_t row) {
    for (int i = 0; i < 3; ++i) {
      in[i] = task.in[i] ? static_cast<const T*>(task.in[i]) + row * task.in_stride[i] : nullptr;
    }
    for (int i = 0; i < 2; ++i) {
      out[i] = task.out[i] ? static_cast<T*>(task.out[i]) + row * task.out_stride[i] : nullptr;
    }
  }

  Ahead<T> next(const RowsTask& task) const { return {in[0] + task.in_stride[0]}; }
};

template <class T>
struct RowKernels {
  template <class F>
  static Reduced over(const RowsTask& task, const T* const* in, T* out, const float* s) {
    return Sweep<F, T, T>::run(in, out, task.columns, s, task.is_streamed);
  }
  template <class F>
  static Reduced into_scratch(const RowsTask& task, const T* in, const float* s) {
    const T* const inputs[1] = {in};
    return Sweep<F, T, F32>::run(inputs, reinterpret_cast<F32*>(task.scratch), task.columns, s,
                                 false);
  }
  template <class F>
  static Reduced within_scratch(const RowsTask& task, const float* s) {
    const F32* const inputs[1] = {reinterpret_cast<const F32*>(task.scratch)};
    return Sweep<F, F32, F32>::run(inputs, reinterpret_cast<F32*>(task.scratch), task.columns, s,
                                   false);
  }
  // The last pass over a row; the next row is fetched meanwhile. A prefetch beyond the last row is
  // harmless.
  template <class F>
  static void last_over(const RowsTask& task, const RowOf<T>& row, const float* s) {
    Sweep<F, T, T, Ahead<T>>::run(row.in, row.out[0], task.columns, s, task.is_streamed,
                                  row.next(task));
  }
  template <class F>
  static void last_from_scratch(const RowsTask& task, const RowOf<T>& row, const float* s) {
    const F32* const inputs[1] = {reinterpret_cast<const F32*>(task.scratch)};
    Sweep<F, F32, T, Ahead<T>>::run(inputs, row.out[0], task.columns, s, task.is_streamed,
                                    row.next(task));
  }

  template <class F>
  static void map(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      over<F>(task, row.in, row.out[0], &task.constant);
    }
  }
  // The second input has one value a row.
  template <class F>
  static void map_with_row(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      const float value = one(row.in[1]);
      over<F>(task, row.in, row.out[0], &value);
    }
  }
  template <class F>
  static void reduce(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      const Reduced found = over<F>(task, row.in, nullptr, nullptr);
      if (row.out[0]) put(row.out[0], F::kSums ? static_cast<float>(found.sum) : found.largest);
      if (row.out[1]) put(row.out[1], found.largest);
    }
  }

  static void sum_and_cos(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      put(row.out[0], static_cast<float>(over<SumAndCos>(task, row.in, row.out[1], nullptr).sum));
    }
  }

  // Leaves e^(x - max) in the scratch row; gives 1 / sum.
  static float softmax_numerators(const RowsTask& task, const RowOf<T>& row) {
    const float most = over<Largest>(task, row.in, nullptr, nullptr).largest;
    return static_cast<float>(1 / into_scratch<ExpOfDifference>(task, row.in[0], &most).sum);
  }
  static void softmax(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      const float scale = softmax_numerators(task, row);
      last_from_scratch<MulScalar>(task, row, &scale);
    }
  }
  static void double_softmax(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      const float scale = softmax_numerators(task, row);
      // The largest numerator is e^0 = 1, so the largest value of the first softmax is the scale.
      const float s[2] = {scale, scale};
      const auto second = static_cast<float>(1 / within_scratch<ExpOfProduct>(task, s).sum);
      last_from_scratch<MulScalar>(task, row, &second);
    }
  }
  // The sum of a row is computed while the previous row is written, so that reads and writes
  // overlap.
  static void softmax_backward_whole(const RowsTask& task, std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    const RowOf<T> top(task, first);
    auto sum = static_cast<float>(over<SumOfProducts>(task, top.in, nullptr, nullptr).sum);
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      if (r + 1 == last) {
        over<BackwardWhole>(task, row.in, row.out[0], &sum);
        return;
      }
      const RowOf<T> next(task, r + 1);
      const T* const in[4] = {row.in[0], row.in[1], next.in[0], next.in[1]};
      sum = static_cast<float>(over<BackwardAndNextSum>(task, in, row.out[0], &sum).sum);
    }
  }
  static void softmax_backward(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      const auto sum = static_cast<float>(over<Sum>(task, row.in, nullptr, nullptr).sum);
      last_over<Backward>(task, row, &sum);
    }
  }
  // Mean and 1 / deviation.
  static void statistics(const RowsTask& task, const RowOf<T>& row, float* s) {
    const auto count = static_cast<double>(task.columns);
    const float middle = one(row.in[0]);
    const Reduced sums = over<SumAndSquares>(task, row.in, nullptr, &middle);
    const double less = sums.sum / count;
    const double variance = sums.squares / count - less * less;
    s[0] = static_cast<float>(static_cast<double>(middle) + less);
    s[1] = static_cast<float>(1 / __builtin_sqrt((variance > 0 ? variance : 0) + 1e-5));
  }
  // Some rows at a time, piece by piece: gamma and beta of a piece stay in the first cache.
  static void layernorm(const RowsTask& task, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kMostRows = 8, kElements = 1 << 15;
    const std::int64_t fitting = kElements / (task.columns + 1) + 1;
    const std::int64_t most = fitting < kMostRows ? fitting : kMostRows;
    for (std::int64_t top = first; top < last; top += most) {
      const std::int64_t rows = last - top < most ? last - top : most;
      float s[kMostRows][2];
      for (std::int64_t r = 0; r < rows; ++r) statistics(task, RowOf<T>(task, top + r), s[r]);
      for (std::int64_t at = 0; at < task.columns; at += kPiece) {
        const std::int64_t count = task.columns - at < kPiece ? task.columns - at : kPiece;
        for (std::int64_t r = 0; r < rows; ++r) {
          const RowOf<T> row(task, top + r);
          const T* const in[3] = {row.in[0] + at, row.in[1] + at, row.in[2] + at};
          Sweep<Normalise, T, T, Ahead<T>>::run(in, row.out[0] + at, count, s[r], task.is_streamed,
                                                {in[0] + rows * task.in_stride[0]});
        }
      }
    }
  }
  static void norm_chain(const RowsTask& task, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const RowOf<T> row(task, r);
      float s[3];
      s[0] = static_cast<float>(over<Sum>(task, row.in, nullptr, nullptr).sum);
      s[1] = static_cast<float>(over<SumTimes>(task, row.in, nullptr, s).sum);
      s[2] = static_cast<float>(over<SumTimesTwice>(task, row.in, nullptr, s).sum);
      last_over<TimesThrice>(task, row, s);
    }
  }

  static constexpr void enter(RowsKernel* table) {
    using Id = RowsKernelId;
    const auto at = [table](Id id) -> RowsKernel& { return table[static_cast<std::size_t>(id)]; };
    at(Id::kPointwiseChain) = map<Chain>;
    at(Id::kSoftmax) = softmax;
    at(Id::kDoubleSoftmax) = double_softmax;
    at(Id::kSoftmaxBackwardWhole) = softmax_backward_whole;
    at(Id::kSoftmaxBackward) = softmax_backward;
    at(Id::kLayernorm) = layernorm;
    at(Id::kNormChain) = norm_chain;
    at(Id::kSumAndCos) = sum_and_cos;
    at(Id::kSumAndMax) = reduce<SumAndMax>;
    at(Id::kAddThree) = map<AddThree>;
    at(Id::kBiasGelu) = map<Gelu>;
    at(Id::kCopy) = map<Copy>;
    at(Id::kCos) = map<Cos>;
    at(Id::kExp) = map<Exp>;
    at(Id::kTanh) = map<Tanh>;
    at(Id::kRelu) = map<Relu>;
    at(Id::kNeg) = map<Neg>;
    at(Id::kRsqrt) = map<Rsqrt>;
    at(Id::kRecip) = map<Recip>;
    at(Id::kAdd) = map<Add>;
    at(Id::kSub) = map<Sub>;
    at(Id::kMul) = map<Mul>;
    at(Id::kDiv) = map<Div>;
    at(Id::kMax) = map<Max>;
    at(Id::kMin) = map<Min>;
    at(Id::kAddRow) = map_with_row<AddScalar>;
    at(Id::kSubRow) = map_with_row<SubScalar>;
    at(Id::kMulRow) = map_with_row<MulScalar>;
    at(Id::kDivRow) = map_with_row<DivScalar>;
    at(Id::kMaxRow) = map_with_row<MaxScalar>;
    at(Id::kMinRow) = map_with_row<MinScalar>;
    at(Id::kRowSub) = map_with_row<ScalarSub>;
    at(Id::kRowDiv) = map_with_row<ScalarDiv>;
    at(Id::kAddConstant) = map<AddScalar>;
    at(Id::kMulConstant) = map<MulScalar>;
    at(Id::kSum) = reduce<Sum>;
    at(Id::kLargest) = reduce<Largest>;
    at(Id::kRead) = reduce<Sum>;
    at(Id::kWrite) = map<Fill>;
  }
};

}  // namespace strobe::bench::STROBE_SIMD
