#include "strobe/record/run_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "strobe/record/dump_request.h"
#include "strobe/record/run_contents.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using testing::bytes_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using testing::names_in;
using ::testing::Not;
using ::testing::Pair;
using testing::put_bytes;
using testing::TemporaryFolder;

constexpr int kManyLooks = 12;

// A script that waits for a file. A busy machine may need any time until then.
std::string until(const fs::path& file) {
  return "until test -e " + file.string() + "; do sleep 0.02; done";
}

// Counts how often it looks, and makes a file when it has looked many times.
class CountingSource : public Source {
 public:
  CountingSource(SampleLog& log, std::atomic<int>& looks, fs::path looked)
      : log_(log), looks_(looks), looked_(std::move(looked)) {}
  void look(std::int64_t now_ns) override {
    log_.add({.metric = "looks"}, now_ns, ++looks_);
    if (looks_ == kManyLooks) put_bytes(looked_, "");
  }

 private:
  SampleLog& log_;
  std::atomic<int>& looks_;
  fs::path looked_;
};

// Looks at nothing, and remembers what it was told.
class QuietWatch : public RunWatch {
 public:
  void begin(Sampler& sampler, const Place& place) override {
    root = place.root;
    command_at_begin = command_of(place.root);
    holds_machine = place.machine.is_held(0);
    sampler.add(std::make_unique<CountingSource>(place.file.log(), looks, looked),
                {.period_ns = 10'000'000});
  }
  void begin_devices(Sampler&, const Place&) override {}
  std::vector<SourceReport> reports() const override { return {{.name = "host"}}; }
  std::vector<RecordedDevice> devices() const override { return {{.name = "device"}}; }
  std::string driver_version() const override { return "580.1"; }
  std::string cuda_version() const override { return "13.0"; }

  fs::path looked;
  pid_t root = 0;
  std::vector<std::string> command_at_begin;
  bool holds_machine = false;
  std::atomic<int> looks = 0;
};

class RunRecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    relay_ = std::move(*SignalRelay::open());
    watch_.looked = around_ / "looked";
  }

  RunRequest script(const std::string& text) {
    RunRequest request;
    request.command = {"sh", "-c", text};
    request.folder = path_;
    return request;
  }
  Result<RunOutcome> record(const RunRequest& request) {
    return record_run(request, watch_, *relay_,
                      [this](const Result<fs::path>& dump) { dumps_.push_back(bool(dump)); });
  }
  std::string manifest() { return bytes_of(path_ / "run.json"); }
  std::string host_file() { return host_file_name(getpid()); }

  TemporaryFolder around_;
  fs::path path_ = around_ / "run";
  std::unique_ptr<SignalRelay> relay_;
  QuietWatch watch_;
  std::vector<bool> dumps_;
};

TEST_F(RunRecorderTest, a_program_is_recorded_from_before_its_first_instruction) {
  const std::string program = until(watch_.looked) + "; exit 3";
  const auto outcome = record(script(program));
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->recording.ending->exit_code, 3);
  EXPECT_THAT(names_in(path_), ElementsAre(host_file(), "run.json"));
  EXPECT_GT(watch_.root, 0);
  EXPECT_NE(watch_.command_at_begin, (std::vector<std::string>{"sh", "-c", program}));
  EXPECT_TRUE(watch_.holds_machine);
  EXPECT_GE(watch_.looks, kManyLooks);
  EXPECT_THAT(manifest(), HasSubstr("\"state\":\"finished\""));
  EXPECT_THAT(manifest(), HasSubstr("\"exit_code\":3"));
  EXPECT_THAT(manifest(), HasSubstr("\"driver\":\"580.1\",\"cuda\":\"13.0\""));
  const auto host = contents_of_file(path_ / host_file());
  ASSERT_TRUE(host);
  EXPECT_EQ(host->rows_of(wire::ChunkKind::kSamples), static_cast<std::uint64_t>(watch_.looks));
  EXPECT_THAT(host->facts, Contains(Pair("recorder", std::to_string(getpid()))));
  EXPECT_THAT(host->facts, Contains(Pair("process", std::to_string(watch_.root))));
  EXPECT_THAT(host->facts, Contains(Pair("program", "sh")));
  EXPECT_THAT(host->facts, Contains(Pair("finished", "1")));
}

TEST_F(RunRecorderTest, run_json_is_there_while_the_program_runs) {
  const auto outcome =
      record(script("cp " + path_.string() + "/run.json " + (around_ / "seen").string()));
  ASSERT_TRUE(outcome);
  EXPECT_THAT(bytes_of(around_ / "seen"), HasSubstr("\"state\":\"recording\""));
}

