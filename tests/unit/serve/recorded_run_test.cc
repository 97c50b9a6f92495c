#include "strobe/serve/recorded_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "strobe/wire/run_settings.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::LogFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTwoRecorders = R"({"strobe_run": 1, "recordings": [
  {"state": "finished", "recorder": 7, "command": ["python3", "a b.py", "--x=1"], "host": "h0", "rank": 0,
   "started_unix_ns": 2000000000, "ended_unix_ns": 5000000000, "exit_code": 0, "signal": null,
   "sources": [{"name": "gpu_work", "state": "recorded", "why": ""},
               {"name": "scheduler", "state": "missing", "why": "not permitted"},
               {"name": "ranges", "state": "partly", "why": "too many"}],
   "processes": [{"pid": 8, "rank": 0}, {"pid": 9, "rank": 0}], "losses": ["12 records"]},
  {"state": "finished", "recorder": 17, "command": ["python3", "a b.py", "--x=1"], "host": "h1", "rank": 1,
   "started_unix_ns": 1000000000, "ended_unix_ns": 4000000000, "exit_code": 3, "signal": null,
   "sources": [{"name": "scheduler", "state": "missing", "why": "not permitted"}],
   "processes": [{"pid": 18, "rank": 1}], "losses": ["12 records", "13 records"]}]})";

std::string shown(const RecordedRun& run, std::int64_t now_unix_ns = 0) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_recorded_run(&run, now_unix_ns, json);
  json.end_object();
  return text;
}

TEST(RecordedRunTest, recorders_of_one_run_are_added_up_and_say_the_same_once) {
  const auto run = parse_recorded_run(kTwoRecorders);
  ASSERT_TRUE(run);
  EXPECT_EQ(shown(*run),
            R"({"recorded":{"state":"finished","command":"python3 'a b.py' --x=1","exit_code":3,)"
            R"("signal":null,"started_ms":1000,"duration_ns":4000000000,"processes":3,"ranks":2,)"
            R"("missing":[{"source":"scheduler","is_partial":false,"why":"not permitted"},)"
            R"({"source":"ranges","is_partial":true,"why":"too many"}],)"
            R"("losses":["12 records","13 records"]}})");
}

