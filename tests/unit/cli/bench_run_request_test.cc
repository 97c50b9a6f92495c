#include "strobe/cli/bench_run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Result<BenchRunRequest> read_run(const TypedFlags& flags) {
  return typed_request(bench_run_flags, complete_bench_run, {}, flags);
}

TEST(BenchRunRequest, everything_typed_arrives) {
  const auto request = read_run({{"case", "softmax,layernorm"},
                                 {"provider", "cpu,cpu-unfused"},
                                 {"shape", "64x32,128x128"},
                                 {"dtype", "bf16"},
                                 {"mode", "cpu"},
                                 {"l2", "hot"},
                                 {"stop", "samples:50"},
                                 {"seed", "9"},
                                 {"repeat-check", "3"},
                                 {"max-elements", "5000"},
                                 {"cell-timeout", "300ms"},
                                 {"cache-dir", "/x"},
                                 {"output", "run.json"},
                                 {"samples", "on"},
                                 {"style", "paddle"}});
  ASSERT_TRUE(request) << request.error().what;
  const bench::RunRequest& run = request->run;
  EXPECT_THAT(run.cells.cases, ElementsAre("softmax", "layernorm"));
  EXPECT_THAT(run.providers, ElementsAre("cpu", "cpu-unfused"));
  EXPECT_THAT(run.cells.shapes, ElementsAre(bench::Shape{{64, 32}}, bench::Shape{{128, 128}}));
  EXPECT_THAT(run.cells.dtypes, ElementsAre(bench::DType::kBf16));
  EXPECT_THAT(run.timing.modes, ElementsAre(bench::TimeMode::kCpu));
  EXPECT_EQ(run.prepare.flush, bench::FlushKind::kHot);
  EXPECT_EQ(run.timing.measure.stop.kind, bench::StopRule::Kind::kSamples);
  EXPECT_EQ(run.prepare.seed, 9u);
  EXPECT_EQ(run.timing.repeat_check, 3);
  EXPECT_EQ(run.cells.most_elements, 5000);
  EXPECT_EQ(run.workers.cell_limit, milliseconds(300));
  EXPECT_EQ(run.prepare.cache_folder, "/x");
  EXPECT_TRUE(request->chose_providers);
  EXPECT_TRUE(request->keeps_samples);
  EXPECT_TRUE(request->is_paddle_style);
}

TEST(BenchRunRequest, under_a_profiler_nothing_is_tuned_and_time_is_given) {
  const auto plain = read_run({{"case", "softmax"}, {"provider", "cpu"}});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->run.timing.is_profiled);
  EXPECT_FALSE(plain->run.timing.lists_api);
  EXPECT_TRUE(plain->run.prepare.may_tune);
  const auto profiled = read_run({{"case", "softmax"}, {"provider", "cpu"}, {"profile", "on"}});
  ASSERT_TRUE(profiled);
  EXPECT_TRUE(profiled->run.timing.is_profiled);
  EXPECT_FALSE(profiled->run.prepare.may_tune);
  EXPECT_EQ(profiled->run.timing.measure.warm_up.most_calls, 1);
  EXPECT_THAT(profiled->run.timing.modes,
              ElementsAre(bench::TimeMode::kDevice, bench::TimeMode::kCpu));
  EXPECT_GE(profiled->run.workers.cell_limit, std::chrono::minutes(10));
  const auto limited = read_run(
      {{"case", "softmax"}, {"provider", "cpu"}, {"profile", "on"}, {"cell-timeout", "300ms"}});
  EXPECT_EQ(limited->run.workers.cell_limit, milliseconds(300));
}

TEST(BenchRunRequest, api_calls_are_asked_for_by_name) {
  const auto request = read_run({{"case", "softmax"}, {"provider", "cpu"}, {"api", "on"}});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->run.timing.lists_api);
  EXPECT_FALSE(request->run.timing.is_profiled);
}

TEST(BenchRunRequest, kinds_of_cases_are_words_too) {
  const auto request = read_run({{"case", "matmul"}, {"provider", "cpu"}});
  ASSERT_TRUE(request);
  EXPECT_THAT(request->run.cells.cases,
              ElementsAre("matmul_add", "matmul_relu", "matmul_add_relu", "matmul_matmul"));
}

TEST(BenchRunRequest, training_takes_the_variants_that_there_are) {
  const auto request = read_run({{"case", "softmax,bias_dropout_add,bias_dropout_add_transposed"},
                                 {"provider", "cpu"},
                                 {"train", "on"}});
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_THAT(request->run.cells.cases, ElementsAre("softmax", "bias_dropout_add_train",
                                                    "bias_dropout_add_transposed_train"));
  const auto by_name = read_run({{"case", "bias_dropout_add_train"}, {"provider", "cpu"}});
  ASSERT_TRUE(by_name);
  EXPECT_THAT(by_name->run.cells.cases, ElementsAre("bias_dropout_add_train"));
  const auto both =
      read_run({{"case", "bias_dropout_add_train"}, {"provider", "cpu"}, {"train", "on"}});
  ASSERT_TRUE(both);
  EXPECT_THAT(both->run.cells.cases, ElementsAre("bias_dropout_add_train"));
}

