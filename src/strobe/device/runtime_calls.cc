#include "strobe/device/runtime_calls.h"

#include <array>

namespace strobe::device {
namespace {

struct Word {
  std::string_view word;
  RuntimeCall call;
};

// The first word found decides. Vendors share them: cudaMalloc, hipMalloc, cnrtMalloc, aclrtMalloc,
// zeMemAllocDevice.
constexpr std::array kWords = std::to_array<Word>({
    {"Synchronize", RuntimeCall::kSynchronize},
    {"SyncDevice", RuntimeCall::kSynchronize},
    {"QueueSync", RuntimeCall::kSynchronize},
    {"ModuleLoad", RuntimeCall::kLoadCode},
    {"LibraryLoad", RuntimeCall::kLoadCode},
    {"ModuleCreate", RuntimeCall::kLoadCode},
    {"Memcpy", RuntimeCall::kCopy},
    {"MemoryCopy", RuntimeCall::kCopy},
    {"Launch", RuntimeCall::kLaunch},
    {"InvokeKernel", RuntimeCall::kLaunch},
    {"Free", RuntimeCall::kFree},
    {"Unmap", RuntimeCall::kFree},
    {"MemRelease", RuntimeCall::kFree},
    {"Malloc", RuntimeCall::kAllocate},
    {"MemAlloc", RuntimeCall::kAllocate},
    {"MemCreate", RuntimeCall::kAllocate},
    {"MemMap", RuntimeCall::kAllocate},
    {"HostAlloc", RuntimeCall::kAllocate},
});

}  // namespace

RuntimeCall runtime_call(std::string_view name) {
  for (const Word& one : kWords) {
    if (name.find(one.word) != std::string_view::npos) return one.call;
  }
  return RuntimeCall::kOther;
}

}  // namespace strobe::device
