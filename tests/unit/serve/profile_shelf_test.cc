#include "strobe/serve/profile_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::LogFolder;
using ::testing::ElementsAre;

// The content of a profile does not matter here: any address represents one.
std::shared_ptr<const tensorboard::Profile> some_profile() {
  const auto owner = std::make_shared<int>(0);
  return {owner, reinterpret_cast<const tensorboard::Profile*>(owner.get())};
}

// Reads texts that begin with "ok", and counts.
class Reader {
 public:
  ProfileShelf::Read function() {
    return [this](std::string_view text) -> Result<std::shared_ptr<const tensorboard::Profile>> {
      ++reads;
      if (!text.starts_with("ok")) return Error{ErrorCode::kMalformed, "bad", "", ""};
      return some_profile();
    };
  }
  std::atomic<int> reads = 0;
};

FoundTrace file_of(const std::filesystem::path& path, std::string worker, std::int64_t stamp = 0) {
  FoundTrace file;
  file.path = path;
  file.worker = std::move(worker);
  file.span = "1";
  file.stamp.modified_ns = stamp;
  return file;
}

std::vector<std::string> workers(const tensorboard::Run& run) {
  std::vector<std::string> names;
  for (const auto& profile : run.profiles) names.push_back(profile.worker);
  return names;
}

TEST(ProfileShelfTest, a_run_is_made_once_and_unreadable_files_are_left_out) {
  const LogFolder logs;
  const std::vector<FoundTrace> files = {
      file_of(logs.write("a", "ok"), "a"), file_of(logs.write("b", "?"), "b"),
      file_of(logs.path() / "gone", "c"), file_of(logs.write("d", "ok again"), "d")};
  Reader reader;
  ProfileShelf shelf(1 << 20, reader.function());
  const auto run = shelf.run("r", files);
  EXPECT_EQ(run->name, "r");
  EXPECT_THAT(workers(*run), ElementsAre("a", "d"));
  EXPECT_EQ(*run->profiles[1].read_text(), "ok again");
  EXPECT_EQ(shelf.run("r", files), run);
  EXPECT_EQ(reader.reads, 3);
}

TEST(ProfileShelfTest, a_reader_that_throws_fails_the_request_and_not_the_server) {
  const LogFolder logs;
  std::vector<FoundTrace> files;
  for (const char* name : {"a", "b", "c", "d"})
    files.push_back(file_of(logs.write(name, "ok"), name));
  bool throws = true;
  ProfileShelf shelf(1 << 20, [&](std::string_view) {
    if (throws) throw std::bad_alloc();
    return Result<std::shared_ptr<const tensorboard::Profile>>(some_profile());
  });
  EXPECT_THROW(shelf.run("r", files), std::bad_alloc);
  throws = false;
  EXPECT_EQ(shelf.run("r", files)->profiles.size(), 4u);
}

TEST(ProfileShelfTest, only_files_that_changed_are_read_again) {
  const LogFolder logs;
  std::vector<FoundTrace> files = {file_of(logs.write("a", "ok"), "a"),
                                   file_of(logs.write("b", "ok"), "b")};
  Reader reader;
  ProfileShelf shelf(1 << 20, reader.function());
  const auto before = shelf.run("r", files);
  files[1].stamp.modified_ns = 1;
  files.push_back(file_of(logs.write("c", "ok"), "c"));
  const auto after = shelf.run("r", files);
  EXPECT_THAT(workers(*after), ElementsAre("a", "b", "c"));
  EXPECT_EQ(after->profiles[0].profile, before->profiles[0].profile);
  EXPECT_NE(after->profiles[1].profile, before->profiles[1].profile);
  EXPECT_EQ(reader.reads, 4);
}

TEST(ProfileShelfTest, a_span_that_moves_costs_no_reading) {
  const LogFolder logs;
  std::vector<FoundTrace> files = {file_of(logs.write("a", "ok"), "a")};
  Reader reader;
  ProfileShelf shelf(1 << 20, reader.function());
  shelf.run("r", files);
  files[0].span = "2";
  EXPECT_EQ(shelf.run("r", files)->profiles[0].span, "2");
  EXPECT_EQ(reader.reads, 1);
}

TEST(ProfileShelfTest, the_run_not_asked_for_longest_is_forgotten_first) {
  const LogFolder logs;
  const std::string text = "ok" + std::string(998, ' ');
  const std::vector<FoundTrace> a = {file_of(logs.write("a", text), "a")};
  const std::vector<FoundTrace> b = {file_of(logs.write("b", text), "b")};
  const std::vector<FoundTrace> c = {file_of(logs.write("c", text), "c")};
  Reader reader;
  ProfileShelf shelf(2500, reader.function());
  shelf.run("a", a);
  shelf.run("b", b);
  shelf.run("a", a);
  shelf.run("c", c);  // b goes
  EXPECT_EQ(reader.reads, 3);
  shelf.run("a", a);
  EXPECT_EQ(reader.reads, 3);
  shelf.run("b", b);
  EXPECT_EQ(reader.reads, 4);
}

TEST(ProfileShelfTest, many_who_ask_at_once_wait_for_one_reading) {
  const LogFolder logs;
  const std::vector<FoundTrace> files = {file_of(logs.write("a", "ok"), "a")};
  Reader reader;
  ProfileShelf shelf(1 << 20, reader.function());
  std::vector<std::jthread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] { EXPECT_EQ(shelf.run("r", files)->profiles.size(), 1u); });
  }
  clients.clear();
  EXPECT_EQ(reader.reads, 1);
}

TEST(ProfileShelfTest, nothing_is_read_after_stop) {
  const LogFolder logs;
  Reader reader;
  ProfileShelf shelf(1 << 20, reader.function());
  shelf.stop();
  EXPECT_TRUE(shelf.run("r", {file_of(logs.write("a", "ok"), "a")})->profiles.empty());
  EXPECT_EQ(reader.reads, 0);
}

}  // namespace
}  // namespace strobe::serve