TEST(BenchRunRequest, kinds_hold_no_training_unless_asked_for) {
  const auto rows = read_run({{"case", "rows"}, {"provider", "cpu"}});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->run.cells.cases.size(), 12u);
  EXPECT_THAT(rows->run.cells.cases, Not(Contains(HasSubstr("_train"))));
  const auto train = read_run({{"case", "rows"}, {"provider", "cpu"}, {"train", "on"}});
  ASSERT_TRUE(train);
  EXPECT_EQ(train->run.cells.cases.size(), 12u);
  EXPECT_THAT(train->run.cells.cases, Contains("bias_dropout_add_train"));
  EXPECT_THAT(train->run.cells.cases, Not(Contains("bias_dropout_add")));
}

TEST(BenchRunRequest, training_of_cases_without_it_is_a_mistake) {
  const auto request = read_run({{"case", "softmax,matmul"}, {"provider", "cpu"}, {"train", "on"}});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(request.error().where, "--train");
  EXPECT_EQ(request.error().hint, "bias_dropout_add and bias_dropout_add_transposed have one");
}

TEST(BenchRunRequest, quick_has_cases_of_its_own_and_caps_the_grid) {
  const auto request = read_run({{"quick", "on"}, {"provider", "cpu"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.cells.cases.size(), 3u);
  EXPECT_EQ(request->run.cells.grid, "quick");
  EXPECT_EQ(request->run.cells.most_elements, 1 << 24);
  EXPECT_LT(request->run.timing.measure.stop.most_ms, 1000);
}

TEST(BenchRunRequest, quick_does_not_cap_a_shape_by_hand) {
  const auto request = read_run({{"quick", "on"}, {"provider", "cpu"}, {"shape", "16384x16384"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.cells.most_elements, 0);
}

TEST(BenchRunRequest, no_cache_means_none) {
  const auto request = read_run({{"case", "softmax"}, {"provider", "cpu"}, {"cache", "off"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.prepare.cache_folder, "");
}

// Sets an environment variable, or removes it, until the end of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) { value == nullptr ? unsetenv(name_) : setenv(name_, value, 1); }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(BenchRunRequest, without_a_home_there_is_no_cache) {
  const Variable xdg("XDG_CACHE_HOME", nullptr);
  {
    const Variable home("HOME", "/users/me");
    const auto request = read_run({{"case", "softmax"}, {"provider", "cpu"}});
    EXPECT_EQ(request->run.prepare.cache_folder, "/users/me/.cache/strobe/bench");
  }
  const Variable home("HOME", nullptr);
  const auto request = read_run({{"case", "softmax"}, {"provider", "cpu"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.prepare.cache_folder, "");
}

TEST(BenchRunRequest, a_worker_of_ones_own_runs_in_the_shell) {
  const auto request = read_run({{"case", "softmax"}, {"worker", "mine=my_worker --a 'b,c'"}});
  ASSERT_TRUE(request) << request.error().what;
  EXPECT_THAT(request->run.providers, ElementsAre("mine"));
  EXPECT_TRUE(request->chose_providers);
  EXPECT_THAT(request->run.workers.commands.at("mine"),
              ElementsAre("/bin/sh", "-c", "exec my_worker --a 'b,c'"));
}

TEST(BenchRunRequest, torch_is_a_worker_of_the_chosen_interpreter) {
  const auto request = read_run({{"case", "softmax"},
                                 {"provider", "cpu,torch-eager,torch-inductor"},
                                 {"python", "/v/python"}});
  ASSERT_TRUE(request) << request.error().what;
  ASSERT_TRUE(request->torch);
  EXPECT_THAT(request->run.workers.commands.at("torch-inductor"),
              ElementsAre("/v/python", request->torch->path().string()));
  EXPECT_FALSE(request->run.workers.commands.contains("cpu"));
}

TEST(BenchRunRequest, mistakes_are_answered_before_any_work) {
  const std::vector<TypedFlags> kBad = {
      {{"provider", "cpu"}},  // no case
      {{"case", "softmax"}, {"provider", "cuda"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"shape", "4096"}, {"dtype", "f64"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"shape", "axb"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"mode", "wall"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"stop", "soon"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"cell-timeout", "0"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"cell-timeout", "1h"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"worker", "mine"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"samples", "on"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"samples", "on"}, {"output", "-"}},
      {{"case", "softmax"}, {"provider", "cpu"}, {"repeat-check", "0"}}};
  for (const auto& typed : kBad) {
    const auto request = read_run(typed);
    ASSERT_FALSE(request) << typed.back().first;
    EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument) << request.error().what;
  }
}

TEST(BenchRunRequest, time_limits_have_units) {
  EXPECT_EQ(time_limit("--x", "60").value(), milliseconds(60'000));
  EXPECT_EQ(time_limit("--x", "1.5s").value(), milliseconds(1500));
  EXPECT_EQ(time_limit("--x", "300ms").value(), milliseconds(300));
}

}  // namespace
}  // namespace strobe::cli
