// The entry point for NVTX: each copy of it in a process loads the library that
// NVTX_INJECTION64_PATH names, and calls this at its first range. With 0 it unloads the library,
// which must not happen once a run is recorded.

#include "strobe/record/inject/activity/nvtx_callbacks.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    strobe::record::NvtxExportTables tables) {
  strobe::record::NvtxRanges* ranges = strobe::record::ranges_of_this_process();
  if (ranges == nullptr) return 0;
  if (ranges->is_open()) strobe::record::attach_nvtx(*ranges, tables);
  return 1;
}
