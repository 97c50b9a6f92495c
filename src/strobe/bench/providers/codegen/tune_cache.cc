#include "strobe/bench/providers/codegen/tune_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "strobe/base/hash.h"
#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"

namespace strobe::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "strobe.tune/1";
constexpr std::int64_t kMostExactColumns = 8192;
constexpr std::uintmax_t kMostEntryBytes = std::uintmax_t{1} << 28;

std::optional<std::string> bytes_of_file(const fs::path& path) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (failed || size > kMostEntryBytes) return {};
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return {};
  return bytes;
}

Error cannot_keep(const fs::path& path, int error) {
  return {.code = ErrorCode::kCannotWrite,
          .what = error == 0 ? "cannot be written" : std::generic_category().message(error),
          .where = path.string(),
          .hint = ""};
}

// Writes a file completely or not at all, even if two processes write the same entry.
Result<void> put_file(const fs::path& path, std::string_view bytes) {
  static std::atomic<unsigned> count = 0;
  const fs::path unfinished = fmt::format("{}.{}.{}", path.string(), getpid(), ++count);
  std::error_code ignored;
  errno = 0;
  std::ofstream file(unfinished, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    Error error = cannot_keep(path, errno);
    fs::remove(unfinished, ignored);
    return error;
  }
  std::error_code failed;
  fs::rename(unfinished, path, failed);
  if (!failed) return {};
  fs::remove(unfinished, ignored);
  return cannot_keep(path, failed.value());
}

std::string machine_text(const TuneMachine& machine) {
  return fmt::format("{}|{}|{}|{}|", machine.architecture, machine.device, machine.driver,
                     machine.compiler);
}

std::string checksum_text(std::span<const char> bytes) {
  return fmt::format("{:016x}", checksum_of(bytes, 0));
}

}  // namespace

std::int64_t bucket_of(std::int64_t count) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))));
}

std::string tune_key(const TuneMachine& machine, const Shape& shape, DType dtype, TuneState state,
                     std::span<const KernelProgram> candidates) {
  const std::int64_t columns = shape[1];
  const std::int64_t row_bytes = columns * bytes_of(dtype);
  const std::int64_t alignment = std::min<std::int64_t>(row_bytes & -row_bytes, 16);
  ContentHasher hasher;
  hasher.add(machine_text(machine));
  hasher.add(fmt::format("{}|{}|{}|{}|{}|", dtype_name(dtype), bucket_of(shape[0]),
                         columns <= kMostExactColumns ? columns : bucket_of(columns), alignment,
                         state == TuneState::kHot ? "hot" : "cold"));
  for (const KernelProgram& program : candidates) {
    hasher.add(fmt::format("|{}|", program.label));
    for (const GeneratedKernel& kernel : program.kernels) hasher.add(kernel.source);
  }
  return hex_of(hasher.hash());
}

std::string code_key(const TuneMachine& machine, std::string_view source) {
  ContentHasher hasher;
  hasher.add(machine_text(machine));
  hasher.add(source);
  return hex_of(hasher.hash());
}

std::optional<std::size_t> find_candidate(const TuneEntry& entry,
                                          std::span<const KernelProgram> candidates) {
  if (entry.candidate >= candidates.size()) return {};
  const KernelProgram& program = candidates[entry.candidate];
  const bool is_it = program.label == entry.label && program.kernels.size() == 1 &&
                     program.kernels.front().name == entry.kernel;
  if (!is_it) return {};
  return entry.candidate;
}

std::optional<TuneEntry> TuneCache::find(const std::string& key) const {
  const std::optional<std::string> text = bytes_of_file(folder_ / (key + ".json"));
  if (!text || !text->ends_with("}\n")) return {};
  TuneEntry entry;
  std::string schema, own_key, checksum;
  std::optional<double> typical_us;
  std::optional<std::int64_t> candidate;
  const bool is_object = for_each_member(*text, [&](std::string_view name, const JsonValue& value) {
    if (name == "schema") schema = value.as_string();
    if (name == "key") own_key = value.as_string();
    if (name == "label") entry.label = value.as_string();
    if (name == "kernel") entry.kernel = value.as_string();
    if (name == "candidate") candidate = value.as_int64();
    if (name == "typical_us") typical_us = value.as_double();
    if (name == "cubin_checksum") checksum = value.as_string();
  });
  const bool is_whole = is_object && schema == kSchema && own_key == key && typical_us &&
                        *typical_us >= 0 && candidate && *candidate >= 0;
  if (!is_whole) return {};
  const std::optional<std::string> image = bytes_of_file(folder_ / (key + ".cubin"));
  if (!image || image->empty() || checksum_text(*image) != checksum) return {};
  entry.candidate = static_cast<std::size_t>(*candidate);
  entry.typical_us = *typical_us;
  entry.image.assign(image->begin(), image->end());
  return entry;
}

Result<void> TuneCache::store(const std::string& key, const TuneEntry& entry) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) return cannot_keep(folder_, failed.value());
  std::string text;
  JsonWriter(text, JsonLayout::kPretty)
      .begin_object()
      .member("schema", kSchema)
      .member("key", key)
      .member("label", entry.label)
      .member("kernel", entry.kernel)
      .member("candidate", entry.candidate)
      .member("typical_us", entry.typical_us)
      .member("cubin_checksum", checksum_text(entry.image))
      .end_object();
  text += '\n';
  // The code first: readers look for it only if the other file exists.
  STROBE_TRY_VOID(put_file(folder_ / (key + ".cubin"), {entry.image.data(), entry.image.size()}));
  return put_file(folder_ / (key + ".json"), text);
}

}  // namespace strobe::bench
