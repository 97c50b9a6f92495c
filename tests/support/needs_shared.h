#pragma once

#include <filesystem>

#include <gtest/gtest.h>

// ../shared does not exist on every machine; if it does, a file that is missing there is a failure.
#define STROBE_NEEDS_SHARED()                                   \
  if (!std::filesystem::exists(STROBE_SOURCE_DIR "/../shared")) \
  GTEST_SKIP() << "there is no ../shared beside this checkout"
