#pragma once

#include "strobe/bench/providers/codegen/kernel_program.h"

// Chips that kernels are generated for in tests.
namespace strobe::bench {

inline ChipFacts h200() {
  return {.compute_capability = 90,
          .sm_count = 132,
          .shared_per_block = 227 * 1024,
          .shared_per_sm = 228 * 1024,
          .threads_per_sm = 2048,
          .registers_per_sm = 65536,
          .l2_bytes = 60 << 20};
}
inline ChipFacts a100() {
  return {.compute_capability = 80,
          .sm_count = 108,
          .shared_per_block = 163 * 1024,
          .shared_per_sm = 164 * 1024,
          .threads_per_sm = 2048,
          .registers_per_sm = 65536,
          .l2_bytes = 40 << 20};
}
inline ChipFacts rtx3090() {
  return {.compute_capability = 86,
          .sm_count = 82,
          .shared_per_block = 99 * 1024,
          .shared_per_sm = 100 * 1024,
          .threads_per_sm = 1536,
          .registers_per_sm = 65536,
          .l2_bytes = 6 << 20};
}

}  // namespace strobe::bench
