#include "strobe/record/run_dump.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/record/run_parts.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDumpPrefix = "dump-";

Result<void> fill_dump(const fs::path& run, const fs::path& dump, const DescribeDump& describe) {
  for (const PartedFile& file : parted_files(run)) {
    STROBE_TRY_VOID(join_parts(file, dump / file.name));
  }
  return replace_file(dump / wire::kRunManifest, manifest_json({recording_json(describe(dump))}),
                      true);
}

Error no_dump(const fs::path& dump, const std::error_code& failed) {
  return {.code = ErrorCode::kCannotWrite,
          .what = failed.message(),
          .where = dump.string(),
          .hint = ""};
}

}  // namespace

fs::path dump_folder(const fs::path& folder, std::int64_t number) {
  return folder / fmt::format("{}{}", kDumpPrefix, number);
}

std::vector<std::int64_t> dump_numbers(const fs::path& folder) {
  std::vector<std::int64_t> numbers;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kDumpPrefix)) continue;
    const auto number = parse_whole_number(std::string_view(name).substr(kDumpPrefix.size()));
    if (number && *number > 0) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<fs::path> write_dump(const fs::path& folder, const DescribeDump& describe) {
  const std::vector<std::int64_t> before = dump_numbers(folder);
  const fs::path dump = dump_folder(folder, before.empty() ? 1 : before.back() + 1);
  const fs::path unfinished = folder / fmt::format(".{}", dump.filename().string());
  std::error_code failed;
  fs::remove_all(unfinished, failed);
  fs::create_directory(unfinished, failed);
  if (failed) return no_dump(dump, failed);
  Result<void> filled = fill_dump(folder, unfinished, describe);
  if (filled) {
    fs::rename(unfinished, dump, failed);
    if (!failed) return dump;
    filled = no_dump(dump, failed);
  }
  fs::remove_all(unfinished, failed);
  return std::move(filled).error();
}

Result<void> join_last_parts(const fs::path& folder, std::int64_t recorder) {
  for (const PartedFile& file : parted_files(folder, recorder)) {
    STROBE_TRY_VOID(join_parts(file, folder / file.name));
    std::error_code ignored;
    for (const fs::path& part : file.parts) fs::remove(part, ignored);
  }
  return {};
}

}  // namespace strobe::record
