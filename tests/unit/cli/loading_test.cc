#include "strobe/cli/loading.h"

#include <gmock/gmock.h>

#include "strobe/cli/command_line.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using testing::names_in;
using ::testing::Not;
using ::testing::SizeIs;

TEST(LoadingTest, flags_choose_the_folder_and_which_files_count) {
  LoadChoice choice;
  const std::vector<Flag> flags = load_flags(choice);
  const auto type = [&](const std::string& word) {
    ASSERT_TRUE(parse_flags({word}, "test", flags));
  };
  type("--cache-dir=here");
  EXPECT_EQ(cache_options(choice).folder, "here");
  EXPECT_EQ(cache_options(choice).least_file_bytes, readers::CacheOptions().least_file_bytes);
  type("--cache");
  EXPECT_EQ(cache_options(choice).folder, "here");
  EXPECT_EQ(cache_options(choice).least_file_bytes, 0u);
  type("--no-cache");
  EXPECT_EQ(cache_options(choice).folder, "");
}

class CachedSummaryTest : public ::testing::Test {
 protected:
  test::ProcessOutcome summarize(std::vector<std::string> flags) {
    test::ProcessRequest request;
    request.command = {STROBE_BINARY, "summary", "-v",
                       STROBE_SOURCE_DIR "/examples/paddle_attention.json.gz"};
    request.command.insert(request.command.end(), flags.begin(), flags.end());
    request.folder = folder_.path().string();
    request.environment = {"XDG_CACHE_HOME=" + (folder_ / "home").string()};
    return test::run_process(request);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CachedSummaryTest, the_second_answer_comes_from_the_cache_and_is_the_same) {
  const auto first = summarize({"--cache"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.err, Not(HasSubstr("open from cache")));
  EXPECT_THAT(first.err, HasSubstr("store in cache"));
  const auto second = summarize({"--cache"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(second.out, first.out);
  EXPECT_THAT(second.err, HasSubstr("open from cache"));
  EXPECT_THAT(second.err, Not(HasSubstr("store in cache")));
}

TEST_F(CachedSummaryTest, short_files_are_not_cached_unless_asked_for) {
  EXPECT_EQ(summarize({}).exit_code, 0);
  EXPECT_EQ(summarize({"--no-cache"}).exit_code, 0);
  EXPECT_THAT(names_in(folder_.path()), SizeIs(0));
}

TEST_F(CachedSummaryTest, a_cache_that_cannot_be_written_is_a_note_and_no_failure) {
  testing::put_bytes(folder_ / "file", "");
  const auto outcome = summarize({"--cache", "--cache-dir", "file/below"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("not cached"));
}

}  // namespace
}  // namespace strobe::cli
