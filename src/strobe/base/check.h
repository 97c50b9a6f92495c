#pragma once

#include <cstdio>
#include <cstdlib>

// For bugs in strobe only: errors in a file or in user input are a Result or a line of the
// ImportReport. Exit code 70 means "a bug in strobe".
#define STROBE_CHECK(condition, why_it_must_hold)                                         \
  do {                                                                                    \
    if (!(condition)) [[unlikely]] {                                                      \
      std::fprintf(stderr, "strobe: bug: %s: %s (%s:%d)\n", #condition, why_it_must_hold, \
                   __FILE__, __LINE__);                                                   \
      std::fflush(stderr);                                                                \
      std::_Exit(70);                                                                     \
    }                                                                                     \
  } while (false)
