#include "strobe/readers/cache_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::names_in;
using testing::put_bytes;
using ::testing::SizeIs;
using testing::TemporaryFolder;

class CacheFolderTest : public ::testing::Test {
 protected:
  static CacheFolder::Key key(std::uint64_t number) { return {1'000 + number, {0, number}}; }
  void add(std::uint64_t number, std::size_t bytes) {
    ASSERT_TRUE(cache_.add(key(number), [&](const fs::path& path) -> Result<void> {
      put_bytes(path, std::string(bytes, 'x'));
      return {};
    }));
  }
  bool has(std::uint64_t number) { return fs::exists(cache_.path_of(key(number))); }
  void make_older(const fs::path& path, std::chrono::hours by) {
    fs::last_write_time(path, fs::last_write_time(path) - by);
  }

  TemporaryFolder folder_;
  CacheFolder cache_ = CacheFolder::create(folder_ / "deep" / "cache").value();
};

TEST_F(CacheFolderTest, it_is_created_for_its_owner_only) {
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "deep" / "cache").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_TRUE(CacheFolder::create(folder_ / "deep" / "cache")) << "a second time";
  EXPECT_TRUE(CacheFolder::open(folder_ / "deep" / "cache"));
}

TEST_F(CacheFolderTest, a_folder_that_others_may_write_to_is_none) {
  fs::create_directory(folder_ / "open");
  fs::permissions(folder_ / "open", fs::perms::all);
  EXPECT_FALSE(CacheFolder::open(folder_ / "open"));
  EXPECT_FALSE(CacheFolder::create(folder_ / "open"));
  EXPECT_FALSE(CacheFolder::open(folder_ / "missing"));
  EXPECT_FALSE(CacheFolder::open(""));
  put_bytes(folder_ / "file", "");
  EXPECT_FALSE(CacheFolder::open(folder_ / "file"));
  EXPECT_FALSE(CacheFolder::create(folder_ / "file" / "below"));
}

TEST_F(CacheFolderTest, a_trace_appears_whole_or_not_at_all) {
  add(1, 10);
  EXPECT_TRUE(has(1));
  const Result<void> failed = cache_.add(key(2), [](const fs::path& path) -> Result<void> {
    return Error{ErrorCode::kCannotWrite, "the disk is full", path.string(), {}};
  });
  EXPECT_FALSE(failed);
  EXPECT_THAT(names_in(folder_ / "deep" / "cache"), SizeIs(1));
}

TEST_F(CacheFolderTest, it_knows_the_lengths_of_the_files_behind_its_traces) {
  EXPECT_FALSE(cache_.knows_length(1'001));
  add(1, 10);
  EXPECT_TRUE(cache_.knows_length(1'001));
  EXPECT_FALSE(cache_.knows_length(100));
  EXPECT_FALSE(cache_.knows_length(10'010));
}

TEST_F(CacheFolderTest, content_is_remembered_by_the_whole_stamp) {
  const FileStamp stamp{1, 2, 3, 4, 5};
  EXPECT_EQ(cache_.content_of(stamp), std::nullopt);
  ASSERT_TRUE(cache_.remember(stamp, {6, 7}));
  EXPECT_EQ(cache_.content_of(stamp), (ContentHash{6, 7}));
  for (const FileStamp& other :
       {FileStamp{9, 2, 3, 4, 5}, FileStamp{1, 9, 3, 4, 5}, FileStamp{1, 2, 9, 4, 5},
        FileStamp{1, 2, 3, 9, 5}, FileStamp{1, 2, 3, 4, 9}}) {
    EXPECT_EQ(cache_.content_of(other), std::nullopt);
  }
  const FileStamp later{1, 2, 3, 4, 50};
  ASSERT_TRUE(cache_.remember(later, {8, 9}));
  EXPECT_EQ(cache_.content_of(later), (ContentHash{8, 9}));
  EXPECT_EQ(cache_.content_of(stamp), std::nullopt);
}

TEST_F(CacheFolderTest, a_damaged_memory_is_forgotten) {
  const FileStamp stamp{1, 2, 3, 4, 5};
  ASSERT_TRUE(cache_.remember(stamp, {6, 7}));
  const fs::path path = folder_ / "deep" / "cache" / *names_in(folder_ / "deep" / "cache").begin();
  const std::string bytes = testing::bytes_of(path);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 16;
    put_bytes(path, damaged);
    EXPECT_EQ(cache_.content_of(stamp), std::nullopt) << at;
    put_bytes(path, bytes.substr(0, at));
    EXPECT_EQ(cache_.content_of(stamp), std::nullopt) << at;
  }
}

TEST_F(CacheFolderTest, what_was_used_longest_ago_goes_first) {
  for (std::uint64_t number = 1; number <= 4; ++number) {
    add(number, 100);
    make_older(cache_.path_of(key(number)), std::chrono::hours(10 - number));
  }
  cache_.mark_used(key(1));
  cache_.sweep(400);
  EXPECT_TRUE(has(1) && has(2) && has(3) && has(4)) << "all fit";
  cache_.sweep(250);
  EXPECT_TRUE(has(1) && has(4));
  EXPECT_FALSE(has(2) || has(3));
  cache_.sweep(0);
  EXPECT_THAT(names_in(folder_ / "deep" / "cache"), SizeIs(0));
}

TEST_F(CacheFolderTest, leftovers_are_swept_and_strangers_stay) {
  const fs::path place = folder_ / "deep" / "cache";
  for (const char* name : {"old.unfinished", "new.unfinished", "old.seen", "new.seen", "notes"}) {
    put_bytes(place / name, "x");
  }
  make_older(place / "old.unfinished", std::chrono::hours(2));
  make_older(place / "old.seen", std::chrono::hours(24 * 31));
  make_older(place / "notes", std::chrono::hours(24 * 365));
  cache_.sweep(0);
  EXPECT_THAT(names_in(place), ElementsAre("new.seen", "new.unfinished", "notes"));
}

TEST_F(CacheFolderTest, many_writers_at_once_leave_one_whole_trace) {
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        add(1, 10'000);
        cache_.sweep(1 << 20);
      }
    });
  }
  writers.clear();
  EXPECT_THAT(names_in(folder_ / "deep" / "cache"), SizeIs(1));
  EXPECT_EQ(fs::file_size(cache_.path_of(key(1))), 10'000u);
}

}  // namespace
}  // namespace strobe::readers
