#pragma once

#include <gtest/gtest.h>

#include "strobe/query/query.h"

// `tools/setup --with-query` installs it; it is not built with sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STROBE_NEEDS_DUCKDB() GTEST_SKIP() << "DuckDB does not run under a sanitizer"
#else
#define STROBE_NEEDS_DUCKDB() \
  if (!::strobe::query::engine_facts()) GTEST_SKIP() << "DuckDB is not on this machine"
#endif
