#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/result.h"

// What `strobe record --torch` adds to the Python of the recorded program: torch marks its
// operators with ranges.
namespace strobe::record {

std::string_view torch_hook_source();

// A folder that Python must search first; removed by the destructor.
class TorchHookFolder {
 public:
  static Result<TorchHookFolder> make();
  TorchHookFolder(TorchHookFolder&& other) noexcept;
  TorchHookFolder& operator=(TorchHookFolder&&) = delete;
  ~TorchHookFolder();

  const std::filesystem::path& path() const { return path_; }
  // The PYTHONPATH of the program, whose own value may be "".
  std::string python_path(std::string_view its_own) const;

 private:
  explicit TorchHookFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace strobe::record
