#pragma once

#include <vector>

#include "strobe/readers/databases/ascend_device.h"

namespace strobe::readers {

// Puts what the host did into the trace: runtime calls, and what the framework and the program
// marked. `ends` are the device work, by connection: arrows lead there from the calls and from the
// operators, and from what queued an operator to the thread that launches it.
Result<void> add_npu_host(NpuTables& tables, NpuTexts& texts, const std::vector<NpuLaunchEnd>& ends,
                          TraceSink& sink);

}  // namespace strobe::readers
