#include "strobe/record/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/record/folder_entries.h"
#include "strobe/wire/run_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

namespace {

constexpr char kFolderLock[] = ".lock";
constexpr char kMachineLockPrefix[] = ".devices-";
constexpr char kMachineLockSuffix[] = ".lock";
constexpr std::int64_t kBetweenTries_ns = 1'000'000'000;

// Files that are of use only while somebody records.
bool is_working_file(const std::string& name) {
  return name == kFolderLock || name == wire::kRunControl || name.starts_with(kMachineLockPrefix);
}

// What is in a folder, without working files.
std::vector<fs::path> contents_of(const fs::path& folder) {
  std::vector<fs::path> contents = paths_in(folder);
  std::erase_if(contents,
                [](const fs::path& path) { return is_working_file(path.filename().string()); });
  return contents;
}

bool has_number_as_name(const fs::path& path) {
  const auto number = parse_whole_number(path.filename().string());
  return number && *number > 0;
}

// What a rank that could not start its program leaves of a numbered run: others may wait for its
// lock.
bool is_abandoned_run(const fs::path& path) {
  return has_number_as_name(path) && !paths_in(path).empty() && contents_of(path).empty();
}

bool is_numbered_run(const fs::path& path) {
  return has_number_as_name(path) && (read_manifest(path).has_value() || is_abandoned_run(path));
}

// The recordings in a folder, or in all its numbered runs.
std::vector<ManifestEntry> all_entries(const fs::path& folder) {
  std::vector<ManifestEntry> entries;
  if (auto own = read_manifest(folder)) return *own;
  for (const fs::path& path : contents_of(folder)) {
    if (auto of_run = read_manifest(path)) {
      entries.insert(entries.end(), of_run->begin(), of_run->end());
    }
  }
  return entries;
}

// Whether a recorder of this job may add its part to a run.
bool may_join(const std::vector<ManifestEntry>& entries, const Job& job) {
  if (!job.is_shared() || entries.empty()) return false;
  return std::ranges::all_of(entries, [&](const ManifestEntry& entry) {
    const bool is_same_job = entry.job.key == job.key && entry.job.world_size == job.world_size;
    const bool is_other_part = entry.job.rank != job.rank || entry.job.restart != job.restart;
    return is_same_job && is_other_part;
  });
}

Error folder_error(std::string what, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = "",
          .hint = std::move(hint)};
}

Error cannot_make(const fs::path& path, int error) {
  const std::string parent = path.parent_path().string();
  return {.code = ErrorCode::kCannotWrite,
          .what = error == ENOENT ? "the folder around it does not exist" : std::strerror(error),
          .where = path.string(),
          .hint = error == ENOENT && !parent.empty() ? fmt::format("mkdir -p '{}'", parent) : ""};
}

Error is_there_already(const fs::path& path) {
  return folder_error(
      fmt::format("the folder '{}' exists", path.string()),
      is_run_folder(path)
          ? "replace the run in it with --overwrite, or choose another folder with -o"
          : "choose another folder with -o");
}

// Removes the run in a folder, but not its lock file, which the caller holds.
Result<void> clear_run(const fs::path& path, const std::string& typed) {
  if (!is_run_folder(path)) {
    return folder_error(
        fmt::format("--overwrite replaces a run, and the folder '{}' holds something else: '{}'",
                    typed, contents_of(path).front().filename().string()),
        "choose another folder with -o");
  }
  for (const ManifestEntry& entry : all_entries(path)) {
    if (!is_running(entry)) continue;
    return folder_error(fmt::format("process {} still records into the folder '{}'",
                                    process_of_recorder(entry.recorder), typed),
                        "choose another folder with -o");
  }
  for (const fs::path& entry : contents_of(path)) {
    std::error_code failed;
    fs::remove_all(entry, failed);
    if (failed) return cannot_make(entry, failed.value());
  }
  return {};
}

std::int64_t free_recorder_number(const std::vector<ManifestEntry>& others) {
  std::int64_t number = getpid();
  while (std::ranges::find(others, number, &ManifestEntry::recorder) != others.end()) {
    number += kMostProcesses;
  }
  return number;
}

}  // namespace

std::string host_file_name(std::int64_t recorder) {
  return fmt::format("{}{}{}", wire::kHostFilePrefix, recorder, wire::kRunFileSuffix);
}

FileLock::Answer FileLock::acquire(const fs::path& file, bool may_wait) {
  if (is_held()) return Answer::kHeld;
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return Answer::kNoLocks;
  int failed = 0;
  do {
    failed = flock(descriptor, LOCK_EX | (may_wait ? 0 : LOCK_NB));
  } while (failed != 0 && errno == EINTR);
  if (failed == 0) {
    descriptor_ = descriptor;
    return Answer::kHeld;
  }
  const bool is_taken = errno == EWOULDBLOCK;
  close(descriptor);
  return is_taken ? Answer::kTaken : Answer::kNoLocks;
}

void FileLock::release() {
  if (is_held()) close(std::exchange(descriptor_, -1));
}

FileLock lock_folder(const fs::path& folder) {
  FileLock lock;
  lock.acquire(folder / kFolderLock, true);
  return lock;
}