TEST_F(RunRecorderTest, the_program_is_told_where_to_record) {
  const std::string said = (around_ / "said").string();
  RunRequest request = script(
      "echo $STROBE_RUN_FOLDER $STROBE_RUN_RECORDER $STROBE_RUN_CALLS "
      "$STROBE_RUN_GRAPHS [$STROBE_RUN_RANGES] > " +
      said);
  request.options.calls = CallChoice::kAll;
  request.options.graph_nodes = true;
  ASSERT_TRUE(record(request));
  EXPECT_EQ(bytes_of(said), path_.string() + " " + std::to_string(getpid()) + " all nodes []\n");
}

TEST_F(RunRecorderTest, settings_become_variables) {
  RunOptions options;
  options.calls = CallChoice::kNone;
  options.ranges = false;
  options.redact = true;
  options.every_ms = 60'000;
  options.for_ms = 1000;
  options.last_ms = 5000;
  const Variables variables = run_environment(
      options, {.folder = "/f", .recorder = 7, .library = "/lib.so", .torch_hook = "/hook"}, "app");
  EXPECT_THAT(variables, Contains(Pair("CUDA_INJECTION64_PATH", "/lib.so")));
  EXPECT_THAT(variables, Not(Contains(Key("NVTX_INJECTION64_PATH"))));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RECORD_FOLDER", "")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_FOLDER", "/f")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_RECORDER", "7")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_CALLS", "none")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_RANGES", "0")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_REDACT", "1")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_EVERY_MS", "60000")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_FOR_MS", "1000")));
  EXPECT_THAT(variables, Contains(Pair("STROBE_RUN_KEEP_MS", "5000")));
  EXPECT_THAT(variables, Contains(Pair("PYTHONPATH", ::testing::StartsWith("/hook"))));
  EXPECT_THAT(run_environment({}, {.library = "/lib.so"}, "app"),
              Contains(Pair("NVTX_INJECTION64_PATH", "/lib.so")));
}

TEST_F(RunRecorderTest, without_a_library_that_of_another_tool_stays) {
  const Variables variables = run_environment({}, {.folder = "/f", .recorder = 7}, "app");
  EXPECT_THAT(variables, Not(Contains(Key("CUDA_INJECTION64_PATH"))));
  EXPECT_THAT(variables, Not(Contains(Key("NVTX_INJECTION64_PATH"))));
}

TEST_F(RunRecorderTest, a_signal_from_before_the_start_starts_nothing) {
  kill(getpid(), SIGTERM);
  const auto outcome = record(script("touch " + (around_ / "ran").string()));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInterrupted);
  EXPECT_THAT(names_in(around_.path()), IsEmpty());
}

TEST_F(RunRecorderTest, a_signal_while_the_program_still_waits_starts_nothing) {
  RunRequest request = script("touch " + (around_ / "ran").string());
  request.when_entered = [] { kill(getpid(), SIGTERM); };
  const auto outcome = record(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInterrupted);
  EXPECT_THAT(names_in(around_.path()), IsEmpty());
}

