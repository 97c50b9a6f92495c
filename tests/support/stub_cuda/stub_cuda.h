#pragma once

#include <cuda.h>

#include <cstdint>

// The interface between the stubs: the driver reports each call to CUPTI's stub.
namespace strobe::test {

struct StubCall {
  unsigned call;           // CUPTI's number of the call
  const void* parameters;  // as CUPTI would show them
  const char* symbol = nullptr;
  CUcontext context = nullptr;
  CUresult result = CUDA_SUCCESS;
  bool is_captured = false;  // into a graph: nothing runs
  bool is_launch = true;     // not cuProfilerStart, a copy, a wait, an allocation
  bool is_runtime = false;   // of the runtime's calls; it has no work of its own
  std::uint64_t bytes = 0;   // that are copied
};

using StubHook = void (*)(const StubCall& call, bool is_enter);
using StubContextHook = void (*)(CUcontext context);

}  // namespace strobe::test

extern "C" void stub_cuda_listen(strobe::test::StubHook call,
                                 strobe::test::StubContextHook destroy);