bool is_run_folder(const fs::path& folder) {
  if (read_manifest(folder)) return true;
  const std::vector<fs::path> contents = contents_of(folder);
  return !contents.empty() && std::ranges::all_of(contents, is_numbered_run);
}

// The steps of a claim, under the folder's lock.
class FolderClaim {
 public:
  static Result<RunFolder> make(const FolderRequest& request) {
    std::error_code failed;
    const fs::path path = fs::absolute(request.path, failed).lexically_normal();
    RunFolder folder(path.has_filename() ? path : path.parent_path(), request.job);
    folder.was_made_ = mkdir(folder.path_.c_str(), 0777) == 0;
    if (!folder.was_made_ && errno != EEXIST) return cannot_make(request.path, errno);
    if (!fs::is_directory(folder.path_, failed)) {
      return folder_error(fmt::format("'{}' is not a folder", request.path.string()),
                          "-o names the folder of the run");
    }
    const bool had_lock = fs::exists(folder.path_ / kFolderLock, failed);
    folder.lock_.acquire(folder.path_ / kFolderLock, true);
    if (Result<void> free = make_free(folder, request); !free) {
      // What is there belongs to somebody else: nothing of strobe's is left in it.
      if (!had_lock) fs::remove(folder.path_ / kFolderLock, failed);
      return std::move(free).error();
    }
    folder.recorder_ = free_recorder_number(all_entries(folder.path_));
    return folder;
  }

 private:
  static Result<void> make_free(const RunFolder& folder, const FolderRequest& request) {
    if (std::ranges::all_of(contents_of(folder.path_), is_abandoned_run)) return {};
    if (may_join(all_entries(folder.path_), request.job)) return {};
    if (!request.overwrite) return is_there_already(request.path);
    return clear_run(folder.path_, request.path.string());
  }
};

Result<RunFolder> RunFolder::claim(const FolderRequest& request) {
  return FolderClaim::make(request);
}

Result<RunFolder> RunFolder::claim_series(const FolderRequest& request) {
  return FolderClaim::make(request);
}

// The entries of the other recorders in run.json. One that cannot be read may have some.
Result<std::vector<std::string>> RunFolder::other_recordings() const {
  std::vector<std::string> others;
  Result<std::vector<ManifestEntry>> entries = read_manifest(path_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return others;
  if (!entries) return std::move(entries).error();
  for (const ManifestEntry& entry : *entries) {
    if (entry.recorder != recorder_) others.push_back(entry.json);
  }
  return others;
}

Result<void> RunFolder::put(const Recording& recording) {
  lock_.acquire(path_ / kFolderLock, true);
  Result<std::vector<std::string>> recordings = other_recordings();
  Result<void> written;
  if (recordings) {
    recordings->push_back(recording_json(recording));
    written =
        replace_file(path_ / wire::kRunManifest, manifest_json(*recordings), recording.is_finished);
  } else {
    written = std::move(recordings).error();
  }
  lock_.release();
  return written;
}

// The file of samples, or its parts.
void RunFolder::remove_own_files() const {
  const std::string file = host_file_name(recorder_);
  std::error_code ignored;
  for (const fs::path& path : contents_of(path_)) {
    const std::string name = path.filename().string();
    if (name == file || name.starts_with(file + wire::kPartSuffix)) fs::remove(path, ignored);
  }
}

void RunFolder::remove_own_entry() const {
  const fs::path manifest = path_ / wire::kRunManifest;
  const Result<std::vector<std::string>> others = other_recordings();
  if (!others) return;
  std::error_code ignored;
  if (others->empty()) {
    fs::remove(manifest, ignored);
  } else {
    [[maybe_unused]] const Result<void> written = replace_file(manifest, manifest_json(*others));
  }
}

void RunFolder::withdraw() {
  lock_.acquire(path_ / kFolderLock, true);
  remove_own_files();
  remove_own_entry();
  tidy();
  lock_.release();
  std::error_code ignored;
  if (was_made_) fs::remove(path_, ignored);  // if it is empty
}

void RunFolder::tidy() const {
  if (job_.is_shared()) return;  // another rank may need them
  std::error_code ignored;
  for (const fs::path& path : paths_in(path_)) {
    if (is_working_file(path.filename().string())) fs::remove(path, ignored);
  }
}

MachineLock::MachineLock(const fs::path& folder, const std::string& host, const Job& job)
    : file_(folder / fmt::format("{}{}{}", kMachineLockPrefix, host, kMachineLockSuffix)),
      is_first_rank_(job.rank.value_or(0) == 0) {}

bool MachineLock::is_held(std::int64_t now_ns) {
  if (lock_.is_held() || has_no_locks_) return lock_.is_held() || is_first_rank_;
  if (last_try_ns_ && now_ns - *last_try_ns_ < kBetweenTries_ns) return false;
  last_try_ns_ = now_ns;
  const FileLock::Answer answer = lock_.acquire(file_, false);
  has_no_locks_ = answer == FileLock::Answer::kNoLocks;
  return answer == FileLock::Answer::kHeld || (has_no_locks_ && is_first_rank_);
}

}  // namespace strobe::record
