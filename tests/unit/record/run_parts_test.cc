#include "strobe/record/run_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/record/run_file_sketch.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using testing::bytes_of;
using ::testing::ElementsAre;
using testing::names_in;
using testing::put_bytes;
using ::testing::SizeIs;
using testing::TemporaryFolder;

// No process has such a number: the tests of a machine start fewer.
constexpr std::int64_t kEndedProcess = 4'194'000;

class RunPartsTest : public ::testing::Test {
 protected:
  fs::path part(std::int64_t process, int number) {
    return folder_ /
           ("process-" + std::to_string(process) + ".strobe.part" + std::to_string(number));
  }
  void put_part(std::int64_t process, int number, std::uint64_t kernels,
                std::int64_t recorder = 17) {
    RunFileSketch(part(process, number), process, recorder).kernels(kernels);
  }

  TemporaryFolder folder_;
};

TEST_F(RunPartsTest, parts_are_found_by_number_not_by_name) {
  for (const int number : {9, 10, 11}) put_part(4, number, 1);
  put_part(5, 0, 1);
  put_bytes(folder_ / "process-4.strobe.partX", "");
  put_bytes(folder_ / "process-4.strobe", "");
  const std::vector<PartedFile> files = parted_files(folder_.path());
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].name, "process-4.strobe");
  EXPECT_THAT(files[0].parts, ElementsAre(part(4, 9), part(4, 10), part(4, 11)));
  EXPECT_EQ(files[1].name, "process-5.strobe");
}

TEST_F(RunPartsTest, parts_of_another_recorder_s_program_are_left_out) {
  put_part(4, 0, 1, 17);
  put_part(5, 0, 1, 18);
  const std::vector<PartedFile> files = parted_files(folder_.path(), 18);
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].name, "process-5.strobe");
}

TEST_F(RunPartsTest, joined_parts_are_one_file) {
  put_part(4, 0, 5);
  put_part(4, 1, 7);
  const auto files = parted_files(folder_.path());
  ASSERT_TRUE(join_parts(files[0], folder_ / "joined"));
  EXPECT_EQ(bytes_of(folder_ / "joined"), bytes_of(part(4, 0)) + bytes_of(part(4, 1)));
  const auto contents = contents_of_file(folder_ / "joined");
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->rows_of(wire::ChunkKind::kWork), 12u);
  EXPECT_EQ(contents->damaged_bytes, 0u);
}

TEST_F(RunPartsTest, what_is_just_being_written_is_left_out) {
  put_part(4, 0, 5);
  const std::string whole = bytes_of(part(4, 0));
  put_bytes(part(4, 1), whole + whole.substr(sizeof(wire::ChunkHeader),
                                             sizeof(wire::ChunkHeader) +
                                                 8));  // behind the segment: a header and a little
  ASSERT_TRUE(join_parts(parted_files(folder_.path())[0], folder_ / "joined"));
  EXPECT_EQ(bytes_of(folder_ / "joined"), whole + whole);
  put_bytes(part(4, 1), whole + whole.substr(0, 10));
  ASSERT_TRUE(join_parts(parted_files(folder_.path())[0], folder_ / "joined"));
  EXPECT_EQ(bytes_of(folder_ / "joined"), whole + whole);
}

TEST_F(RunPartsTest, a_part_that_is_removed_meanwhile_is_left_out) {
  put_part(4, 0, 5);
  put_part(4, 1, 7);
  const auto files = parted_files(folder_.path());
  fs::remove(part(4, 0));
  ASSERT_TRUE(join_parts(files[0], folder_ / "joined"));
  EXPECT_EQ(bytes_of(folder_ / "joined"), bytes_of(part(4, 1)));
}

TEST_F(RunPartsTest, a_full_disk_leaves_no_half_file) {
  put_part(4, 0, 5);
  {
    const testing::FullDisk full;
    EXPECT_FALSE(join_parts(parted_files(folder_.path())[0], folder_ / "joined"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "joined"));
}

TEST_F(RunPartsTest, old_parts_of_ended_processes_are_removed) {
  put_part(kEndedProcess, 0, 1);
  put_part(kEndedProcess, 1, 1);
  put_part(getpid(), 0, 1);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(part(kEndedProcess, 0), long_ago);
  fs::last_write_time(part(getpid(), 0), long_ago);
  put_part(kEndedProcess + 1, 0, 1, 18);  // of another machine, perhaps
  fs::last_write_time(part(kEndedProcess + 1, 0), long_ago);
  remove_forgotten_parts(folder_.path(), 17, std::chrono::minutes(1));
  EXPECT_TRUE(fs::exists(part(kEndedProcess + 1, 0)));
  EXPECT_FALSE(fs::exists(part(kEndedProcess, 0)));
  EXPECT_TRUE(fs::exists(part(kEndedProcess, 1)));
  EXPECT_TRUE(fs::exists(part(getpid(), 0)));  // its own library does it
}

TEST_F(RunPartsTest, the_wait_ends_when_every_living_process_has_written) {
  put_part(getpid(), 0, 1);
  put_part(kEndedProcess, 0, 1);
  PartsWatch watch(folder_.path());
  std::thread writer([&] {
    std::this_thread::sleep_for(milliseconds(50));
    put_part(getpid(), 1, 3);
  });
  const auto before = std::chrono::steady_clock::now();
  watch.wait(milliseconds(60'000));
  writer.join();
  EXPECT_TRUE(fs::exists(part(getpid(), 1)));
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(30'000));
}

TEST_F(RunPartsTest, a_process_that_has_nothing_to_write_is_not_waited_for_longer) {
  put_part(getpid(), 0, 1);
  PartsWatch watch(folder_.path());
  const auto before = std::chrono::steady_clock::now();
  watch.wait(milliseconds(100));
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(100));
}

}  // namespace
}  // namespace strobe::record
