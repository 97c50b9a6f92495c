#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// The vendors' libraries, opened at run time: none of them is needed to build or to start. Which of
// several is taken, and what is said where there is none, is decided here for all of strobe.
namespace strobe::device {

enum class Library { kCudaDriver, kNvml, kCupti, kNvrtc, kCublasLt, kCudnn };

constexpr int kAnyCuda = 99;

// Where one may lie, best first: what the loader finds, toolkits, Python's wheels. A library newer
// than the driver may ask too much of it, so those beyond the `newest_cuda` come last.
std::vector<std::string> library_places(Library library, int newest_cuda = kAnyCuda);

// It stays open for the life of the process: what it handed out points into it.
class OpenLibrary {
 public:
  // kNotFound if the loader cannot open it.
  static Result<OpenLibrary> at(const std::string& place);

  // Null where it is absent.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

  template <class Function>
  void want(Function*& call, const char* name) const {
    call = function<Function>(name);
  }
  template <class Function>
  void need(Function*& call, const char* name) {
    want(call, name);
    if (call == nullptr && missing_.empty()) missing_ = name;
  }

  // "is no <kind> (it has no <the first call that was needed and is absent>)".
  Result<void> check_complete(std::string_view kind) const;
  Error refusal(std::string_view kind, std::string_view because) const;

  std::string path() const;  // of the file, however it was found

 private:
  OpenLibrary(void* handle, std::string place) : handle_(handle), place_(std::move(place)) {}

  void* handle_;
  std::string place_;
  std::string missing_;
};

// kMachineLacks: what was looked for, why `refused` would not do, and how to get or to name one.
Error no_library(Library library, const std::optional<Error>& refused);

// What `open_at(place)` makes of the first place that it likes; a Result.
template <class OpenAt>
auto open_library(Library library, int newest_cuda, const OpenAt& open_at)
    -> decltype(open_at(std::string())) {
  std::optional<Error> refused;
  for (const std::string& place : library_places(library, newest_cuda)) {
    auto opened = open_at(place);
    if (opened) return opened;
    if (opened.error().code != ErrorCode::kNotFound && !refused) refused = opened.error();
  }
  return no_library(library, refused);
}

}  // namespace strobe::device
