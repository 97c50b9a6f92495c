#include "strobe/cli/record_run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using record::CallChoice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using ProgramWords = std::vector<std::string>;

Result<RecordRunRequest> read_recorded_run(const TypedFlags& flags,
                                           const ProgramWords& program = {"./app", "-x"}) {
  return typed_request(record_run_flags, complete_record_run, program, flags);
}

void expect_run_refused(const TypedFlags& flags, std::string_view where, const std::string& what,
                        const ProgramWords& program = {"./app"}) {
  const auto request = read_recorded_run(flags, program);
  ASSERT_FALSE(request) << what;
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(request.error().where, where);
  EXPECT_THAT(request.error().what + "; " + request.error().hint, HasSubstr(what));
}

TEST(RecordRunRequest, a_program_alone_is_recorded_whole_into_run) {
  const auto request = read_recorded_run({});
  ASSERT_TRUE(request);
  EXPECT_THAT(request->run.command, ElementsAre("./app", "-x"));
  EXPECT_EQ(request->run.folder, "run");
  EXPECT_FALSE(request->runs);
  EXPECT_FALSE(request->run.overwrite);
  EXPECT_FALSE(request->run.process);
  const record::RunOptions& options = request->run.options;
  EXPECT_EQ(options.calls, CallChoice::kLaunches);
  EXPECT_TRUE(options.ranges);
  EXPECT_FALSE(options.graph_nodes || options.torch || options.redact);
  EXPECT_FALSE(options.last_ms || options.every_ms || options.for_ms);
}

TEST(RecordRunRequest, what_was_typed_reaches_the_recorder) {
  const auto request = read_recorded_run({{"output", "before"},
                                          {"overwrite", ""},
                                          {"runs", "5"},
                                          {"api", "all"},
                                          {"graph-nodes", ""},
                                          {"torch", ""},
                                          {"redact", ""}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.folder, "before");
  EXPECT_TRUE(request->run.overwrite);
  EXPECT_EQ(request->runs, 5);
  const record::RunOptions& options = request->run.options;
  EXPECT_EQ(options.calls, CallChoice::kAll);
  EXPECT_TRUE(options.graph_nodes && options.torch && options.redact);
}

TEST(RecordRunRequest, gpu_only_leaves_out_calls_and_ranges) {
  const auto request = read_recorded_run({{"gpu-only", ""}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.options.calls, CallChoice::kNone);
  EXPECT_FALSE(request->run.options.ranges);
  expect_run_refused({{"gpu-only", ""}, {"api", "all"}}, "--gpu-only", "not both");
  EXPECT_TRUE(read_recorded_run({{"gpu-only", ""}, {"api", "none"}}));
  expect_run_refused({{"gpu-only", ""}, {"torch", ""}}, "--torch", "ranges");
}

TEST(RecordRunRequest, windows_have_a_period_and_a_length) {
  const auto request = read_recorded_run({{"every", "60s"}, {"for", "500ms"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.options.every_ms, 60'000);
  EXPECT_EQ(request->run.options.for_ms, 500);
  expect_run_refused({{"every", "60s"}}, "--every", "needs the length");
  expect_run_refused({{"for", "1s"}}, "--for", "give --every or --pid");
  expect_run_refused({{"every", "1s"}, {"for", "1s"}}, "--for", "everything is recorded");
  expect_run_refused({{"every", "10ms"}, {"for", "1s"}}, "--every", "too short");
}

TEST(RecordRunRequest, a_flight_recorder_stands_alone) {
  EXPECT_EQ(read_recorded_run({{"last", "10m"}})->run.options.last_ms, 600'000);
  expect_run_refused({{"last", "60s"}, {"runs", "2"}}, "--runs", "without gaps");
  expect_run_refused({{"last", "60s"}, {"every", "60s"}, {"for", "1s"}}, "--every", "without gaps");
  expect_run_refused({{"last", "1ms"}}, "--last", "too short");
  expect_run_refused({{"last", "a while"}}, "--last", "is not a time");
}

TEST(RecordRunRequest, a_running_process_is_only_looked_at) {
  const auto request = read_recorded_run({{"pid", "4711"}, {"for", "10s"}}, {});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.process, 4711);
  EXPECT_EQ(request->run.options.for_ms, 10'000);
  EXPECT_TRUE(read_recorded_run({{"pid", "4711"}}, {}));
  expect_run_refused({{"pid", "4711"}}, "--pid", "'./app' is one too much");
  expect_run_refused({{"pid", "0"}}, "--pid", "less than 1", {});
  expect_run_refused({{"pid", "serve"}}, "--pid", "not a whole number", {});
  for (const char* flag : {"torch", "gpu-only", "graph-nodes"}) {
    expect_run_refused({{"pid", "4711"}, {flag, ""}}, std::string("--") + flag, "from outside", {});
  }
  expect_run_refused({{"pid", "4711"}, {"runs", "2"}}, "--runs", "from outside", {});
  expect_run_refused({{"pid", "4711"}, {"last", "60s"}}, "--last", "from outside", {});
  expect_run_refused({{"pid", "4711"}, {"api", "all"}}, "--api", "from outside", {});
}

TEST(RecordRunRequest, a_program_is_needed) {
  expect_run_refused({}, "", "no program was given; put it after two dashes", {});
  expect_run_refused({{"runs", "0"}}, "--runs", "less than 1");
}

TEST(RecordRunRequest, a_dump_needs_one_process) {
  const auto read = [](const ProgramWords& words) {
    return typed_request(record_dump_flags, complete_record_dump, words);
  };
  EXPECT_EQ(read({"4711"})->process, 4711);
  EXPECT_THAT(read({}).error().what, HasSubstr("no process was given"));
  EXPECT_THAT(read({"1", "2"}).error().what, HasSubstr("2 were given: 1, 2"));
  EXPECT_THAT(read({"train.py"}).error().what, HasSubstr("'train.py' is neither"));
  for (const auto& words : {std::vector<std::string>{}, {"1", "2"}, {"train.py"}}) {
    EXPECT_THAT(read(words).error().hint, HasSubstr("`strobe record dump PID`"));
  }
}

}  // namespace
}  // namespace strobe::cli
