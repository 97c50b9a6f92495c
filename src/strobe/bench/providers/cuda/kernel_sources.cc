#include "strobe/bench/providers/cuda/kernel_sources.h"

namespace strobe::bench::sources {

const std::string_view kHold = R"cuda(
static __device__ __forceinline__ unsigned long long strobe_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

extern "C" __global__ void strobe_hold(const volatile unsigned* flag, volatile unsigned* timed_out,
                                       unsigned long long limit_ns) {
  const unsigned long long start = strobe_now();
  while (*flag == 0) {
    if (strobe_now() - start > limit_ns) {
      *timed_out = 1;
      __threadfence_system();
      return;
    }
  }
}
)cuda";

// The global timer of some chips ticks once in a microsecond: both ends wait for a tick.
const std::string_view kClock = R"cuda(
static __device__ __forceinline__ unsigned long long strobe_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

static __device__ __forceinline__ unsigned long long strobe_tick(long long* cycles) {
  const unsigned long long before = strobe_now();
  unsigned long long now = before;
  while (now == before) now = strobe_now();
  *cycles = clock64();
  return now;
}

extern "C" __global__ void strobe_clock(volatile unsigned long long* cycles_and_ns) {
  long long first_cycles = 0;
  long long last_cycles = 0;
  const unsigned long long first = strobe_tick(&first_cycles);
  while (strobe_now() - first < 30000) {
  }
  const unsigned long long last = strobe_tick(&last_cycles);
  cycles_and_ns[0] = static_cast<unsigned long long>(last_cycles - first_cycles);
  cycles_and_ns[1] = last - first;
  __threadfence_system();
}
)cuda";

const std::string_view kFlush = R"cuda(
static __device__ __forceinline__ uint4 strobe_read(const uint4* address, unsigned long long policy) {
  uint4 value;
#if __CUDA_ARCH__ >= 800
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address), "l"(policy));
#else
  value = __ldcg(address);
#endif
  return value;
}

extern "C" __global__ void __launch_bounds__(512)
    strobe_flush(const uint4* data, unsigned long long count, unsigned* sink, int is_to_stay) {
  unsigned long long policy = 0;
#if __CUDA_ARCH__ >= 800
  if (is_to_stay) {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  } else {
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  }
#endif
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned mixed = 0;
  unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    const uint4 a = strobe_read(data + i, policy);
    const uint4 b = strobe_read(data + i + step, policy);
    const uint4 c = strobe_read(data + i + 2 * step, policy);
    const uint4 d = strobe_read(data + i + 3 * step, policy);
    mixed |= a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
    mixed |= c.x | c.y | c.z | c.w | d.x | d.y | d.z | d.w;
  }
  for (; i < count; i += step) {
    const uint4 a = strobe_read(data + i, policy);
    mixed |= a.x | a.y | a.z | a.w;
  }
  if (mixed != 0) *sink = mixed;  // the buffer is zeros: never written, never left out
}
)cuda";

const std::string_view kRelease = R"cuda(
extern "C" __global__ void __launch_bounds__(512)
    strobe_release(const uint4* data, unsigned long long count) {
#if __CUDA_ARCH__ >= 800
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long line = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; line < count / 8; line += step) {
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(data + 8 * line) : "memory");
  }
#endif
}
)cuda";

const std::string_view kEmpty = R"cuda(
extern "C" __global__ void strobe_empty() {}
)cuda";

const std::string_view kFill = R"cuda(
typedef unsigned long long strobe_u64;