TEST_F(RunRecorderTest, a_killed_program_is_told) {
  const auto outcome = record(script("kill -9 $$"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->recording.ending->signal, SIGKILL);
  EXPECT_THAT(manifest(), HasSubstr("\"exit_code\":null,\"signal\":9"));
}

TEST_F(RunRecorderTest, a_program_that_does_not_exist_leaves_nothing_behind) {
  RunRequest request = script("");
  request.command = {"no_such_program"};
  const auto outcome = record(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(names_in(around_.path()), IsEmpty());
}

TEST_F(RunRecorderTest, a_program_that_cannot_be_run_leaves_nothing_behind) {
  // It may be executed, but its interpreter is not there: only exec finds out.
  const fs::path program = around_ / "program";
  testing::put_bytes(program, "#!/no/such/interpreter\n");
  fs::permissions(program, fs::perms::owner_all);
  RunRequest request = script("");
  request.command = {program.string()};
  EXPECT_FALSE(record(request));
  EXPECT_THAT(names_in(around_.path()), ElementsAre("program"));
}

TEST_F(RunRecorderTest, a_mistyped_program_does_not_cost_the_run_that_is_overwritten) {
  ASSERT_TRUE(record(script("exit 0")));
  const std::string before = manifest();
  RunRequest request = script("");
  request.command = {"no_such_program"};
  request.overwrite = true;
  EXPECT_FALSE(record(request));
  EXPECT_EQ(manifest(), before);
}

TEST_F(RunRecorderTest, a_full_disk_at_the_end_keeps_the_first_run_json) {
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  // The program's end is the moment from which on nothing can be written.
  std::thread filler([&] {
    while (!fs::exists(around_ / "ready")) std::this_thread::sleep_for(milliseconds(5));
    setrlimit(RLIMIT_FSIZE, &none);
    put_bytes(around_ / "full", "");
  });
  const auto outcome = record(script("touch " + (around_ / "ready").string() + "; " +
                                     until(around_ / "full") + "; exit 2"));
  setrlimit(RLIMIT_FSIZE, &before);
  filler.join();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->recording.ending->exit_code, 2);
  ASSERT_TRUE(outcome->unwritten);
  EXPECT_EQ(outcome->unwritten->what, "the disk is full");
  EXPECT_THAT(manifest(), HasSubstr("\"state\":\"recording\""));
  EXPECT_THAT(outcome->recording.losses, Contains(HasSubstr("the disk was full")));
}

TEST_F(RunRecorderTest, a_running_process_is_looked_at_for_a_while) {
  const pid_t process = fork();
  if (process == 0) {
    execlp("sleep", "sleep", "60", nullptr);
    _exit(127);
  }
  RunRequest request;
  request.process = process;
  request.folder = path_;
  request.options.for_ms = 150;
  const auto outcome = record(request);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_GE(outcome->seconds, 0.15);
  EXPECT_EQ(watch_.root, process);
  EXPECT_FALSE(outcome->recording.ending);
  EXPECT_THAT(manifest(), HasSubstr("\"exit_code\":null,\"signal\":null"));
  EXPECT_EQ(outcome->recording.sources[0].state, SourceState::kMissing);
}

TEST_F(RunRecorderTest, a_look_ends_with_its_process) {
  const pid_t process = fork();
  if (process == 0) {
    execlp("sleep", "sleep", "0.2", nullptr);
    _exit(127);
  }
  RunRequest request;
  request.process = process;
  request.folder = path_;
  const auto outcome = record(request);  // hangs if the end is missed
  waitpid(process, nullptr, 0);
  EXPECT_TRUE(outcome);
}

TEST_F(RunRecorderTest, a_process_that_does_not_run_is_refused) {
  RunRequest request;
  request.process = 4'999'999;
  request.folder = path_;
  const auto outcome = record(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(RunRecorderTest, a_flight_recorder_gives_dumps_and_ends_with_whole_files) {
  RunRequest request = script(until(watch_.looked) + "; kill -USR2 " + std::to_string(getpid()) +
                              "; for i in $(seq 600); do test -e " + path_.string() +
                              "/dump-1 && exit 0; sleep 0.1; done; exit 1");
  request.options.last_ms = 60'000;
  const auto outcome = record(request);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->recording.ending->is_success());
  EXPECT_EQ(outcome->dumps, 1u);
  EXPECT_THAT(dumps_, ElementsAre(true));
  EXPECT_THAT(names_in(path_ / "dump-1"), ElementsAre(host_file(), "run.json"));
  EXPECT_THAT(names_in(path_), ElementsAre("dump-1", host_file(), "run.json"));
  const std::string dumped = bytes_of(path_ / "dump-1" / "run.json");
  EXPECT_THAT(dumped, HasSubstr("\"state\":\"finished\""));
  EXPECT_THAT(dumped, HasSubstr("\"exit_code\":null"));
  const auto rows = [&](const fs::path& folder) {
    return contents_of_file(folder / host_file())->rows_of(wire::ChunkKind::kSamples);
  };
  EXPECT_GT(rows(path_ / "dump-1"), 10u);
  EXPECT_GE(rows(path_), rows(path_ / "dump-1"));
}

TEST_F(RunRecorderTest, without_a_flight_recorder_nobody_gets_a_dump) {
  const auto outcome = record(script("trap 'exit 6' USR2; kill -USR2 " + std::to_string(getpid()) +
                                     "; for i in $(seq 100); do sleep 0.1; done"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->recording.ending->exit_code, 6);  // the signal is the program's
  EXPECT_THAT(dumps_, IsEmpty());
  EXPECT_THAT(names_in(path_), ElementsAre(host_file(), "run.json"));
}

TEST_F(RunRecorderTest, processes_that_outlive_the_program_are_told) {
  const fs::path looked_for = around_ / "looked_for";
  const auto outcome = record(script("(" + until(looked_for) + ") & exit 0"));
  put_bytes(looked_for, "");
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->recording.losses, Contains(HasSubstr("still run")));
  EXPECT_TRUE(wait_for_adopted(*relay_, milliseconds(60'000)));
}

TEST_F(RunRecorderTest, redacted_runs_show_no_names) {
  RunRequest request = script("exit 0 # secret");
  request.options.redact = true;
  ASSERT_TRUE(record(request));
  EXPECT_THAT(manifest(), ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(contents_of_file(path_ / host_file())->facts,
              Contains(Pair("program", hashed_name("sh"))));
}

}  // namespace
}  // namespace strobe::record
