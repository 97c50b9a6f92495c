#include "strobe/cli/summary_inputs.h"

#include <gmock/gmock.h>

#include "tests/support/sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kEmptyTrace = R"({"schemaVersion":1,"traceEvents":[]})";

std::vector<std::string> names_of(const SummaryInputs& inputs, const std::filesystem::path& root) {
  std::vector<std::string> names;
  for (const auto& trace : inputs.traces) names.push_back(trace.lexically_relative(root).string());
  return names;
}

readers::LoadedTrace loaded(std::optional<std::int32_t> rank) {
  Sketch sketch;
  sketch.metadata().distributed.rank = rank;
  readers::LoadedTrace trace;
  trace.trace = sketch.trace();
  return trace;
}

TEST(SummaryInputsTest, files_are_taken_as_typed) {
  const auto inputs = find_inputs({"b.json", "a.json"});
  ASSERT_TRUE(inputs);
  EXPECT_THAT(inputs->traces, ElementsAre("b.json", "a.json"));
  EXPECT_TRUE(inputs->folders.empty());
}

TEST(SummaryInputsTest, a_folder_means_its_ranks_by_number) {
  const test::LogFolder logs;
  for (const int rank : {0, 2, 10}) {
    logs.write("rank" + std::to_string(rank) + "/trace.json", kEmptyTrace);
  }
  const auto inputs = find_inputs({logs.path().string()});
  ASSERT_TRUE(inputs);
  EXPECT_THAT(names_of(*inputs, logs.path()),
              ElementsAre("rank0/trace.json", "rank2/trace.json", "rank10/trace.json"));
}

TEST(SummaryInputsTest, a_folder_without_traces_says_so) {
  const test::LogFolder logs;
  const auto inputs = find_inputs({logs.path().string()});
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().what, "the folder holds no trace");
  EXPECT_EQ(inputs.error().where, logs.path().string());
}

TEST(SummaryInputsTest, traces_in_a_folder_must_be_the_ranks_of_one_run) {
  const TraceFolder named = {"run", {{0, "run/rank0.json", {}}, {1, "run/rank1.json", {}}}, 0};
  const TraceFolder unnamed = {"run", {{{}, "run/a.json", {}}, {{}, "run/b.json", {}}}, 1};
  std::vector<readers::LoadedTrace> traces;
  traces.push_back(loaded({}));
  traces.push_back(loaded(4));
  traces.push_back(loaded(5));
  EXPECT_TRUE(expect_one_run(named, traces));
  EXPECT_TRUE(expect_one_run(unnamed, traces)) << "they record their ranks";
  traces[2] = loaded(4);
  const auto refused = expect_one_run(unnamed, traces);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("2 traces that are not the ranks of one run"));
  EXPECT_EQ(refused.error().where, "run");
  EXPECT_EQ(refused.error().hint, "give one of them: `strobe summary run/a.json`");
}

}  // namespace
}  // namespace strobe::cli
