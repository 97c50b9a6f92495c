#include "strobe/record/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_in;
using ::testing::Not;
using testing::put_bytes;
using testing::TemporaryFolder;

class RunFolderTest : public ::testing::Test {
 protected:
  Result<RunFolder> claim(bool overwrite = false, const Job& job = {}) {
    return RunFolder::claim({.path = path_, .overwrite = overwrite, .job = job});
  }
  static Recording recording_of(const RunFolder& folder, const Job& job = {}) {
    Recording recording;
    recording.recorder = folder.recorder();
    recording.host = host_name();
    recording.job = job;
    return recording;
  }
  // A whole run, as a recorder leaves it.
  void record(const Job& job = {}, bool is_finished = true) {
    Result<RunFolder> folder = claim(false, job);
    ASSERT_TRUE(folder) << folder.error().what;
    Recording recording = recording_of(*folder, job);
    recording.is_finished = is_finished;
    if (!is_finished) recording.recorder = 1;  // of a process that always runs
    ASSERT_TRUE(folder->put(recording));
    put_bytes(path_ / "process-1.strobe", "x");
    folder->tidy();
  }
  static Job rank(int number, const std::string& key = "slurm:1:0") {
    return {.key = key, .rank = number, .world_size = 4};
  }
  void expect_refused(const Result<RunFolder>& folder, const std::string& what) {
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(folder.error().what + "; " + folder.error().hint, HasSubstr(what));
  }

  TemporaryFolder around_;
  fs::path path_ = around_ / "run";
};

TEST_F(RunFolderTest, a_new_folder_is_made_with_an_absolute_path) {
  const Result<RunFolder> folder =
      RunFolder::claim({.path = path_ / "", .overwrite = false, .job = {}});
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->path(), path_);
  EXPECT_TRUE(fs::is_directory(path_));
  EXPECT_EQ(folder->recorder(), getpid());
}

TEST_F(RunFolderTest, an_empty_folder_is_taken_as_it_is) {
  fs::create_directory(path_);
  EXPECT_TRUE(claim());
}

TEST_F(RunFolderTest, a_run_is_not_overwritten_unasked) {
  record();
  expect_refused(claim(),
                 "'" + path_.string() + "' exists; replace the run in it with --overwrite");
  EXPECT_THAT(names_in(path_), ElementsAre("process-1.strobe", "run.json"));
}

TEST_F(RunFolderTest, overwriting_removes_the_run) {
  record();
  ASSERT_TRUE(claim(true));
  EXPECT_THAT(names_in(path_), ElementsAre(".lock"));
}

TEST_F(RunFolderTest, a_folder_that_is_no_run_is_never_removed) {
  fs::create_directory(path_);
  put_bytes(path_ / "thesis.txt", "years of work");
  expect_refused(claim(true), "holds something else: 'thesis.txt'");
  put_bytes(path_ / "run.json", "{\"another\": \"tool\"}");
  expect_refused(claim(true), "holds something else");
  expect_refused(claim(false), "exists; choose another folder with -o");
  EXPECT_THAT(names_in(path_), ElementsAre("run.json", "thesis.txt"));
}

TEST_F(RunFolderTest, a_run_that_is_being_recorded_is_never_removed) {
  record({}, false);
  expect_refused(claim(true), "process 1 still records");
  EXPECT_THAT(names_in(path_), Contains("run.json"));
}

TEST_F(RunFolderTest, a_file_of_that_name_is_refused) {
  put_bytes(path_, "x");
  expect_refused(claim(true), "is not a folder");
}

TEST_F(RunFolderTest, the_folder_around_it_must_exist) {
  const auto folder = RunFolder::claim({.path = around_ / "a/b", .overwrite = false, .job = {}});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kCannotWrite);
  EXPECT_THAT(folder.error().hint, HasSubstr("mkdir -p"));
}

TEST_F(RunFolderTest, ranks_of_one_job_share_a_folder) {
  record(rank(0));
  Result<RunFolder> second = claim(false, rank(1));
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_EQ(second->recorder(), getpid() + kMostProcesses);  // the first one was this process, too
  ASSERT_TRUE(second->put(recording_of(*second, rank(1))));
  const auto entries = read_manifest(path_);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->at(0).job.rank, 0);
  EXPECT_EQ(entries->at(1).job.rank, 1);
}

