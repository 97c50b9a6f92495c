#include "strobe/record/run_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "strobe/record/provenance.h"
#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/record/run_file_sketch.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::names_in;
using ::testing::Not;
using testing::put_bytes;
using testing::TemporaryFolder;

class RunDumpTest : public ::testing::Test {
 protected:
  RunDumpTest() {
    RunFileSketch(folder_ / "process-4.strobe.part0", 4, 17).kernels(5);
    RunFileSketch(folder_ / "process-4.strobe.part1", 4, 17).kernels(7);
    RunFileSketch(folder_ / "host-17.strobe.part3", 4, 17);
  }
  Result<fs::path> dump() {
    return write_dump(folder_.path(), [](const fs::path& folder) {
      Recording recording;
      recording.is_finished = true;
      for (const FileContents& file : process_files(folder, std::nullopt)) {
        recording.files.push_back(recorded_file(file));
      }
      return recording;
    });
  }
  // run.json, as a recorder leaves it that had no time to finish.
  void describe_killed(std::int64_t recorder, std::optional<std::uint64_t> start_ticks,
                       const std::string& host = host_name()) {
    Recording recording;
    recording.recorder = recorder;
    recording.recorder_start_ticks = start_ticks;
    recording.host = host;
    put_bytes(folder_ / "run.json", manifest_json({recording_json(recording)}));
  }

  TemporaryFolder folder_;
};

TEST_F(RunDumpTest, a_dump_is_a_run_of_its_own) {
  const Result<fs::path> dumped = dump();
  ASSERT_TRUE(dumped);
  EXPECT_EQ(*dumped, folder_ / "dump-1");
  EXPECT_THAT(names_in(*dumped), ElementsAre("host-17.strobe", "process-4.strobe", "run.json"));
  EXPECT_THAT(bytes_of(*dumped / "run.json"), HasSubstr("\"kernels\":12"));
  EXPECT_TRUE(fs::exists(folder_ / "process-4.strobe.part0"));  // the recorder goes on
}

TEST_F(RunDumpTest, dumps_are_numbered) {
  fs::create_directory(folder_ / "dump-9");
  fs::create_directory(folder_ / "dump-10");
  put_bytes(folder_ / "dump-x", "");
  EXPECT_THAT(dump_numbers(folder_.path()), ElementsAre(9, 10));
  EXPECT_EQ(*dump(), folder_ / "dump-11");
}

TEST_F(RunDumpTest, a_full_disk_leaves_no_half_dump) {
  const auto before = names_in(folder_.path());
  {
    const testing::FullDisk full;
    EXPECT_FALSE(dump());
  }
  EXPECT_EQ(names_in(folder_.path()), before);
}

TEST_F(RunDumpTest, at_the_end_the_parts_become_whole_files) {
  RunFileSketch(folder_ / "process-9.strobe.part0", 9, 18).kernels(1);  // of another rank
  ASSERT_TRUE(join_last_parts(folder_.path(), 17));
  EXPECT_THAT(names_in(folder_.path()),
              ElementsAre("host-17.strobe", "process-4.strobe", "process-9.strobe.part0"));
  EXPECT_EQ(contents_of_file(folder_ / "process-4.strobe")->rows_of(wire::ChunkKind::kWork), 12u);
}

TEST_F(RunDumpTest, parts_that_cannot_be_joined_stay) {
  const auto kernels_in = [&](const std::string& name) {
    return contents_of_file(folder_ / name)->rows_of(wire::ChunkKind::kWork);
  };
  {
    const testing::FullDisk full;
    EXPECT_FALSE(join_last_parts(folder_.path(), 17));
  }
  // A single part needs no room.
  EXPECT_THAT(names_in(folder_.path()),
              ElementsAre("host-17.strobe", "process-4.strobe.part0", "process-4.strobe.part1"));
  EXPECT_EQ(kernels_in("process-4.strobe.part0"), 5u);
  EXPECT_EQ(kernels_in("process-4.strobe.part1"), 7u);
  ASSERT_TRUE(join_last_parts(folder_.path(), 17));
  EXPECT_EQ(kernels_in("process-4.strobe"), 12u);
}

