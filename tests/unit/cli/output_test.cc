#include "strobe/cli/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    std::string name = (fs::temp_directory_path() / "strobe-output-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~OutputTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  static std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  static void put(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

  fs::path folder_;
};

TEST_F(OutputTest, a_committed_answer_is_there_and_nothing_else) {
  ASSERT_TRUE(write_whole(path("out.txt"), "answer\n"));
  EXPECT_EQ(text_of(path("out.txt")), "answer\n");
  EXPECT_THAT(files(), ElementsAre("out.txt"));
}

TEST_F(OutputTest, until_the_commit_the_old_answer_stands) {
  put(path("out.txt"), "old");
  Result<Output> output = Output::open(path("out.txt"));
  ASSERT_TRUE(output);
  ASSERT_TRUE(output->write("new"));
  EXPECT_EQ(text_of(path("out.txt")), "old");
  ASSERT_TRUE(output->commit());
  EXPECT_EQ(text_of(path("out.txt")), "new");
}

TEST_F(OutputTest, without_a_commit_nothing_remains) {
  {
    Result<Output> output = Output::open(path("out.txt"));
    ASSERT_TRUE(output);
    ASSERT_TRUE(output->write("half an ans"));
    EXPECT_EQ(files().size(), 1u) << "the temporary name";
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(OutputTest, a_full_disk_leaves_the_old_answer_and_no_temporary) {
  put(path("out.txt"), "old");
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<void> outcome = write_whole(path("out.txt"), std::string(100'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCannotWrite);
  EXPECT_EQ(text_of(path("out.txt")), "old");
  EXPECT_THAT(files(), ElementsAre("out.txt"));
}

TEST_F(OutputTest, the_mode_of_the_old_file_is_kept) {
  put(path("out.txt"), "old");
  ASSERT_EQ(chmod(path("out.txt").c_str(), 0640), 0);
  ASSERT_TRUE(write_whole(path("out.txt"), "new"));
  struct stat status {};
  ASSERT_EQ(stat(path("out.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputTest, a_new_file_gets_the_mode_any_program_would_give_it) {
  const mode_t mask = umask(027);
  ASSERT_TRUE(write_whole(path("out.txt"), "new"));
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("out.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputTest, a_link_stays_a_link) {
  put(path("real.txt"), "old");
  fs::create_symlink("real.txt", path("link.txt"));
  ASSERT_TRUE(write_whole(path("link.txt"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(text_of(path("real.txt")), "new");
  EXPECT_THAT(files(), UnorderedElementsAre("real.txt", "link.txt"));
}

TEST_F(OutputTest, a_pipe_is_written_to_directly) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string seen;
  std::thread reader([&] { seen = text_of(path("pipe")); });
  EXPECT_TRUE(write_whole(path("pipe"), "through the pipe"));
  reader.join();
  EXPECT_EQ(seen, "through the pipe");
  EXPECT_THAT(files(), ElementsAre("pipe"));
}

TEST(FormatWordTest, the_ending_of_a_name_means_a_format) {
  EXPECT_EQ(format_word("out/report.html"), "html");
  EXPECT_EQ(format_word("R.MD"), "markdown");
  EXPECT_EQ(format_word("a.json"), "json");
  EXPECT_EQ(format_word("a.txt"), "text");
  EXPECT_EQ(format_word("a.json.gz"), "");
  EXPECT_EQ(format_word("json"), "");
  EXPECT_EQ(format_word(".json"), "") << "a hidden file without an ending";
}

TEST_F(OutputTest, a_reader_that_went_away_is_no_failure) {
  std::signal(SIGPIPE, SIG_IGN);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread reader([&] { close(open(path("pipe").c_str(), O_RDONLY)); });
  Result<Output> output = Output::open(path("pipe"));
  reader.join();
  ASSERT_TRUE(output);
  EXPECT_TRUE(output->write(std::string(1 << 20, 'x')));
  EXPECT_TRUE(output->commit());
}

TEST_F(OutputTest, a_folder_or_a_missing_folder_is_refused_before_the_work) {
  const Result<Output> folder = Output::open(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().what, "it is a directory");
  const Result<Output> missing = Output::open(path("no/such/out.txt"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kCannotWrite);
  EXPECT_EQ(missing.error().what, "the folder does not exist");
  EXPECT_EQ(missing.error().hint, "mkdir -p '" + path("no/such") + "'");
}

TEST_F(OutputTest, only_regular_and_new_files_are_replaced) {
  EXPECT_TRUE(is_replaced(path("new.txt")));
  put(path("old.txt"), "old");
  EXPECT_TRUE(is_replaced(path("old.txt")));
  EXPECT_TRUE(is_replaced("/dev/shm/no-such-file-of-strobe.json"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(is_replaced(path("pipe")));
  for (const char* place : {"", "-", "/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_FALSE(is_replaced(place)) << place;
  }
}

TEST_F(OutputTest, a_descriptor_that_leads_to_a_file_is_written_to_directly) {
  put(path("out.txt"), "");
  const int descriptor = open(path("out.txt").c_str(), O_WRONLY);
  ASSERT_TRUE(write_whole("/dev/fd/" + std::to_string(descriptor), "answer"));
  close(descriptor);
  EXPECT_EQ(text_of(path("out.txt")), "answer");
}

TEST_F(OutputTest, a_check_finds_bad_places_and_leaves_no_trace) {
  EXPECT_TRUE(check_writable(""));
  EXPECT_TRUE(check_writable("-"));
  EXPECT_TRUE(check_writable(path("out.txt")));
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(check_writable(folder_.string()).error().what, "it is a directory");
  EXPECT_EQ(check_writable(path("no/such/out.txt")).error().what, "the folder does not exist");
}

TEST_F(OutputTest, a_check_does_not_wait_for_the_reader_of_a_pipe) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(check_writable(path("pipe")));
}

}  // namespace
}  // namespace strobe::cli
