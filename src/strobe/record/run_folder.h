#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/provenance.h"
#include "strobe/record/run_manifest.h"

// The folder of a run, which several recorders of one job may share.
namespace strobe::record {

// A lock on a file, which ends with the process at the latest.
class FileLock {
 public:
  enum class Answer : std::uint8_t { kHeld, kTaken, kNoLocks };  // by this one, by another one

  FileLock() = default;
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock() { release(); }

  Answer acquire(const std::filesystem::path& file, bool may_wait);
  bool is_held() const { return descriptor_ >= 0; }
  void release();

 private:
  int descriptor_ = -1;
};

std::string host_file_name(std::int64_t recorder);  // "host-17.strobe"

// Waits for the lock under which recorders change a folder. Where files cannot be locked, it is not
// held.
FileLock lock_folder(const std::filesystem::path& folder);

struct FolderRequest {
  std::filesystem::path path;
  bool overwrite = false;  // a run that is there is removed
  Job job;                 // a run of the same job and another rank is joined
};

class RunFolder {
 public:
  // kInvalidArgument if the folder holds something else; an empty one is taken as it is.
  static Result<RunFolder> claim(const FolderRequest& request);
  // A folder for numbered runs: series / "1" is claimed next. Other ranks wait until it has its
  // entry and let_others_in() is called: before, they would not know whose run it is.
  static Result<RunFolder> claim_series(const FolderRequest& request);
  void let_others_in() { lock_.release(); }

  const std::filesystem::path& path() const { return path_; }  // absolute

  // A number for this recorder, unique in the folder: that of the process, if no recorder on
  // another machine has the same.
  std::int64_t recorder() const { return recorder_; }

  // Writes the entry of this recorder into run.json; those of others stay.
  Result<void> put(const Recording& recording);
  // The program could not be started: removes what this recorder has made, and the folder if it is
  // empty then. What others have recorded stays.
  void withdraw();
  // The run is over: removes what only recorders need.
  void tidy() const;

 private:
  RunFolder(std::filesystem::path path, Job job) : path_(std::move(path)), job_(std::move(job)) {}
  Result<std::vector<std::string>> other_recordings() const;
  void remove_own_files() const;
  void remove_own_entry() const;

  std::filesystem::path path_;
  Job job_;
  FileLock lock_;  // held until the first entry is written
  bool was_made_ = false;
  std::int64_t recorder_ = 0;

  friend class FolderClaim;
};

// Of several recorders on one machine, one samples what belongs to the whole machine.
class MachineLock {
 public:
  MachineLock(const std::filesystem::path& folder, const std::string& host, const Job& job);

  // Tries again once a second: the one that held it may have ended.
  bool is_held(std::int64_t now_ns);

 private:
  std::filesystem::path file_;
  bool is_first_rank_;
  FileLock lock_;
  std::optional<std::int64_t> last_try_ns_;
  bool has_no_locks_ = false;
};

// Whether a folder holds a recorded run, or only numbered ones.
bool is_run_folder(const std::filesystem::path& folder);

}  // namespace strobe::record
