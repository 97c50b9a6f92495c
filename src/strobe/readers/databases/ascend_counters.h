#pragma once

#include "strobe/readers/databases/ascend_tables.h"

namespace strobe::readers {

// What was sampled of the devices and their memory: clock, bandwidths, hit rates, bytes in use.
Result<void> add_npu_counters(NpuTables& tables, NpuTexts& texts, TraceSink& sink);

}  // namespace strobe::readers
