#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

// Longer inputs only cost a fuzzer time.
inline constexpr std::size_t kMostBytes = 1 << 16;

// Like STROBE_CHECK, but with an abort: the fuzzer keeps the input that led here.
#define FUZZ_CHECK(condition, why_it_must_hold)                             \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::fprintf(stderr, "fuzz: %s: %s\n", #condition, why_it_must_hold); \
      std::abort();                                                         \
    }                                                                       \
  } while (false)
