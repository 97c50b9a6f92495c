#pragma once

#include <cstddef>
#include <cstdint>

#include "strobe/bench/providers/cpu/simd/functions.h"

// One pass over a row: up to four inputs, one output value per element, and optionally a sum and a
// maximum. A functor defines the computation:
//
//   struct Product {
//     static constexpr int kInputs = 2, kVectors = 4;
//     static constexpr bool kWrites = true, kSums = false, kSquares = false, kMaxes = false;
//     static constexpr float kMost = 0;
//     template <int U, class Again>
//     static void apply(const Pack<U>* x, const float* s, Terms<U>& t, const Again& again) {
//       t.out = x[0] * x[1];
//     }
//   };
//
// again(k) reads vector k of x[0] once more. A functor for small arguments only calls
// t.measure(size); it defines the largest such size as kMost and a general functor as AnySize,
// which recomputes pieces of the row with larger sizes. It must not write where it reads.
namespace strobe::bench::STROBE_SIMD {

constexpr int kSizeVectors = 4, kMostInputs = 4;

template <int U>
struct Terms {
  Pack<U> out, sum, squares, largest;
  Pack<kSizeVectors> size;

  STROBE_INLINE void measure(const Pack<U>& sizes) {
    STROBE_UNROLL
    for (int k = 0; k < U; ++k)
      size.v[k % kSizeVectors] = larger(size.v[k % kSizeVectors], sizes.v[k]);
  }
};

struct Reduced {
  double sum = 0;
  double squares = 0;  // a second sum
  float largest = -__builtin_inff();
};

// Sums are f32 within a piece and f64 beyond, so that their error does not grow with the row.
// kPiece is a multiple of every pack.
constexpr std::int64_t kPiece = 1920;

// Prefetches the next row's inputs into the second cache while this row is written; otherwise
// memory would be idle while a row is processed in the caches.
template <class T>
struct Ahead {
  static constexpr bool kIsKnown = true;
  const T* in;

  STROBE_INLINE void fetch(std::int64_t at, std::int64_t count) const {
    const char* const begin = reinterpret_cast<const char*>(in + at);
    const char* const end = reinterpret_cast<const char*>(in + at + count);
    for (const char* line = begin; line < end; line += 64) __builtin_prefetch(line, 0, 2);
  }
};
struct NothingAhead {
  static constexpr bool kIsKnown = false;
  STROBE_INLINE void fetch(std::int64_t, std::int64_t) const {}
};

// A pass with non-temporal results reads all of its inputs from memory: with this early prefetch
// they arrive 15 % faster (16 cores with AVX-512).
template <class T>
STROBE_INLINE void fetch_early(const T* in, std::int64_t count) {
  constexpr std::int64_t kBytesAhead = 2048;
  const char* const begin = reinterpret_cast<const char*>(in) + kBytesAhead;
  const char* const end = reinterpret_cast<const char*>(in + count) + kBytesAhead;
  for (const char* line = begin; line < end; line += 64) __builtin_prefetch(line, 0, 3);
}

template <class F, class In, class Out, class Next = NothingAhead>
class Sweep {
 public:
  // s: the scalars that the functor takes.
  static Reduced run(const In* const* in, Out* out, std::int64_t count, const float* s,
                     bool is_streamed, const Next& next = {}) {
    Sweep sweep(in, out, s, next);
    Reduced reduced;
    std::int64_t at = 0;
    if (F::kWrites && kStreams && is_streamed) {
      // The first elements go one vector at a time, up to where non-temporal stores may start.
      const auto beyond = reinterpret_cast<std::uintptr_t>(out) % STROBE_SIMD_BYTES;
      const auto head =
          static_cast<std::int64_t>((STROBE_SIMD_BYTES - beyond) % STROBE_SIMD_BYTES / sizeof(Out));
      at = head < count ? head : count;
      if (at > 0) sweep.template piece<false>(0, at, reduced);
      for (std::int64_t end; at < count; at = end) {
        end = at + kPiece < count ? at + kPiece : count;
        sweep.template piece<true>(at, end, reduced);
      }
      finish_streams();
      return reduced;
    }
    for (std::int64_t end; at < count; at = end) {
      end = at + kPiece < count ? at + kPiece : count;
      sweep.template piece<false>(at, end, reduced);
    }
    return reduced;
  }

 private:
  static constexpr int kU = F::kVectors;
#if defined(__x86_64__)
  static constexpr bool kStreams = sizeof(Out) == 4;
#else
  static constexpr bool kStreams = false;
#endif

  template <class OtherF, class OtherIn, class OtherOut, class OtherNext>
  friend class Sweep;

  Sweep(const In* const* in, Out* out, const float* s, const Next& next)
      : in_{}, out_(out), s_(s), next_(next) {
    for (int i = 0; i < F::kInputs; ++i) in_[i] = in[i];
  }

