#pragma once

#include <cstdio>

// Like STROBE_CHECK, but a trap: the fuzzer keeps the input that led here.
#define FUZZ_CHECK(condition, why_it_must_hold)                             \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::fprintf(stderr, "fuzz: %s: %s\n", #condition, why_it_must_hold); \
      __builtin_trap();                                                     \
    }                                                                       \
  } while (false)
