#pragma once

#include <gtest/gtest.h>

#include "strobe/query/query.h"

// `tools/setup --with-query` installs it.
#define STROBE_NEEDS_DUCKDB() \
  if (!::strobe::query::engine_facts()) GTEST_SKIP() << "DuckDB is not on this machine"
