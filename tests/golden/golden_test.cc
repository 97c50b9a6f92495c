#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/golden_page.h"
#include "tests/support/process.h"
#include "tests/support/watched.h"

namespace strobe::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "strobe-golden-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string listing(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    names.insert(entry.is_directory() ? name + "/" : name);
  }
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

std::string masked(std::string text, const std::vector<Mask>& masks) {
  for (const Mask& mask : masks) {
    text = std::regex_replace(text, std::regex(mask.pattern), mask.replacement);
  }
  return text;
}

// Inherits what sanitizers need, and nothing else.
std::vector<std::string> environment() {
  std::vector<std::string> variables = {"NO_COLOR=1", "LC_ALL=C.UTF-8", "COLUMNS=100",
                                        "PATH=/usr/bin:/bin", "HOME=/nonexistent"};
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

ProcessOutcome perform(const PageRun& run, const fs::path& folder) {
  ProcessRequest request;
  request.command = command_words(run.command);
  request.command[0] = STROBE_BINARY;
  request.folder = folder.string();
  request.environment = environment();
  if (!run.stdin_file.empty()) request.stdin_path = (folder / run.stdin_file).string();
  return run_process(request);
}

Expectation seen_in(const ProcessOutcome& outcome, const PageRun& run, const GoldenPage& page,
                    const fs::path& folder) {
  Expectation seen;
  seen.out = masked(outcome.out, page.masks);
  seen.err = masked(outcome.err, page.masks);
  seen.exit_code = outcome.exit_code;
  if (run.expected.files) seen.files = listing(folder);
  for (const auto& [name, expected] : run.expected.contents) {
    seen.contents[name] = masked(text_of(folder / name), page.masks);
  }
  return seen;
}

void expect_equal(const Expectation& expected, const Expectation& seen) {
  EXPECT_EQ(line_difference(expected.out, seen.out), "") << "in stdout";
  EXPECT_EQ(line_difference(expected.err, seen.err), "") << "in stderr";
  EXPECT_EQ(expected.exit_code, seen.exit_code) << "exit code";
  EXPECT_EQ(line_difference(expected.files.value_or(""), seen.files.value_or("")), "")
      << "in the files left behind";
  for (const auto& [name, text] : expected.contents) {
    EXPECT_EQ(line_difference(text, seen.contents.at(name)), "") << "in " << name;
  }
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, answers_as_the_page_says) {
  const fs::path path = fs::path(STROBE_SOURCE_DIR) / "tests/golden" / GetParam();
  ParsedPage parsed = parse_page(text_of(path));
  ASSERT_EQ(parsed.problem, "") << path;
  GoldenPage& page = parsed.page;
  SCOPED_TRACE(path.string());
  const TemporaryFolder folder;
  for (const InputFile& input : page.inputs) {
    ASSERT_EQ(write_input(input, folder.path()), "") << input.name;
  }
  const bool updates = std::getenv("STROBE_UPDATE_GOLDEN") != nullptr;
  for (PageRun& run : page.runs) {
    SCOPED_TRACE(run.command);
    ASSERT_TRUE(run.command.starts_with("strobe")) << "a run starts with `strobe`";
    const ProcessOutcome outcome = perform(run, folder.path());
    ASSERT_FALSE(outcome.timed_out) << "still running after a minute";
    if (run.peak_bytes && !test::kIsWatched) {
      EXPECT_LE(outcome.peak_bytes, *run.peak_bytes) << "took too much memory";
    }
    const Expectation seen = seen_in(outcome, run, page, folder.path());
    if (updates) {
      run.expected = seen;
    } else {
      expect_equal(run.expected, seen);
    }
  }
  if (updates) std::ofstream(path, std::ios::binary) << page_text(page);
}

std::vector<std::string> pages() {
  const fs::path folder = fs::path(STROBE_SOURCE_DIR) / "tests/golden";
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".test") {
      found.insert(fs::relative(entry.path(), folder).string());
    }
  }
  return {found.begin(), found.end()};
}

// summary/an_empty_file.test -> summary_an_empty_file
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).replace_extension().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pages, GoldenTest, testing::ValuesIn(pages()), test_name);

}  // namespace
}  // namespace strobe::test