TEST_F(RunDumpTest, a_dump_takes_no_number_that_another_recorder_has_taken_meanwhile) {
  const auto dumped = write_dump(folder_.path(), [&](const fs::path&) {
    fs::create_directory(folder_ / "dump-1");
    put_bytes(folder_ / "dump-1" / "run.json", "of the other one");
    return Recording();
  });
  ASSERT_TRUE(dumped) << dumped.error().what;
  EXPECT_EQ(*dumped, folder_ / "dump-2");
  EXPECT_EQ(bytes_of(folder_ / "dump-1" / "run.json"), "of the other one");
}

TEST_F(RunDumpTest, joining_goes_on_where_an_earlier_try_has_ended) {
  fs::rename(folder_ / "process-4.strobe.part0", folder_ / "process-4.strobe");
  ASSERT_TRUE(join_last_parts(folder_.path(), 17));
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("host-17.strobe", "process-4.strobe"));
  EXPECT_EQ(contents_of_file(folder_ / "process-4.strobe")->rows_of(wire::ChunkKind::kWork), 12u);
}

TEST_F(RunDumpTest, what_a_killed_process_has_half_written_is_left_out) {
  const std::string whole = bytes_of(folder_ / "process-4.strobe.part0");
  put_bytes(folder_ / "process-4.strobe.part0", whole + "half");
  ASSERT_TRUE(join_last_parts(folder_.path(), 17));
  const auto joined = contents_of_file(folder_ / "process-4.strobe");
  EXPECT_EQ(joined->rows_of(wire::ChunkKind::kWork), 12u);
  EXPECT_EQ(joined->damaged_bytes, 0u);
}

TEST_F(RunDumpTest, the_parts_of_a_killed_recorder_become_a_run) {
  describe_killed(17, 1);
  const std::string before = bytes_of(folder_ / "run.json");
  RunFileSketch(folder_ / "process-9.strobe.part0", 9, 18).kernels(1);  // of another rank
  ASSERT_TRUE(join_parts_of_killed(folder_.path()));
  EXPECT_THAT(names_in(folder_.path()), ElementsAre(".lock", "host-17.strobe", "process-4.strobe",
                                                    "process-9.strobe", "run.json"));
  EXPECT_EQ(bytes_of(folder_ / "run.json"), before);
}

TEST_F(RunDumpTest, the_parts_of_a_recorder_that_runs_stay) {
  describe_killed(getpid(), start_ticks_of(getpid()));
  const auto before = names_in(folder_.path());
  const Result<void> joined = join_parts_of_killed(folder_.path());
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(joined.error().hint, HasSubstr("strobe record dump " + std::to_string(getpid())));
  EXPECT_EQ(names_in(folder_.path()), before);
}

TEST_F(RunDumpTest, the_parts_of_a_program_that_has_outlived_its_recorder_stay) {
  describe_killed(17, 1);
  const std::string name = "process-" + std::to_string(getpid()) + ".strobe.part0";
  {
    const RunFileSketch open_file(folder_ / name, getpid(), 17);
    const Result<void> joined = join_parts_of_killed(folder_.path());
    ASSERT_FALSE(joined);
    EXPECT_THAT(joined.error().what, HasSubstr("process " + std::to_string(getpid())));
  }
  EXPECT_TRUE(join_parts_of_killed(folder_.path()));
}

TEST_F(RunDumpTest, a_recorder_on_another_machine_must_have_been_silent_for_a_while) {
  describe_killed(17, 1, "elsewhere");
  EXPECT_FALSE(join_parts_of_killed(folder_.path()));
  for (const std::string& name : names_in(folder_.path())) {
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  EXPECT_TRUE(join_parts_of_killed(folder_.path()));
}

TEST_F(RunDumpTest, a_folder_without_a_run_is_left_alone) {
  const auto before = names_in(folder_.path());
  const Result<void> joined = join_parts_of_killed(folder_.path());
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(names_in(folder_.path()), before);
}

}  // namespace
}  // namespace strobe::record
