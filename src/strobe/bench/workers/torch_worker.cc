#include "strobe/bench/workers/torch_worker.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/workers/row_file.h"

// Like the web page: the bytes of the file go directly into the read-only data of the binary.
asm(R"(
.section .rodata
.global strobe_torch_worker_begin
.global strobe_torch_worker_end
strobe_torch_worker_begin:
.incbin ")" STROBE_TORCH_FILES R"(cases.py"
.incbin ")" STROBE_TORCH_FILES R"(flush.py"
.incbin ")" STROBE_TORCH_FILES R"(profile.py"
.incbin ")" STROBE_TORCH_FILES R"(worker.py"
strobe_torch_worker_end:
.byte 0
.previous
)");

extern "C" {
extern const char strobe_torch_worker_begin[];  // NOLINT: named for the assembler
extern const char strobe_torch_worker_end[];    // NOLINT: named for the assembler
}

namespace strobe::bench {
namespace {

constexpr std::array<std::string_view, 6> kTorchProviders = {
    "torch-eager",      "torch-inductor",       "torch-sdpa-math",
    "torch-sdpa-flash", "torch-sdpa-efficient", "torch-sdpa-cudnn"};

}  // namespace

std::string_view torch_worker_source() {
  return {strobe_torch_worker_begin,
          static_cast<std::size_t>(strobe_torch_worker_end - strobe_torch_worker_begin)};
}

std::span<const std::string_view> torch_provider_names() { return kTorchProviders; }

bool is_torch_provider(std::string_view name) {
  return std::ranges::find(kTorchProviders, name) != kTorchProviders.end();
}

Result<TorchWorkerFile> TorchWorkerFile::make() {
  std::error_code no_folder;
  const auto folder = std::filesystem::temp_directory_path(no_folder);
  std::string path = ((no_folder ? "/tmp" : folder) / "strobe-torch-XXXXXX").string();
  const int file = mkstemp(path.data());
  const auto failed = [&] {
    return Error{.code = ErrorCode::kCannotWrite,
                 .what = fmt::format("cannot write torch's worker: {}", std::strerror(errno)),
                 .where = path,
                 .hint = "TMPDIR names another folder"};
  };
  if (file < 0) return failed();
  TorchWorkerFile written{std::filesystem::path(path)};
  if (!write_all(file, torch_worker_source())) {
    Error error = failed();
    close(file);
    return error;
  }
  close(file);
  return written;
}

TorchWorkerFile::TorchWorkerFile(TorchWorkerFile&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TorchWorkerFile::~TorchWorkerFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace strobe::bench
