#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/query/needs_duckdb.h"

// `strobe convert -o x.parquet/` and `strobe query` as programs.
namespace strobe::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTrace = STROBE_SOURCE_DIR "/examples/serving/gpu_contention";

test::ProcessOutcome strobe(std::vector<std::string> words, const std::string& input = {}) {
  words.insert(words.begin(), STROBE_BINARY);
  test::ProcessRequest request{
      .command = words, .folder = "/", .environment = {"STROBE_DUCKDB=" + engine_facts()->path}};
  if (!input.empty()) request.stdin_path = input;
  return test::run_process(request);
}

TEST(ConvertToParquetTest, the_folder_answers_like_the_trace) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string folder = (temporary / "run.parquet/").string();
  const test::ProcessOutcome converted = strobe({"convert", kTrace, "-o", folder});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_THAT(converted.err, HasSubstr("strobe: wrote"));
  for (const char* question : {"top-kernels", "ranks", "losses", "gaps"}) {
    const test::ProcessOutcome from_files = strobe({"query", folder, question});
    EXPECT_EQ(from_files.exit_code, 0) << from_files.err;
    EXPECT_EQ(from_files.out, strobe({"query", kTrace, question}).out) << question;
  }
  EXPECT_EQ(testing::names_in(folder).count("kernels.parquet"), 1u);
  // A second time, over the files of the first; nothing else is left in the folder.
  const auto files = testing::names_in(folder);
  EXPECT_EQ(strobe({"convert", kTrace, "-o", folder, "-q"}).err, "");
  EXPECT_EQ(testing::names_in(folder), files);
}

TEST(ConvertToParquetTest, what_cannot_be_done_leaves_nothing) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string folder = (temporary / "a.parquet").string();
  EXPECT_EQ(strobe({"convert", "/does/not/exist.json", "-o", folder}).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(strobe({"convert", kTrace, "--to", "parquet", "-o", "-"}).exit_code, 2);
  const std::string file = (temporary / "b.parquet").string();
  EXPECT_EQ(strobe({"query", kTrace, "select nothing", "-o", file}).exit_code, 2);
  EXPECT_THAT(testing::names_in(temporary.path()), ElementsAre());
}

TEST(ConvertToParquetTest, an_answer_becomes_a_file) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string file = (temporary / "answer.parquet").string();
  const test::ProcessOutcome written = strobe(
      {"query", kTrace, "select name, sum(dur) as total from kernels group by name", "-o", file});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const test::ProcessOutcome read =
      strobe({"query", kTrace, "--unsafe", "--format", "csv",
              "select (select sum(total) from '" + file + "') = sum(dur) as same from kernels"});
  EXPECT_EQ(read.out, "same\ntrue\n") << read.err;
}

TEST(ConvertToParquetTest, statements_come_from_a_pipe) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string input = (temporary / "asked.sql").string();
  testing::put_bytes(input, "select 1 as a; -- one\nselect\n ';' as b;\nselect 3 as c");
  const test::ProcessOutcome answered = strobe({"query", kTrace, "--format", "csv"}, input);
  EXPECT_EQ(answered.out, "a\n1\nb\n;\nc\n3\n");
  EXPECT_EQ(answered.exit_code, 0);
  testing::put_bytes(input, "select 1 as a; oops; select 2 as b;");
  const test::ProcessOutcome failed = strobe({"query", kTrace, "--format", "csv"}, input);
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err, HasSubstr("syntax error"));
  const test::ProcessOutcome empty = strobe({"query", kTrace});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("no query was given"));
}

// A single call of a function that takes minutes and cannot be interrupted.
TEST(ConvertToParquetTest, a_query_that_does_not_stop_ends_with_its_process) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string file = (temporary / "never.csv").string();
  const test::ProcessOutcome ended =
      strobe({"query", kTrace, "--timeout", "100ms", "-o", file,
              "select levenshtein(repeat(any_value(name), 20000), repeat('x', 1000000)) as d "
              "from kernels"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.err, HasSubstr("the query does not stop"));
  EXPECT_THAT(testing::names_in(temporary.path()), ElementsAre());
}

}  // namespace
}  // namespace strobe::query
