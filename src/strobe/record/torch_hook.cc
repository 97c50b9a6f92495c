#include "strobe/record/torch_hook.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

// Like the web page: the bytes of the file go directly into the read-only data of the binary.
asm(R"(
.section .rodata
.global strobe_torch_hook_begin
.global strobe_torch_hook_end
strobe_torch_hook_begin:
.incbin ")" STROBE_TORCH_HOOK_FILE R"("
strobe_torch_hook_end:
.byte 0
.previous
)");

extern "C" {
extern const char strobe_torch_hook_begin[];  // NOLINT: named for the assembler
extern const char strobe_torch_hook_end[];    // NOLINT: named for the assembler
}

namespace strobe::record {

std::string_view torch_hook_source() {
  return {strobe_torch_hook_begin,
          static_cast<std::size_t>(strobe_torch_hook_end - strobe_torch_hook_begin)};
}

Result<TorchHookFolder> TorchHookFolder::make() {
  std::error_code no_folder;
  const auto folder = std::filesystem::temp_directory_path(no_folder);
  std::string path = ((no_folder ? "/tmp" : folder) / "strobe-hook-XXXXXX").string();
  const auto failed = [&] {
    return Error{.code = ErrorCode::kCannotWrite,
                 .what = fmt::format("cannot write the hook for torch: {}", std::strerror(errno)),
                 .where = path,
                 .hint = "TMPDIR names another folder"};
  };
  if (mkdtemp(path.data()) == nullptr) return failed();
  TorchHookFolder made{std::filesystem::path(path)};
  std::ofstream file(made.path() / "sitecustomize.py", std::ios::binary);
  file << torch_hook_source();
  file.close();
  if (!file) return failed();
  return made;
}

TorchHookFolder::TorchHookFolder(TorchHookFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TorchHookFolder::~TorchHookFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string TorchHookFolder::python_path(std::string_view its_own) const {
  return its_own.empty() ? path_.string() : fmt::format("{}:{}", path_.string(), its_own);
}

}  // namespace strobe::record
