#pragma once

#include <cstdio>
#include <cstdlib>

// For mistakes of our own only: what a file or a user gets wrong is a Result or a line of the
// ImportReport. Exit code 70 is the one that says "a bug in strobe".
#define STROBE_CHECK(condition, why_it_must_hold)                                         \
  do {                                                                                    \
    if (!(condition)) [[unlikely]] {                                                      \
      std::fprintf(stderr, "strobe: bug: %s: %s (%s:%d)\n", #condition, why_it_must_hold, \
                   __FILE__, __LINE__);                                                   \
      std::fflush(stderr);                                                                \
      std::_Exit(70);                                                                     \
    }                                                                                     \
  } while (false)
