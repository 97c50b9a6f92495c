// The least that recording with CUPTI can cost: records are made, handed out and recycled unread. A
// program loads this library and calls bare_cupti_start("kernels"), "kernels+runtime" or
// "kernels+runtime+driver".

#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = 8 << 20;
std::mutex mutex;
std::vector<std::uint8_t*> spare;

void CUPTIAPI wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  const std::lock_guard lock(mutex);
  if (spare.empty())
    spare.push_back(static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes)));
  *buffer = spare.back();
  spare.pop_back();
  *bytes = kBufferBytes;
  *records = 0;
}

void CUPTIAPI completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
  const std::lock_guard lock(mutex);
  spare.push_back(buffer);
}

}  // namespace

// 0, or the result of the first call that failed; -1 without CUPTI.
extern "C" int bare_cupti_start(const char* kinds) {
  void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen("libcupti.so.13", RTLD_NOW);
  if (library == nullptr) return -1;
  const auto enable =
      reinterpret_cast<decltype(&cuptiActivityEnable)>(dlsym(library, "cuptiActivityEnable"));
  const auto listen = reinterpret_cast<decltype(&cuptiActivityRegisterCallbacks)>(
      dlsym(library, "cuptiActivityRegisterCallbacks"));
  std::vector<CUpti_ActivityKind> wanted_kinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                  CUPTI_ACTIVITY_KIND_MEMCPY,
                                                  CUPTI_ACTIVITY_KIND_MEMSET};
  const std::string names = kinds;
  if (names.find("runtime") != std::string::npos) {
    wanted_kinds.push_back(CUPTI_ACTIVITY_KIND_RUNTIME);
  }
  if (names.find("driver") != std::string::npos) {
    wanted_kinds.push_back(CUPTI_ACTIVITY_KIND_DRIVER);
  }
  if (names.find("graph") != std::string::npos) {
    wanted_kinds.push_back(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  }
  CUptiResult result = listen(wanted, completed);
  for (const CUpti_ActivityKind kind : wanted_kinds) {
    if (result == CUPTI_SUCCESS) result = enable(kind);
  }
  return result;
}