TEST_F(RunFolderTest, overwriting_ranks_keep_what_the_first_of_them_has_begun) {
  record();
  Result<RunFolder> first = claim(true, rank(0));
  ASSERT_TRUE(first && first->put(recording_of(*first, rank(0))));
  Result<RunFolder> second = claim(true, rank(1));
  ASSERT_TRUE(second && second->put(recording_of(*second, rank(1))));
  EXPECT_EQ(read_manifest(path_)->size(), 2u);
}

TEST_F(RunFolderTest, the_same_rank_another_job_or_another_size_is_refused) {
  record(rank(0));
  expect_refused(claim(false, rank(0)), "exists");
  expect_refused(claim(false, rank(1, "slurm:2:0")), "exists");
  Job larger = rank(1);
  larger.world_size = 8;
  expect_refused(claim(false, larger), "exists");
  expect_refused(claim(false, {}), "exists");
  Job restarted = rank(0);
  restarted.restart = 1;
  EXPECT_TRUE(claim(false, restarted));
}

TEST_F(RunFolderTest, the_entry_of_a_recorder_is_replaced_by_its_next_one) {
  Result<RunFolder> folder = claim();
  ASSERT_TRUE(folder);
  Recording recording = recording_of(*folder);
  ASSERT_TRUE(folder->put(recording));
  recording.is_finished = true;
  ASSERT_TRUE(folder->put(recording));
  const auto entries = read_manifest(path_);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_TRUE(entries->front().is_finished);
}

TEST_F(RunFolderTest, withdrawing_leaves_no_folder_that_was_made) {
  Result<RunFolder> folder = claim();
  ASSERT_TRUE(folder && folder->put(recording_of(*folder)));
  put_bytes(path_ / host_file_name(folder->recorder()), "x");
  folder->withdraw();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(RunFolderTest, withdrawing_leaves_a_folder_that_was_there) {
  fs::create_directory(path_);
  Result<RunFolder> folder = claim();
  ASSERT_TRUE(folder && folder->put(recording_of(*folder)));
  folder->withdraw();
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_THAT(names_in(path_), IsEmpty());
}

TEST_F(RunFolderTest, withdrawing_leaves_the_other_ranks) {
  record(rank(0));
  Result<RunFolder> folder = claim(false, rank(1));
  ASSERT_TRUE(folder && folder->put(recording_of(*folder, rank(1))));
  put_bytes(path_ / host_file_name(folder->recorder()), "x");
  folder->withdraw();
  const auto entries = read_manifest(path_);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().job.rank, 0);
  EXPECT_THAT(names_in(path_), Not(Contains(host_file_name(folder->recorder()))));
  EXPECT_THAT(names_in(path_), Contains("process-1.strobe"));
}

TEST_F(RunFolderTest, withdrawing_takes_the_parts_of_its_own_samples) {
  Result<RunFolder> folder = claim();
  ASSERT_TRUE(folder && folder->put(recording_of(*folder)));
  put_bytes(path_ / (host_file_name(folder->recorder()) + ".part0"), "x");
  put_bytes(path_ / (host_file_name(folder->recorder() + 1) + ".part0"), "x");
  folder->withdraw();
  EXPECT_THAT(names_in(path_), ElementsAre(host_file_name(folder->recorder() + 1) + ".part0"));
}

TEST_F(RunFolderTest, a_manifest_that_cannot_be_read_may_hold_other_ranks) {
  Result<RunFolder> folder = claim();
  ASSERT_TRUE(folder && folder->put(recording_of(*folder)));
  put_bytes(path_ / "run.json", "{\"strobe_run\":1,");
  put_bytes(path_ / "process-1.strobe", "x");
  EXPECT_FALSE(folder->put(recording_of(*folder)));
  folder->withdraw();
  EXPECT_THAT(names_in(path_), ElementsAre("process-1.strobe", "run.json"));
}