TEST(RecordedRunTest, while_it_is_recorded_a_run_lasts_until_now) {
  auto run = parse_recorded_run(
      R"({"strobe_run":1,"recordings":[{"state":"recording","started_unix_ns":5000000000}]})");
  ASSERT_TRUE(run);
  run->state = RunState::kRecording;
  EXPECT_THAT(shown(*run, 7'500'000'000), HasSubstr(R"("duration_ns":2500000000)"));
  EXPECT_THAT(shown(*run, 7'500'000'000), HasSubstr(R"("command":null,"exit_code":null)"));
  EXPECT_THAT(shown(*run, 1), HasSubstr(R"("duration_ns":null)")) << "the clock was set back";
}

TEST(RecordedRunTest, other_json_is_not_a_recorded_run) {
  for (const char* text : {"", "[]", "{}", R"({"run": "bench"})", "no json", R"({"strobe_run)"}) {
    EXPECT_FALSE(parse_recorded_run(text)) << text;
  }
}

TEST(RecordedRunTest, members_of_the_wrong_type_are_as_good_as_absent) {
  const auto run = parse_recorded_run(
      R"({"strobe_run":1,"recordings":[7, null, {"state":3,"recorder":"x","command":"python3",)"
      R"("started_unix_ns":1e300,"exit_code":"0","sources":{"name":1},"processes":5,)"
      R"("losses":[{"a":1}, 5]}]})");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->recordings.size(), 1u);
  const Recording& recording = run->recordings[0];
  EXPECT_FALSE(recording.says_recording);
  EXPECT_TRUE(recording.command.empty());
  EXPECT_FALSE(recording.started_unix_ns || recording.exit_code);
  EXPECT_THAT(recording.losses, ElementsAre(R"({"a":1})", "5"));
}

TEST(RecordedRunTest, long_texts_and_lists_are_cut) {
  std::string losses;
  for (int i = 0; i < 1000; ++i) losses += fmt::format("{}\"{}\"", i == 0 ? "" : ",", i);
  const auto run = parse_recorded_run(
      fmt::format(R"({{"strobe_run":1,"recordings":[{{"command":["{}"],"losses":[{}]}}]}})",
                  std::string(10'000, 'x') + "é", losses));
  ASSERT_TRUE(run);
  EXPECT_LT(run->recordings[0].command[0].size(), 1000u);
  EXPECT_LT(run->recordings[0].losses.size(), 100u);
  EXPECT_LT(shown(*run).size(), 5000u);
}

std::string manifest(std::string_view state, std::int64_t recorder = 7,
                     std::string_view host = "h") {
  return fmt::format(
      R"({{"strobe_run":1,"recordings":[{{"state":"{}","recorder":{},"host":"{}"}}]}})", state,
      recorder, host);
}

RunState state_in(const LogFolder& logs, bool is_alive, std::int64_t quiet_ns) {
  RecordedRuns runs([&](auto, auto&) { return is_alive; }, quiet_ns);
  const auto look = runs.look_at(logs.path());
  EXPECT_NE(look.run, nullptr);
  return look.run == nullptr ? RunState::kFinished : look.run->state;
}

TEST(RecordedRunsTest, a_run_is_recorded_while_its_recorder_lives_or_its_files_grow) {
  const LogFolder logs;
  logs.write("run.json", manifest("recording"));
  constexpr std::int64_t kHourNs = 3'600'000'000'000;
  EXPECT_EQ(state_in(logs, true, 0), RunState::kRecording);
  EXPECT_EQ(state_in(logs, false, kHourNs), RunState::kRecording) << "it was written just now";
  EXPECT_EQ(state_in(logs, false, 0), RunState::kKilled);
  logs.write("run.json", manifest("finished"));
  EXPECT_EQ(state_in(logs, true, kHourNs), RunState::kFinished);
}

TEST(RecordedRunsTest, run_json_is_read_again_when_it_has_changed) {
  const LogFolder logs;
  RecordedRuns runs([](auto, auto&) { return true; });
  EXPECT_EQ(runs.look_at(logs.path()).run, nullptr) << "there is none";
  logs.write("run.json", manifest("recording"));
  const auto first = runs.look_at(logs.path()).run;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(runs.look_at(logs.path()).run, first) << "nothing has changed";
  logs.write("run.json", manifest("finished") + " ");
  const auto second = runs.look_at(logs.path()).run;
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(first->state, RunState::kRecording) << "who has it keeps it";
  EXPECT_EQ(second->state, RunState::kFinished);
  logs.write("run.json", R"({"schema": "strobe.bench"})");
  EXPECT_EQ(runs.look_at(logs.path()).run, nullptr);
}

TEST(RecordedRunsTest, samples_beside_it_are_part_of_what_changes) {
  const LogFolder logs;
  logs.write("run.json", manifest("recording", 42));
  RecordedRuns runs([](auto, auto&) { return true; });
  const std::int64_t before = runs.look_at(logs.path()).newest_change_ns;
  std::int64_t after = before;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (after == before && std::chrono::steady_clock::now() < deadline) {
    logs.write("host-42.strobe", "x");  // the clock of the file system has ticks
    after = runs.look_at(logs.path()).newest_change_ns;
  }
  EXPECT_GT(after, before);
}

TEST(RecordedRunsTest, a_huge_run_json_is_not_read) {
  const LogFolder logs;
  logs.write("run.json", manifest("finished") + std::string(9 << 20, ' '));
  EXPECT_EQ(RecordedRuns().look_at(logs.path()).run, nullptr);
}

TEST(RecordedRunsTest, another_process_with_the_number_of_a_recorder_is_not_one) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  EXPECT_FALSE(is_recorder_alive(getpid(), host)) << "a test is not called strobe";
  EXPECT_FALSE(is_recorder_alive(getpid(), "another machine"));
  EXPECT_FALSE(is_recorder_alive(0, host));
}

TEST(RecordedRunsTest, a_recorder_whose_number_was_taken_is_asked_for_by_its_process) {
  const LogFolder logs;
  logs.write("run.json", manifest("recording", 42 + 2 * wire::kMostProcesses));
  RecordedRuns runs([](std::int64_t process, auto&) { return process == 42; }, 0);
  const auto look = runs.look_at(logs.path());
  ASSERT_NE(look.run, nullptr);
  EXPECT_EQ(look.run->state, RunState::kRecording);
}

}  // namespace
}  // namespace strobe::serve
