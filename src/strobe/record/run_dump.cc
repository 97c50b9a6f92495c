#include "strobe/record/run_dump.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/record/folder_entries.h"
#include "strobe/record/provenance.h"
#include "strobe/record/run_folder.h"
#include "strobe/record/run_parts.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDumpPrefix = "dump-";
constexpr std::chrono::seconds kSilenceOfTheDead{60};

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

// Several recorders may dump into one folder at a time: each has a name of its own.
fs::path unfinished_dump(const fs::path& folder) {
  return folder / fmt::format(".{}{}-{}", kDumpPrefix, host_name(), getpid());
}

// Gives it the next number that is free.
Result<fs::path> name_dump(const fs::path& unfinished, const fs::path& folder) {
  const std::vector<std::int64_t> before = dump_numbers(folder);
  for (std::int64_t number = before.empty() ? 1 : before.back() + 1;; ++number) {
    const fs::path dump = dump_folder(folder, number);
    std::error_code failed;
    fs::rename(unfinished, dump, failed);
    if (!failed) return dump;
    const bool is_taken =
        failed == std::errc::directory_not_empty || failed == std::errc::file_exists;
    if (!is_taken) return no_dump(dump, failed);
  }
}

Error still_recorded(const fs::path& folder, const std::string& who, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("{} still records into the folder '{}'", who, folder.string()),
          .where = "",
          .hint = std::move(hint)};
}

// Of recorders on other machines, only their files tell whether they go on.
bool was_just_written(const PartedFile& file) {
  std::error_code failed;
  const auto written = fs::last_write_time(file.parts.back(), failed);
  return !failed && fs::file_time_type::clock::now() - written < kSilenceOfTheDead;
}

Result<void> check_has_ended(const fs::path& folder) {
  STROBE_TRY(const std::vector<ManifestEntry> entries, read_manifest(folder));
  const std::vector<PartedFile> files = parted_files(folder);
  const bool is_written = std::ranges::any_of(files, was_just_written);
  for (const ManifestEntry& entry : entries) {
    const pid_t process = process_of_recorder(entry.recorder);
    if (is_running(entry)) {
      return still_recorded(folder, fmt::format("recorder {}", process),
                            fmt::format("`strobe record dump {}` writes out what it has", process));
    }
    if (!entry.is_finished && entry.host != host_name() && is_written) {
      return still_recorded(folder, fmt::format("recorder {} on '{}'", process, entry.host),
                            "if it was killed, try again in a minute");
    }
  }
  for (const PartedFile& file : files) {
    if (const std::optional<pid_t> process = writer_of(file)) {
      return still_recorded(folder, fmt::format("process {}", *process),
                            "try again when it has ended");
    }
  }
  return {};
}

}  // namespace

fs::path dump_folder(const fs::path& folder, std::int64_t number) {
  return folder / fmt::format("{}{}", kDumpPrefix, number);
}

std::vector<std::int64_t> dump_numbers(const fs::path& folder) {
  std::vector<std::int64_t> numbers;
  for (const fs::path& path : paths_in(folder)) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kDumpPrefix)) continue;
    const auto number = parse_whole_number(std::string_view(name).substr(kDumpPrefix.size()));
    if (number && *number > 0) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<fs::path> write_dump(const fs::path& folder, const DescribeDump& describe) {
  const fs::path unfinished = unfinished_dump(folder);
  std::error_code failed;
  fs::remove_all(unfinished, failed);
  fs::create_directory(unfinished, failed);
  if (failed) return no_dump(unfinished, failed);
  Result<void> filled = fill_dump(folder, unfinished, describe);
  Result<fs::path> dump = filled ? name_dump(unfinished, folder) : std::move(filled).error();
  if (!dump) fs::remove_all(unfinished, failed);
  return dump;
}

Result<void> join_last_parts(const fs::path& folder, std::optional<std::int64_t> recorder) {
  Result<void> all_joined;
  for (const PartedFile& file : parted_files(folder, recorder)) {
    Result<void> joined = join_parts_in_place(file, folder / file.name);
    if (all_joined && !joined) all_joined = std::move(joined);
  }
  return all_joined;
}

Result<void> join_parts_of_killed(const fs::path& folder) {
  STROBE_TRY_VOID(check_has_ended(folder));
  const FileLock lock = lock_folder(folder);
  return join_last_parts(folder, std::nullopt);
}

}  // namespace strobe::record
