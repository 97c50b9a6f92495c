// Runs a generated kernel on the host: every CUDA thread is a fiber, and barriers, shuffles,
// asynchronous copies and clusters behave as on the chip. Included above kernels without their chip
// instructions; never part of strobe.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "strobe/bench/reference/half_float.h"

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

struct uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

namespace host {

struct Place {
  unsigned x = 0, y = 0, z = 0;
};

struct Meeting {  // of a number of fibers
  unsigned members = 0, arrived = 0, round = 0;
};

struct Warp {
  Meeting meeting;
  float given[2][32] = {};  // for even and odd rounds, so that one barrier is enough
};

struct Cluster;
struct Block {
  Place index;
  unsigned rank = 0;
  Cluster* cluster = nullptr;
  Meeting meeting;
  std::vector<Warp> warps;
  unsigned char* shared = nullptr;
  std::unique_ptr<unsigned char[]> memory;
};
struct Cluster {
  Meeting meeting;
  std::vector<Block> blocks;
};

struct Fiber {
  ucontext_t context;  // to start it; later it jumps, which needs no system call
  jmp_buf place;
  bool is_started = false;
  Place index;
  Block* block = nullptr;
  bool is_done = false;
  std::unique_ptr<char[]> stack;
};

inline Fiber* current = nullptr;
inline jmp_buf scheduler;
inline Place grid;
inline void (*body)(void*) = nullptr;
inline void* body_data = nullptr;

inline void yield() {
  if (_setjmp(current->place) == 0) _longjmp(scheduler, 1);
}

inline void resume(Fiber& fiber) {
  current = &fiber;
  if (_setjmp(scheduler) != 0) return;
  if (fiber.is_started) _longjmp(fiber.place, 1);
  fiber.is_started = true;
  setcontext(&fiber.context);
}

inline void meet(Meeting& meeting) {
  const unsigned round = meeting.round;
  if (++meeting.arrived == meeting.members) {
    meeting.arrived = 0;
    ++meeting.round;
    return;
  }
  while (meeting.round == round) yield();
}

inline void fiber_main() {
  body(body_data);
  current->is_done = true;
  _longjmp(scheduler, 1);
}

// Returns false if all fibers wait for each other.
inline bool run_cluster(Place first_block, unsigned blocks, unsigned threads, unsigned shared) {
  constexpr std::size_t kStack = 32 << 10;
  Cluster cluster;
  cluster.blocks.resize(blocks);
  cluster.meeting.members = blocks * threads;
  std::vector<Fiber> fibers(std::size_t{blocks} * threads);
  for (unsigned b = 0; b < blocks; ++b) {
    Block& block = cluster.blocks[b];
    block.index = first_block;
    block.index.x += b;
    block.rank = b;
    block.cluster = &cluster;
    block.meeting.members = threads;
    block.warps.resize((threads + 31) / 32);
    for (std::size_t w = 0; w < block.warps.size(); ++w) {
      block.warps[w].meeting.members = std::min(32u, threads - static_cast<unsigned>(w) * 32);
    }
    block.memory = std::make_unique<unsigned char[]>(shared + 256);
    std::memset(block.memory.get(), 0xCB, shared + 256);
    const auto address = reinterpret_cast<std::uintptr_t>(block.memory.get());
    block.shared = block.memory.get() + (128 - address % 128) % 128;
    for (unsigned t = 0; t < threads; ++t) {
      Fiber& fiber = fibers[std::size_t{b} * threads + t];
      fiber.index.x = t;
      fiber.block = &block;
      fiber.stack = std::unique_ptr<char[]>(new char[kStack]);
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = kStack;
      makecontext(&fiber.context, fiber_main, 0);
    }
  }
  std::size_t left = fibers.size();
  for (long turn = 0; left > 0; ++turn) {
    if (turn > 100000) return false;
    for (Fiber& fiber : fibers) {
      if (fiber.is_done) continue;
      resume(fiber);
      if (fiber.is_done) --left;
    }
  }
  return true;
}

template <class... Arguments, std::size_t... I>
void call(void (*kernel)(Arguments...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<Arguments*>(arguments[I])...);
}

template <class... Arguments>
bool launch(void (*kernel)(Arguments...), const unsigned* blocks, unsigned threads,
            unsigned cluster, unsigned shared, void** arguments) {
  struct Call {
    void (*kernel)(Arguments...);
    void** arguments;
  } data = {kernel, arguments};
  body_data = &data;
  body = [](void* of) {
    auto* const to = static_cast<Call*>(of);
    call(to->kernel, to->arguments, std::index_sequence_for<Arguments...>());
  };
  grid = {blocks[0], blocks[1], blocks[2]};
  for (unsigned y = 0; y < grid.y; ++y) {
    for (unsigned x = 0; x < grid.x; x += cluster) {
      if (!run_cluster({x, y, 0}, cluster, threads, shared)) return false;
    }
  }
  return true;
}

}  // namespace host

