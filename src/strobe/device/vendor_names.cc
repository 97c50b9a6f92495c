#include "strobe/device/vendor_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "strobe/base/text.h"

namespace strobe::device {
namespace {

bool contains(std::string_view text, std::string_view lower_case_word) {
  return std::search(text.begin(), text.end(), lower_case_word.begin(), lower_case_word.end(),
                     [](char c, char wanted) { return lower(c) == wanted; }) != text.end();
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains(text, word); });
}

}  // namespace

bool is_classic_collective(std::string_view kernel_name) {
  return contains_any(kernel_name, {"nccl", "xccl"});
}

bool is_any_collective(std::string_view kernel_name) {
  return is_classic_collective(kernel_name) ||
         contains_any(kernel_name, {
                                       "rccl",                 // AMD
                                       "hccl",                 // Huawei, Habana
                                       "hcom_",                // kernels of Huawei's library
                                       "cncl",                 // Cambricon
                                       "eccl",                 // Enflame, and Intel's oneCCL
                                       "msccl",                // Microsoft
                                       "mccl",                 // Moore Threads, MetaX
                                       "bkcl",                 // Kunlun
                                       "cross_device_reduce",  // serving engines' own
                                   });
}

bool is_collective_operator(std::string_view operator_name) {
  return contains_any(operator_name, {"allreduce", "broadcast", "rpc"});
}

namespace {

struct CallWord {
  std::string_view word;
  RuntimeCall call;
};

// The first word found decides. Vendors share these words: cudaMalloc, hipMalloc, cnrtMalloc,
// aclrtMalloc, zeMemAllocDevice.
constexpr std::array kCallWords = std::to_array<CallWord>({
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
  for (const CallWord& one : kCallWords) {
    if (name.find(one.word) != std::string_view::npos) return one.call;
  }
  return RuntimeCall::kOther;
}

CopyDirection copy_direction(std::string_view copy_name) {
  struct Ends {
    std::string_view word;
    CopyDirection direction;
  };
  using enum CopyDirection;
  constexpr std::array kEnds = std::to_array<Ends>({
      {"HtoD", kHostToDevice},
      {"H2D", kHostToDevice},
      {"HostToDevice", kHostToDevice},
      {"DtoH", kDeviceToHost},
      {"D2H", kDeviceToHost},
      {"DeviceToHost", kDeviceToHost},
      {"DtoD", kBetweenDevices},
      {"D2D", kBetweenDevices},
      {"DeviceToDevice", kBetweenDevices},
      {"PtoP", kBetweenDevices},
      {"P2P", kBetweenDevices},
  });
  for (const Ends& ends : kEnds) {
    if (copy_name.find(ends.word) != std::string_view::npos) return ends.direction;
  }
  return kUnknown;
}

}  // namespace strobe::device
