#include "strobe/base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "tests/support/temporary_folder.h"

namespace strobe {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string pattern = (fs::temp_directory_path() / "strobe_file_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(FileTest, any_part_can_be_read_and_the_end_is_a_short_read) {
  const auto file = File::open(write("a.json", "0123456789"));
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->is_seekable());
  EXPECT_EQ(file->size_bytes(), 10u);
  std::string buffer(4, '\0');
  EXPECT_EQ(*file->read_at(3, buffer), 4u);
  EXPECT_EQ(buffer, "3456");
  EXPECT_EQ(*file->read_at(8, buffer), 2u);
  EXPECT_EQ(*file->read_at(100, buffer), 0u);
}

TEST_F(FileTest, reading_on_continues_where_it_ended) {
  auto file = File::open(write("a.json", "0123456789"));
  std::string buffer(6, '\0');
  EXPECT_EQ(*file->read(buffer), 6u);
  EXPECT_EQ(*file->read(buffer), 4u);
  EXPECT_EQ(buffer.substr(0, 4), "6789");
  EXPECT_EQ(*file->read(buffer), 0u);
}

TEST_F(FileTest, a_moved_file_stays_open) {
  auto first = File::open(write("a.json", "0123456789"));
  File second = std::move(*first);
  File third = *File::open(write("b.json", "x"));
  third = std::move(second);
  std::string buffer(10, '\0');
  EXPECT_EQ(*third.read_at(0, buffer), 10u);
}

TEST_F(FileTest, a_missing_file_is_told_with_its_packed_twin) {
  write("run.json.gz", "x");
  const auto file = File::open(folder_ / "run.json");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(file.error().what, "no such file");
  EXPECT_EQ(file.error().where, (folder_ / "run.json").string());
  EXPECT_THAT(file.error().hint, HasSubstr("run.json.gz'?"));
}

TEST_F(FileTest, a_missing_file_is_told_with_its_unpacked_twin) {
  write("run.json", "x");
  const auto file = File::open(folder_ / "run.json.gz");
  ASSERT_FALSE(file.has_value());
  EXPECT_THAT(file.error().hint, HasSubstr("run.json'?"));
}

TEST_F(FileTest, a_missing_folder_is_told) {
  const auto file = File::open(folder_ / "no" / "run.json");
  ASSERT_FALSE(file.has_value());
  EXPECT_THAT(file.error().hint, HasSubstr("does not exist either"));
}

TEST_F(FileTest, a_directory_is_not_a_file) {
  const auto file = File::open(folder_);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(file.error().what, HasSubstr("directory"));
}

TEST_F(FileTest, an_empty_file_is_told_with_the_likely_cause) {
  const auto file = File::open(write("a.json", ""));
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(file.error().what, "the file is empty");
  EXPECT_THAT(file.error().hint, HasSubstr("killed"));
}

// Root may read everything, so for a while the process is another user.
class Nobody {
 public:
  Nobody() {
    if (user_ == 0) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~Nobody() { EXPECT_EQ(::seteuid(user_), 0); }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  const uid_t user_ = ::geteuid();
};

TEST_F(FileTest, a_file_without_permission_is_told) {
  const fs::path path = write("a.json", "x");
  fs::permissions(path, fs::perms::none);
  const Nobody nobody;
  const auto file = File::open(path);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(file.error().what, HasSubstr("permission"));
}

TEST_F(FileTest, a_pipe_is_read_front_to_back) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string text(1'000'000, 'x');
  text.back() = 'y';
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
  auto file = File::open(pipe);
  ASSERT_TRUE(file.has_value());
  EXPECT_FALSE(file->is_seekable());
  EXPECT_EQ(file->size_bytes(), 0u);
  auto stream = open_stream(std::move(*file));
  ASSERT_TRUE(stream.has_value());
  std::string read(2'000'000, '\0');
  const auto bytes = (*stream)->read(read);
  writer.join();
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(read.substr(0, *bytes), text);
}

TEST_F(FileTest, a_file_that_says_nothing_of_its_size_is_read_like_a_pipe) {
  auto file = File::open("/proc/self/status");
  ASSERT_TRUE(file.has_value());
  EXPECT_FALSE(file->is_seekable());
  std::string buffer(100, '\0');
  EXPECT_GT(*file->read(buffer), 0u);
}

TEST(MappedFileTest, the_bytes_of_the_file_outlive_its_name) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'x');
  put_bytes(folder / "a", text);
  const auto file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file);
  std::filesystem::remove(folder / "a");
  const std::span<const char> bytes = (*file)->bytes();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
}

TEST(MappedFileTest, what_cannot_be_mapped_is_told) {
  const TemporaryFolder folder;
  put_bytes(folder / "empty", "");
  for (const auto& path : {folder / "missing", folder / "empty", folder.path()}) {
    const auto file = MappedFile::open(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().where, path.string());
  }
}

TEST(FileStampTest, an_untouched_file_keeps_its_stamp) {
  const TemporaryFolder folder;
  put_bytes(folder / "a", "text");
  const auto stamp = stamp_of(folder / "a");
  ASSERT_TRUE(stamp.has_value());
  EXPECT_EQ(stamp->bytes, 4u);
  EXPECT_EQ(stamp_of(folder / "a"), stamp);
  std::filesystem::create_symlink(folder / "a", folder / "link");
  EXPECT_EQ(stamp_of(folder / "link"), stamp);
}

TEST(FileStampTest, a_replaced_file_has_another_stamp_even_with_the_old_times) {
  const TemporaryFolder folder;
  put_bytes(folder / "a", "text");
  const auto before = stamp_of(folder / "a");
  const auto time = std::filesystem::last_write_time(folder / "a");
  put_bytes(folder / "b", "taxt");
  std::filesystem::last_write_time(folder / "b", time);
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_NE(stamp_of(folder / "a"), before);
}

TEST(InFileTest, the_file_is_named_once_and_by_its_whole_name) {
  const auto where = [](const std::string& place, const std::string& path) {
    return in_file(Error{ErrorCode::kMalformed, "wrong", place, ""}, path).where;
  };
  EXPECT_EQ(where("", "b"), "b");
  EXPECT_EQ(where("b", "b"), "b");
  EXPECT_EQ(where("byte 17", "b"), "b, byte 17");
  EXPECT_EQ(where("b, byte 17", "b"), "b, byte 17");
  EXPECT_EQ(where("run.json.gz", "run.json"), "run.json, run.json.gz");
}

TEST(FileStampTest, only_regular_files_have_one) {
  const TemporaryFolder folder;
  EXPECT_FALSE(stamp_of(folder.path()));
  EXPECT_FALSE(stamp_of(folder / "missing"));
  EXPECT_FALSE(stamp_of("/dev/null"));
}

TEST(FileStampTest, a_stamp_settles_two_seconds_after_the_last_change) {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  FileStamp stamp;
  stamp.modified_ns = 100 * kSecond_ns;
  stamp.changed_ns = 90 * kSecond_ns;
  EXPECT_FALSE(has_settled(stamp, 101 * kSecond_ns));
  EXPECT_FALSE(has_settled(stamp, 102 * kSecond_ns));
  EXPECT_TRUE(has_settled(stamp, 102 * kSecond_ns + 1));
  stamp.changed_ns = 101 * kSecond_ns;
  EXPECT_FALSE(has_settled(stamp, 102 * kSecond_ns + 1));
  stamp.modified_ns = 200 * kSecond_ns;
  EXPECT_FALSE(has_settled(stamp, 150 * kSecond_ns)) << "from the future";
}

}  // namespace
}  // namespace strobe
