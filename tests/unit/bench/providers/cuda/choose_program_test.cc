#include "strobe/bench/providers/cuda/choose_program.h"

#include <map>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

class ScriptedTimer final : public ProgramTimer {
 public:
  Result<std::vector<double>> time(const KernelProgram& program, int samples) override {
    asked[program.label].push_back(samples);
    const auto failure = failures.find(program.label);
    if (failure != failures.end()) return failure->second;
    // The first look at "flatterer" is lucky.
    const double us = program.label == "flatterer" && samples == 5 ? 1 : times.at(program.label);
    return std::vector<double>(static_cast<std::size_t>(samples), us);
  }
  bool is_lost() const override { return is_gone; }

  std::map<std::string, double> times;
  std::map<std::string, Error> failures;
  std::map<std::string, std::vector<int>> asked;
  bool is_gone = false;
};

std::vector<KernelProgram> labelled(std::initializer_list<const char*> labels) {
  std::vector<KernelProgram> programs;
  for (const char* label : labels) programs.emplace_back().label = label;
  return programs;
}

Error error_of(ErrorCode code) { return {.code = code, .what = "no", .where = "", .hint = ""}; }

TEST(ChooseProgram, takes_the_fastest_and_looks_longer_at_the_better_ones) {
  ScriptedTimer timer;
  timer.times = {{"a", 9}, {"b", 8}, {"c", 7}, {"d", 3}, {"e", 5}, {"f", 6}, {"g", 4}};
  const auto programs = labelled({"a", "b", "c", "d", "e", "f", "g"});
  const auto choice = choose_program(timer, programs);
  ASSERT_TRUE(choice);
  EXPECT_EQ(programs[choice->index].label, "d");
  EXPECT_EQ(choice->median_us, 3);
  EXPECT_EQ(timer.asked["a"], (std::vector<int>{5}));  // the slowest of seven
  EXPECT_EQ(timer.asked["d"], (std::vector<int>{5, 20, 60}));
  EXPECT_EQ(timer.asked["e"], (std::vector<int>{5, 20}));
}

TEST(ChooseProgram, one_lucky_look_does_not_decide) {
  ScriptedTimer timer;
  timer.times = {{"flatterer", 9}, {"honest", 8}};
  const auto programs = labelled({"flatterer", "honest"});
  EXPECT_EQ(programs[choose_program(timer, programs)->index].label, "honest");
}

TEST(ChooseProgram, equals_are_decided_by_the_generators_order) {
  ScriptedTimer timer;
  timer.times = {{"a", 5}, {"b", 5}};
  EXPECT_EQ(choose_program(timer, labelled({"a", "b"}))->index, 0u);
}

TEST(ChooseProgram, a_candidate_that_cannot_run_is_left_out_and_named) {
  ScriptedTimer timer;
  timer.times = {{"b", 5}};
  timer.failures = {{"a", error_of(ErrorCode::kMalformed)}};
  const auto choice = choose_program(timer, labelled({"a", "b"}));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->index, 1u);
  EXPECT_EQ(choice->failures, (std::vector<std::string>{"a: no"}));
}

TEST(ChooseProgram, if_none_can_run_the_last_error_is_the_answer) {
  ScriptedTimer timer;
  timer.failures = {{"a", error_of(ErrorCode::kMalformed)}, {"b", error_of(ErrorCode::kNotFound)}};
  const auto choice = choose_program(timer, labelled({"a", "b"}));
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(choose_program(timer, {}));
}

TEST(ChooseProgram, a_lack_of_memory_or_a_lost_device_ends_it_at_once) {
  ScriptedTimer timer;
  timer.times = {{"b", 5}};
  timer.failures = {{"a", error_of(ErrorCode::kMachineLacks)}};
  EXPECT_FALSE(choose_program(timer, labelled({"a", "b"})));
  EXPECT_EQ(timer.asked.count("b"), 0u);
  timer.failures = {{"a", error_of(ErrorCode::kMalformed)}};
  timer.is_gone = true;
  EXPECT_FALSE(choose_program(timer, labelled({"a", "b"})));
  EXPECT_EQ(timer.asked.count("b"), 0u);
}

}  // namespace
}  // namespace strobe::bench