  template <int U>
  struct Accumulators {
    static constexpr int kCount = U <= 8 ? U : 4;  // many vectors leave few registers
    Pack<kCount> sum = packed<kCount>(0);
    Pack<kCount> squares = packed<kCount>(0);
    Pack<kCount> largest = packed<kCount>(-__builtin_inff());
    Pack<kSizeVectors> size = packed<kSizeVectors>(0);
  };

  template <bool kStreamed, int U>
  STROBE_INLINE void step(std::int64_t at, Accumulators<U>& acc) const {
    if constexpr (U > 1) next_.fetch(at, U * kLanes);
    if constexpr (U > 1 && kStreamed && !Next::kIsKnown) {
      for (int i = 0; i < F::kInputs; ++i) fetch_early(in_[i] + at, U * kLanes);
    }
    Pack<U> x[kMostInputs];
    for (int i = 0; i < F::kInputs; ++i) x[i] = load_pack<U>(in_[i] + at);
    Terms<U> terms;
    terms.size = acc.size;
    F::template apply<U>(
        x, s_, terms, [&](int k) __attribute__((always_inline)) {
          return load_again(in_[0] + at + k * kLanes);
        });
    acc.size = terms.size;
    if constexpr (F::kWrites) {
      STROBE_UNROLL
      for (int k = 0; k < U; ++k) {
        if constexpr (kStreamed) {
          stream(out_ + at + k * kLanes, terms.out.v[k]);
        } else {
          store(out_ + at + k * kLanes, terms.out.v[k]);
        }
      }
    }
    constexpr int kCount = Accumulators<U>::kCount;
    STROBE_UNROLL
    for (int k = 0; k < U; ++k) {
      Lanes& sum = acc.sum.v[k % kCount];
      Lanes& most = acc.largest.v[k % kCount];
      if constexpr (F::kSums) sum = sum + terms.sum.v[k];
      if constexpr (F::kSquares) acc.squares.v[k % kCount] += terms.squares.v[k];
      if constexpr (F::kMaxes) most = larger(most, terms.largest.v[k]);
    }
  }

  // Fewer elements than a vector: in a copy padded with zeros, which do not change the results.
  void last(std::int64_t at, std::int64_t count, Accumulators<1>& acc) const {
    Pack<1> x[kMostInputs];
    for (int i = 0; i < F::kInputs; ++i) {
      In padded[kLanes] = {};
      __builtin_memcpy(padded, in_[i] + at, static_cast<std::size_t>(count) * sizeof(In));
      x[i].v[0] = load(padded);
    }
    Terms<1> terms;
    terms.size = acc.size;
    F::template apply<1>(
        x, s_, terms, [&](int) __attribute__((always_inline)) { return x[0].v[0]; });
    acc.size = terms.size;
    if constexpr (F::kWrites) {
      Out padded[kLanes];
      store(padded, terms.out.v[0]);
      __builtin_memcpy(out_ + at, padded, static_cast<std::size_t>(count) * sizeof(Out));
    }
    IntLanes number;
    for (int i = 0; i < kLanes; ++i) number[i] = i;
    const IntLanes is_real = number < (IntLanes{} + static_cast<std::int32_t>(count));
    if constexpr (F::kSums) acc.sum.v[0] = acc.sum.v[0] + select(is_real, terms.sum.v[0], all(0));
    if constexpr (F::kSquares) acc.squares.v[0] += select(is_real, terms.squares.v[0], all(0));
    if constexpr (F::kMaxes) {
      acc.largest.v[0] =
          larger(acc.largest.v[0], select(is_real, terms.largest.v[0], all(-__builtin_inff())));
    }
  }

  template <bool kStreamed>
  void piece(std::int64_t at, std::int64_t end, Reduced& reduced) const {
    const Sweep here = *this;  // a copy that no store can change
    [[maybe_unused]] const std::int64_t first = at;
    Accumulators<kU> many;
    Accumulators<1> few;
    for (; at + kU * kLanes <= end; at += kU * kLanes) here.template step<kStreamed, kU>(at, many);
    for (; at + kLanes <= end; at += kLanes) here.template step<false, 1>(at, few);
    if (at < end) here.last(at, end - at, few);
    if constexpr (F::kMost > 0) {
      if (!is_within(larger(largest(many.size), largest(few.size)), F::kMost)) [[unlikely]] {
        finish_streams();
        Sweep<typename F::AnySize, In, Out>(in_, out_, s_, {})
            .template piece<false>(first, end, reduced);
        return;
      }
    }
    if constexpr (F::kSums)
      reduced.sum += static_cast<double>(sum_of(summed(many.sum) + few.sum.v[0]));
    if constexpr (F::kSquares)
      reduced.squares += static_cast<double>(sum_of(summed(many.squares) + few.squares.v[0]));
    if constexpr (F::kMaxes) {
      const float most = largest_of(larger(largest(many.largest), few.largest.v[0]));
      reduced.largest = most > reduced.largest || most != most ? most : reduced.largest;
    }
  }

  const In* in_[kMostInputs];
  Out* out_;
  const float* s_;
  Next next_;
};

}  // namespace strobe::bench::STROBE_SIMD
