#include "strobe/query/questions.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/trace_reader.h"
#include "tests/unit/query/asked.h"
#include "tests/unit/query/needs_duckdb.h"

namespace strobe::query {
namespace {

using ::testing::Not;
using ::testing::StartsWith;

TEST(QuestionsTest, names_are_different) {
  std::set<std::string_view> names;
  for (const Question& question : questions()) names.insert(question.name);
  EXPECT_EQ(names.size(), questions().size());
  EXPECT_EQ(find_question("nothing"), nullptr);
}

TEST(QuestionsTest, each_has_an_answer) {
  STROBE_NEEDS_DUCKDB();
  auto loaded =
      readers::read_trace(STROBE_SOURCE_DIR "/examples/gpt_inference_compiled.json.gz", {});
  ASSERT_TRUE(loaded);
  std::vector<Trace> traces;
  traces.push_back(std::move(loaded->trace));
  Asked asked(std::move(traces));
  for (const Question& question : questions()) {
    EXPECT_THAT(asked.csv(question.sql), Not(StartsWith("error"))) << question.name;
  }
}

}  // namespace
}  // namespace strobe::query
