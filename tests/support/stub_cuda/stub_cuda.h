#pragma once

#include <cuda.h>

// The interface between the two stubs: the driver reports each launch to the counter library.
namespace strobe::test {

struct StubLaunch {
  unsigned call;           // CUPTI's number of the call
  const void* parameters;  // as CUPTI would show them
  const char* symbol;
  CUcontext context;
  CUresult result;   // of the launch
  bool is_captured;  // into a graph: nothing runs
  bool is_window;    // not a launch: cuProfilerStart or cuProfilerStop
};

using StubHook = void (*)(const StubLaunch& launch, bool is_enter);
using StubContextHook = void (*)(CUcontext context);

}  // namespace strobe::test

extern "C" void stub_cuda_listen(strobe::test::StubHook launch,
                                 strobe::test::StubContextHook destroy);