TEST_F(RunFolderTest, withdrawing_a_series_leaves_the_runs_of_the_other_ranks) {
  Result<RunFolder> series =
      RunFolder::claim_series({.path = path_, .overwrite = false, .job = rank(0)});
  ASSERT_TRUE(series);
  Result<RunFolder> other =
      RunFolder::claim({.path = path_ / "1", .overwrite = false, .job = rank(1)});
  ASSERT_TRUE(other && other->put(recording_of(*other, rank(1))));
  put_bytes(path_ / "1" / "process-1.strobe", "x");
  series->withdraw();
  EXPECT_THAT(names_in(path_ / "1"), Contains("process-1.strobe"));
  EXPECT_EQ(read_manifest(path_ / "1")->size(), 1u);
}

TEST_F(RunFolderTest, a_series_that_no_rank_could_start_can_be_claimed_again) {
  const auto claim_series_of = [&](int number) {
    return RunFolder::claim_series({.path = path_, .overwrite = false, .job = rank(number)});
  };
  {
    Result<RunFolder> series = claim_series_of(0);
    Result<RunFolder> first =
        RunFolder::claim({.path = path_ / "1", .overwrite = false, .job = rank(0)});
    ASSERT_TRUE(series && first && first->put(recording_of(*first, rank(0))));
    first->withdraw();
    series->withdraw();
  }
  EXPECT_TRUE(claim_series_of(1));
}

TEST_F(RunFolderTest, other_ranks_wait_until_the_first_run_of_a_series_has_its_entry) {
  Result<RunFolder> series =
      RunFolder::claim_series({.path = path_, .overwrite = false, .job = rank(0)});
  Result<RunFolder> first =
      RunFolder::claim({.path = path_ / "1", .overwrite = false, .job = rank(0)});
  ASSERT_TRUE(series && first);
  EXPECT_EQ(FileLock().acquire(path_ / ".lock", false), FileLock::Answer::kTaken);
  ASSERT_TRUE(first->put(recording_of(*first, rank(0))));
  series->let_others_in();
  EXPECT_TRUE(RunFolder::claim_series({.path = path_, .overwrite = false, .job = rank(1)}));
}

TEST_F(RunFolderTest, numbered_runs_are_a_run_that_can_be_overwritten) {
  Result<RunFolder> series =
      RunFolder::claim_series({.path = path_, .overwrite = false, .job = {}});
  ASSERT_TRUE(series);
  Result<RunFolder> first = RunFolder::claim({.path = path_ / "1", .overwrite = false, .job = {}});
  ASSERT_TRUE(first);
  Recording recording = recording_of(*first);
  recording.is_finished = true;
  ASSERT_TRUE(first->put(recording));
  series->let_others_in();
  EXPECT_TRUE(is_run_folder(path_));
  expect_refused(RunFolder::claim_series({.path = path_, .overwrite = false, .job = {}}),
                 "with --overwrite");
  EXPECT_TRUE(RunFolder::claim_series({.path = path_, .overwrite = true, .job = {}}));
  EXPECT_FALSE(fs::exists(path_ / "1"));
}

TEST_F(RunFolderTest, one_recorder_of_a_machine_samples_it_and_another_takes_over) {
  fs::create_directory(path_);
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::optional<MachineLock> first;
  first.emplace(path_, "here", Job{});
  MachineLock second(path_, "here", rank(1));
  MachineLock elsewhere(path_, "there", rank(2));
  EXPECT_TRUE(first->is_held(0));
  EXPECT_FALSE(second.is_held(0));
  EXPECT_TRUE(elsewhere.is_held(0));
  first.reset();
  EXPECT_FALSE(second.is_held(kSecond / 2));  // not yet tried again
  EXPECT_TRUE(second.is_held(kSecond));
}

TEST_F(RunFolderTest, where_files_cannot_be_locked_the_first_rank_samples) {
  MachineLock first("/no/such/folder", "here", rank(0));
  MachineLock second("/no/such/folder", "here", rank(1));
  EXPECT_TRUE(first.is_held(0));
  EXPECT_TRUE(first.is_held(1));
  EXPECT_FALSE(second.is_held(0));
  EXPECT_FALSE(second.is_held(1));
}

}  // namespace
}  // namespace strobe::record