static __device__ strobe_u64 strobe_bits(strobe_u64 seed, unsigned tensor, strobe_u64 index) {
  strobe_u64 z = seed * 0x9E3779B97F4A7C15ull + (static_cast<strobe_u64>(tensor) << 56) + index + 1;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static __device__ float strobe_uniform(strobe_u64 bits, float scale) {
  return static_cast<float>(static_cast<int>((bits >> 40) + 1)) * 1.1920929e-7f * scale;
}

static __device__ float strobe_value(int law, strobe_u64 bits, float scale) {
  if (law == 0) {
    const int sum = static_cast<int>((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) +
                                     ((bits >> 32) & 0xFFFF) + (bits >> 48));
    return static_cast<float>(sum - 131070) * 2.6429e-5f;
  }
  if (law == 1) return strobe_uniform(bits, scale);
  return 0.5f + strobe_uniform(bits, 1.0f);
}

static __device__ unsigned strobe_pattern(float value) {
  union {
    float value;
    unsigned bits;
  } both;
  both.value = value;
  return both.bits;
}

// Finite values below 65520 alone.
static __device__ unsigned short strobe_half(float value) {
  const unsigned bits = strobe_pattern(value);
  const unsigned sign = (bits >> 16) & 0x8000u;
  const int exponent = static_cast<int>((bits >> 23) & 0xFFu) - 127 + 15;
  unsigned fraction = bits & 0x7FFFFFu;
  if (exponent <= -11) return static_cast<unsigned short>(sign);
  int shift = 13;
  unsigned whole = static_cast<unsigned>(exponent) << 10;
  if (exponent <= 0) {  // subnormal: the leading one becomes visible
    fraction |= 0x800000u;
    shift = 14 - exponent;
    whole = 0;
  }
  const unsigned kept = fraction >> shift;
  const unsigned rest = fraction & ((1u << shift) - 1);
  const unsigned middle = 1u << (shift - 1);
  unsigned result = whole + kept;
  if (rest > middle || (rest == middle && (kept & 1u) != 0)) ++result;
  return static_cast<unsigned short>(sign | result);
}

static __device__ unsigned short strobe_bf16(float value) {
  const unsigned bits = strobe_pattern(value);
  return static_cast<unsigned short>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

extern "C" __global__ void strobe_fill(void* out, strobe_u64 count, strobe_u64 seed, unsigned tensor,
                                       int law, float scale, int type) {
  const strobe_u64 step = static_cast<strobe_u64>(gridDim.x) * blockDim.x;
  for (strobe_u64 i = static_cast<strobe_u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const float value = strobe_value(law, strobe_bits(seed, tensor, i), scale);
    if (type == 0) {
      static_cast<float*>(out)[i] = value;
    } else if (type == 1) {
      static_cast<unsigned short*>(out)[i] = strobe_half(value);
    } else {
      static_cast<unsigned short*>(out)[i] = strobe_bf16(value);
    }
  }
}
)cuda";

// One tile a block. `count` is a multiple of every tile.
const std::string_view kRoofs = R"cuda(
#define STROBE_TILE(UNROLL)                                                                     \
  const unsigned long long first =                                                              \
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x * UNROLL + threadIdx.x;          \
  if (first + static_cast<unsigned long long>(UNROLL - 1) * blockDim.x >= count) return;

#define STROBE_COPY(NAME, UNROLL, LOAD, STORE)                                                  \
  extern "C" __global__ void NAME(uint4* __restrict__ out, const uint4* __restrict__ in,        \
                                  unsigned long long count) {                                   \
    STROBE_TILE(UNROLL)                                                                         \
    uint4 values[UNROLL];                                                                       \
    _Pragma("unroll") for (int i = 0; i < UNROLL; ++i) values[i] =                              \
        LOAD(in + first + static_cast<unsigned long long>(i) * blockDim.x);                     \
    _Pragma("unroll") for (int i = 0; i < UNROLL; ++i)                                          \
        STORE(out + first + static_cast<unsigned long long>(i) * blockDim.x, values[i]);        \
  }

#define STROBE_READ(NAME, UNROLL, LOAD)                                                         \
  extern "C" __global__ void NAME(uint4* __restrict__ out, const uint4* __restrict__ in,        \
                                  unsigned long long count) {                                   \
    STROBE_TILE(UNROLL)                                                                         \
    uint4 values[UNROLL];                                                                       \
    _Pragma("unroll") for (int i = 0; i < UNROLL; ++i) values[i] =                              \
        LOAD(in + first + static_cast<unsigned long long>(i) * blockDim.x);                     \
    unsigned mixed = 0;                                                                         \
    _Pragma("unroll") for (int i = 0; i < UNROLL; ++i) mixed |=                                 \
        values[i].x & values[i].y & values[i].z & values[i].w;                                  \
    if (mixed == 0xFFFFFFFFu) out[first] = values[0]; /* never: the words are less */           \
  }

#define STROBE_WRITE(NAME, UNROLL, STORE)                                                       \
  extern "C" __global__ void NAME(uint4* __restrict__ out, const uint4* __restrict__ in,        \
                                  unsigned long long count) {                                   \
    STROBE_TILE(UNROLL)                                                                         \
    const unsigned word = static_cast<unsigned>(first);                                         \
    _Pragma("unroll") for (int i = 0; i < UNROLL; ++i)                                          \
        STORE(out + first + static_cast<unsigned long long>(i) * blockDim.x,                    \
              make_uint4(word, word, word, word));                                              \
  }

#define STROBE_PLAIN_LOAD(place) (*(place))
#define STROBE_PLAIN_STORE(place, value) (*(place) = (value))

STROBE_COPY(strobe_copy_2, 2, STROBE_PLAIN_LOAD, STROBE_PLAIN_STORE)
STROBE_COPY(strobe_copy_4, 4, STROBE_PLAIN_LOAD, STROBE_PLAIN_STORE)
STROBE_COPY(strobe_copy_8, 8, STROBE_PLAIN_LOAD, STROBE_PLAIN_STORE)
STROBE_COPY(strobe_copy_streamed_2, 2, __ldcs, __stcs)
STROBE_COPY(strobe_copy_streamed_4, 4, __ldcs, __stcs)
STROBE_COPY(strobe_copy_streamed_8, 8, __ldcs, __stcs)
STROBE_READ(strobe_read_4, 4, __ldcs)
STROBE_READ(strobe_read_8, 8, __ldcs)
STROBE_READ(strobe_read_16, 16, __ldcs)
STROBE_WRITE(strobe_write_2, 2, STROBE_PLAIN_STORE)
STROBE_WRITE(strobe_write_4, 4, STROBE_PLAIN_STORE)
STROBE_WRITE(strobe_write_streamed_4, 4, __stcs)
)cuda";

}  // namespace strobe::bench::sources
