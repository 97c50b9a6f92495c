#include "strobe/bench/providers/cuda/code_store.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "strobe/base/content_hash.h"

namespace strobe::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic = {'s', 't', 'r', 'b', 'c', 'o', 'd', '1'};

struct Head {
  std::array<char, 8> magic = kMagic;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

std::optional<std::vector<char>> read_code(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Head head;
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head)) return {};
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
  if (head.magic != kMagic || head.bytes == 0 || head.bytes > kMostBytes) return {};
  std::vector<char> image(head.bytes);
  if (!file.read(image.data(), static_cast<std::streamsize>(image.size()))) return {};
  if (file.peek() != std::ifstream::traits_type::eof()) return {};
  if (checksum_of(image, 0) != head.checksum) return {};
  return image;
}

void write_code(const fs::path& path, const std::vector<char>& image) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const fs::path unfinished = fmt::format("{}.{}", path.string(), getpid());
  {
    std::ofstream file(unfinished, std::ios::binary);
    const Head head = {.bytes = image.size(), .checksum = checksum_of(image, 0)};
    file.write(reinterpret_cast<const char*>(&head), sizeof head);
    file.write(image.data(), static_cast<std::streamsize>(image.size()));
    if (!file.flush()) {
      fs::remove(unfinished, ignored);
      return;
    }
  }
  fs::rename(unfinished, path, ignored);
  if (ignored) fs::remove(unfinished, ignored);
}

}  // namespace

std::string code_key(const CudaDevice& device, const std::string& source) {
  ContentHasher hasher;
  const std::string maker =
      fmt::format("sm_{}|{}|{}|{}|", device.chip().compute_capability, device.name(),
                  device.driver_text(), device.compiler_text());
  hasher.add(maker);
  hasher.add(source);
  return hex_of(hasher.hash());
}

Result<StoredCode> compile_or_find(CudaDevice& device, const std::string& source,
                                   const std::string& name, const std::string& folder) {
  if (folder.empty()) {
    STROBE_TRY(std::vector<char> image, device.compile(source, name));
    return StoredCode{.image = std::move(image), .is_cached = false};
  }
  const fs::path path = fs::path(folder) / (code_key(device, source) + ".cubin");
  if (auto image = read_code(path)) {
    return StoredCode{.image = std::move(*image), .is_cached = true};
  }
  STROBE_TRY(std::vector<char> image, device.compile(source, name));
  write_code(path, image);
  return StoredCode{.image = std::move(image), .is_cached = false};
}

}  // namespace strobe::bench