#define threadIdx (host::current->index)
#define blockIdx (host::current->block->index)
#define gridDim (host::grid)

inline void __syncthreads() { host::meet(host::current->block->meeting); }

inline float __shfl_xor_sync(unsigned, float value, int lanes) {
  const unsigned thread = threadIdx.x;
  host::Warp& warp = host::current->block->warps[thread / 32];
  float(&given)[32] = warp.given[warp.meeting.round % 2];
  given[thread % 32] = value;
  host::meet(warp.meeting);
  return given[(thread % 32) ^ static_cast<unsigned>(lanes)];
}

template <class To, class From>
To bits_as(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline float __uint_as_float(unsigned bits) { return bits_as<float>(bits); }
inline float __int_as_float(int bits) { return bits_as<float>(bits); }
inline unsigned __float_as_uint(float value) { return bits_as<unsigned>(value); }
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }
using std::fabs;

// The instructions of the chip.
inline float strobe_exp(float x) { return std::exp2(x * 1.44269504f); }
inline float strobe_recip(float x) { return 1.0f / x; }
inline float strobe_fast_recip(float x) { return 1.0f / x; }
inline void strobe_unpack_f16(unsigned pair, float& low, float& high) {
  low = strobe::bench::f16_value(static_cast<std::uint16_t>(pair));
  high = strobe::bench::f16_value(static_cast<std::uint16_t>(pair >> 16));
}
inline unsigned strobe_pack_f16(float low, float high) {
  return strobe::bench::f16_bits(low) | unsigned{strobe::bench::f16_bits(high)} << 16;
}
inline unsigned strobe_pack_bf16(float low, float high) {
  return strobe::bench::bf16_bits(low) | unsigned{strobe::bench::bf16_bits(high)} << 16;
}
template <class Packet>
Packet strobe_hinted_load(const Packet* address) {
  return *address;
}
inline unsigned char* strobe_shared() { return host::current->block->shared; }

// Lower half: bytes still to come; upper half: phases that are over.
inline void strobe_barrier_init(unsigned long long* barrier) { *barrier = 0; }
inline void strobe_barrier_count(unsigned long long* barrier, unsigned more) {
  const auto pending = static_cast<unsigned>(*barrier) + more;
  const unsigned long long phases = (*barrier >> 32) + (pending == 0 ? 1 : 0);
  *barrier = phases << 32 | pending;
}
inline void strobe_barrier_expect(unsigned long long* barrier, unsigned bytes) {
  strobe_barrier_count(barrier, bytes);
}
inline void strobe_barrier_wait(unsigned long long* barrier, unsigned parity) {
  while (((*barrier >> 32) & 1) == parity) host::yield();
}
inline void strobe_fence_async() {}
inline void strobe_bulk_load(void* shared, const void* global, unsigned bytes,
                             unsigned long long* barrier) {
  std::memcpy(shared, global, bytes);
  strobe_barrier_count(barrier, -bytes);
}
template <class Packet>
void strobe_async_load(Packet* shared, const Packet* global) {
  *shared = *global;
}
inline void strobe_async_commit() {}
template <int kPending>
void strobe_async_wait() {}

inline unsigned strobe_cluster_rank() { return host::current->block->rank; }
inline void strobe_cluster_put(float* shared, unsigned rank, float value) {
  host::Block& own = *host::current->block;
  const auto offset = reinterpret_cast<unsigned char*>(shared) - own.shared;
  std::memcpy(own.cluster->blocks[rank].shared + offset, &value, sizeof value);
}
inline void strobe_cluster_arrive() {}
inline void strobe_cluster_wait() { host::meet(host::current->block->cluster->meeting); }
