#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "strobe/base/result.h"

// torch, if the user's Python has it: a worker script embedded in the binary.
namespace strobe::bench {

std::string_view torch_worker_source();
// "torch-eager", "torch-inductor", "torch-sdpa-flash", ...
std::span<const std::string_view> torch_provider_names();
bool is_torch_provider(std::string_view name);

// The source as a file that Python can run, removed by the destructor.
class TorchWorkerFile {
 public:
  static Result<TorchWorkerFile> make();
  TorchWorkerFile(TorchWorkerFile&& other) noexcept;
  TorchWorkerFile& operator=(TorchWorkerFile&&) = delete;
  ~TorchWorkerFile();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TorchWorkerFile(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace strobe::bench
