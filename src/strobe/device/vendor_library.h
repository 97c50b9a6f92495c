#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"

// The vendors' libraries, opened at run time: none of them is needed to build or to start. This
// file knows where they are installed, which of several is used, and what is reported if there is
// none.
namespace strobe::device {

enum class Library { kCudaDriver, kNvml, kCupti, kNvrtc, kCublasLt, kCudnn };

constexpr int kAnyCuda = 99;

// Possible places of a library, best first: what the loader finds, toolkits, Python wheels. A
// library newer than the driver may not work with it, so those beyond `newest_cuda` come last.
std::vector<std::string> library_places(Library library, int newest_cuda = kAnyCuda);
// Those that a Python installed below `prefix` has, best first.
std::vector<std::string> library_places_of_python(Library library, const std::string& prefix);

// Stays open for the life of the process, because returned pointers refer to it.
class OpenLibrary {
 public:
  // kNotFound if the loader cannot open it.
  static Result<OpenLibrary> at(const std::string& place);

  // Null if it is absent.
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

  // "is not <kind> (it has no <the first call that was needed and is absent>)".
  Result<void> check_complete(std::string_view kind) const;
  Error refusal(std::string_view kind, std::string_view because) const;

  std::string path() const;  // of the file, wherever it was found

 private:
  OpenLibrary(void* handle, std::string place) : handle_(handle), place_(std::move(place)) {}

  void* handle_;
  std::string place_;
  std::string missing_;
};

// kMachineLacks: what was searched, why `refused` is unusable, and how to install or name one.
Error no_library(Library library, const std::optional<Error>& refused);

// The first success of `open_at(place)`, which returns a Result.
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
