#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/record/run_contents.h"
#include "strobe/wire/run_file_chunks.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// End to end: the real strobe records real programs on a machine without a GPU, or, where the
// toolkit's headers were found, with a scripted driver (tests/support/stub_cuda).
namespace strobe::cli {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using ::testing::AllOf;
using testing::bytes_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_in;
using ::testing::Not;
using testing::put_bytes;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using CommandWords = std::vector<std::string>;

class RecordCommand : public ::testing::Test {
 protected:
  test::ProcessRequest request(const CommandWords& flags, const CommandWords& program,
                               const CommandWords& environment = {}) {
    test::ProcessRequest made;
    made.command = {STROBE_BINARY, "record"};
    made.command.insert(made.command.end(), flags.begin(), flags.end());
    if (!program.empty()) made.command.emplace_back("--");
    made.command.insert(made.command.end(), program.begin(), program.end());
    made.folder = folder_.path().string();
    made.environment = {"PATH=/usr/bin:/bin"};
    made.environment.insert(made.environment.end(), environment.begin(), environment.end());
    return made;
  }
  test::ProcessOutcome record(const CommandWords& flags, const CommandWords& program,
                              const CommandWords& environment = {}) {
    return test::run_process(request(flags, program, environment));
  }
  test::ProcessOutcome record_script(const std::string& script, const CommandWords& flags = {}) {
    return record(flags, {"sh", "-c", script});
  }

  // The only recording in a run.
  std::string recording(const std::string& run = "run") {
    text_ = bytes_of(folder_ / run / "run.json");
    JsonValue only;
    int count = 0;
    for_each_element(find(text_, "recordings").text, [&](const JsonValue& value) {
      only = value;
      ++count;
    });
    EXPECT_EQ(count, 1) << text_;
    return std::string(only.text);
  }
  std::string member(const std::string& name, const std::string& run = "run") {
    const std::string json = recording(run);
    return find(json, name).as_string();
  }
  std::string host_file(const std::string& run = "run") {
    return "host-" + member("recorder", run) + ".strobe";
  }
  record::FileContents host_contents(const std::string& run = "run") {
    auto contents = record::contents_of_file(folder_ / run / host_file(run));
    EXPECT_TRUE(contents);
    return std::move(*contents);
  }
  // Waits for a file that a program makes.
  void await(const std::string& name) {
    for (int i = 0; i < 6000 && !fs::exists(folder_ / name); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    ASSERT_TRUE(fs::exists(folder_ / name)) << name;
  }

  // Waits until the recorder has written something, which it does once a second.
  void await_samples() {
    await("run/run.json");
    const auto has_samples = [this] {
      for (const std::string& name : names_in(folder_ / "run")) {
        if (!name.starts_with("host-")) continue;
        const auto contents = record::contents_of_file(folder_ / "run" / name);
        if (contents && contents->rows_of(wire::ChunkKind::kSamples) > 0) return true;
      }
      return false;
    };
    bool is_there = has_samples();
    for (int i = 0; i < 6000 && !is_there; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
      is_there = has_samples();
    }
    ASSERT_TRUE(is_there);
  }

  void await_removal(const std::string& name) {
    await(name);
    for (int i = 0; i < 6000 && fs::exists(folder_ / name); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    ASSERT_FALSE(fs::exists(folder_ / name)) << name;
  }

  TemporaryFolder folder_;
  std::string text_;
};

struct HostSamples {
  std::map<std::string, std::uint64_t> counts;  // by metric
  std::set<std::uint64_t> threads;
};

// What is sampled in a file.
HostSamples samples_in(const fs::path& file) {
  const std::string bytes = bytes_of(file);
  wire::ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  std::map<std::uint64_t, std::string> texts;
  std::map<std::uint64_t, std::string> metrics;
  HostSamples samples;
  wire::Columns columns;
  while (const auto chunk = cursor.next()) {
    std::uint64_t number = chunk->header.first_row;
    if (chunk->header.kind == wire::ChunkKind::kTexts) {
      for (const std::string_view text : wire::decode_texts(*chunk)) texts[number++] = text;
    } else if (chunk->header.kind == wire::ChunkKind::kSeries) {
      EXPECT_TRUE(wire::decode_columns(*chunk, columns));
      for (std::uint32_t row = 0; row < chunk->header.rows; ++row) {
        metrics[number++] = texts[columns[wire::kSeriesMetric][row]];
        const std::uint64_t thread = columns[wire::kSeriesThread][row];
        if (thread != 0) samples.threads.insert(thread);
      }
    } else if (chunk->header.kind == wire::ChunkKind::kSamples) {
      EXPECT_TRUE(wire::decode_columns(*chunk, columns));
      for (std::uint32_t row = 0; row < chunk->header.rows; ++row) {
        ++samples.counts[metrics[columns[wire::kSampleSeries][row]]];
      }
    }
  }
  return samples;
}

TEST_F(RecordCommand, the_program_s_output_and_exit_code_are_its_own) {
  const auto outcome = record_script("echo out; echo err >&2; exit 3");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_THAT(outcome.err, StartsWith("err\nstrobe: "));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the program ended with exit code 3"),
                                 HasSubstr("to run: "), HasSubstr("next: strobe summary run\n")));
  EXPECT_THAT(names_in(folder_ / "run"), ElementsAre(host_file(), "run.json"));
  EXPECT_EQ(member("state"), "finished");
  EXPECT_EQ(member("exit_code"), "3");
  EXPECT_EQ(member("command"), R"(["sh","-c","echo out; echo err >&2; exit 3"])");
}

TEST_F(RecordCommand, the_program_reads_the_input) {
  put_bytes(folder_ / "input", "hello\n");
  test::ProcessRequest made = request({"-q"}, {"cat"});
  made.stdin_path = (folder_ / "input").string();
  EXPECT_EQ(test::run_process(made).out, "hello\n");
}

TEST_F(RecordCommand, quiet_says_nothing) {
  const auto outcome = record_script("exit 0", {"--quiet"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(RecordCommand, a_program_with_threads_is_sampled) {
  put_bytes(folder_ / "busy.py",
            "import threading, time\n"
            "def work():\n"
            "    end = time.monotonic() + 2\n"
            "    while time.monotonic() < end: sum(range(1000))\n"
            "threads = [threading.Thread(target=work) for _ in range(4)]\n"
            "for thread in threads: thread.start()\n"
            "for thread in threads: thread.join()\n"
            "print('done')\n");
  const auto outcome = record({}, {"python3", "busy.py"});
  if (outcome.exit_code == 127) GTEST_SKIP() << "there is no Python";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "done\n");
  const HostSamples samples = samples_in(folder_ / "run" / host_file());
  EXPECT_THAT(samples.threads, SizeIs(::testing::Ge(5u)));
  for (const char* metric : {"on_cpu_pct", "process_cpu_usage", "schedstat_oncpu_ns",
                             "process_rss_bytes", "host_cpu_usage"}) {
    EXPECT_THAT(samples.counts, Contains(::testing::Key(metric)));
  }
  EXPECT_GE(samples.counts.at("process_cpu_usage"), 5u);
  const record::FileContents host = host_contents();
  EXPECT_EQ(host.fact("program"), "python3");
  EXPECT_EQ(host.fact("finished"), "1");
}

TEST_F(RecordCommand, the_sampler_takes_a_hundredth_of_a_core_at_most) {
  const auto outcome = record_script("sleep 3", {"-v"});
  const std::string_view cost = "strobe: the sampler took ";
  const std::size_t at = outcome.err.find(cost);
  ASSERT_NE(at, std::string::npos) << outcome.err;
  const double seconds = std::stod(outcome.err.substr(at + cost.size()));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  EXPECT_LT(seconds, 0.3);
#else
  EXPECT_LT(seconds, 0.03);
#endif
}

TEST_F(RecordCommand, a_killed_program_ends_as_in_a_shell) {
  const auto outcome = record_script("kill -9 $$");
  EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
  EXPECT_THAT(outcome.err, HasSubstr("ended by signal 9"));
  EXPECT_EQ(member("signal"), "9");
}

TEST_F(RecordCommand, a_signal_to_strobe_is_the_program_s_to_answer) {
  test::RunningProcess strobe(request(
      {}, {"sh", "-c", "trap 'echo told; exit 5' TERM; echo ready; while :; do sleep 0.05; done"}));
  ASSERT_EQ(strobe.first_line(), "ready");
  kill(strobe.id(), SIGTERM);
  const auto outcome = strobe.wait();
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(outcome.out, "ready\ntold\n");
  EXPECT_EQ(member("state"), "finished");
}

TEST_F(RecordCommand, strobe_stays_as_long_as_a_program_that_needs_two_ctrl_c) {
  test::RunningProcess strobe(request({}, {"sh", "-c",
                                           "n=0; trap 'n=$((n+1)); touch told$n' INT; echo ready; "
                                           "while [ $n -lt 2 ]; do sleep 0.05; done; exit 9"}));
  ASSERT_EQ(strobe.first_line(), "ready");
  kill(strobe.id(), SIGINT);
  await("told1");
  kill(strobe.id(), SIGINT);
  EXPECT_EQ(strobe.wait().exit_code, 9);
  EXPECT_EQ(member("state"), "finished");
  EXPECT_EQ(member("exit_code"), "9");
}

TEST_F(RecordCommand, a_killed_recorder_leaves_a_readable_run_and_a_living_program) {
  test::RunningProcess strobe(
      request({}, {"sh", "-c",
                   "echo ready; until test -e go; do sleep 0.05; done; echo still here; touch "
                   "done"}));
  ASSERT_EQ(strobe.first_line(), "ready");
  await_samples();
  kill(strobe.id(), SIGKILL);
  put_bytes(folder_ / "go", "");
  const auto outcome = strobe.wait();
  EXPECT_EQ(outcome.out, "ready\nstill here\n");  // until the program, too, has ended
  await("done");
  EXPECT_EQ(member("state"), "recording");
  const record::FileContents host = host_contents();
  EXPECT_GT(host.rows_of(wire::ChunkKind::kSamples), 0u);
  EXPECT_EQ(host.damaged_bytes, 0u);
  EXPECT_EQ(host.fact("finished"), "");
  EXPECT_EQ(record({"-q", "--overwrite"}, {"true"}).exit_code, 0);
  EXPECT_EQ(member("state"), "finished");
}

TEST_F(RecordCommand, a_program_that_does_not_exist_leaves_nothing_behind) {
  for (const CommandWords& flags : {CommandWords{}, CommandWords{"--runs", "2"}}) {
    const auto outcome = record(flags, {"no_such_program", "x"});
    EXPECT_EQ(outcome.exit_code, 127);
    EXPECT_THAT(outcome.err, HasSubstr("cannot start 'no_such_program'"));
    EXPECT_THAT(names_in(folder_.path()), IsEmpty());
  }
}

TEST_F(RecordCommand, a_program_that_may_not_be_run_ends_as_in_a_shell) {
  put_bytes(folder_ / "plain", "text");
  EXPECT_EQ(record({}, {"./plain"}).exit_code, 126);
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("plain"));
}

TEST_F(RecordCommand, a_folder_that_exists_is_not_overwritten_unasked) {
  ASSERT_EQ(record({"-q"}, {"true"}).exit_code, 0);
  const std::string before = bytes_of(folder_ / "run" / "run.json");
  const auto refused = record({}, {"touch", "started"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("the folder 'run' exists"), HasSubstr("--overwrite")));
  EXPECT_EQ(bytes_of(folder_ / "run" / "run.json"), before);
  EXPECT_FALSE(fs::exists(folder_ / "started"));
  EXPECT_EQ(record({"-q", "--overwrite"}, {"true"}).exit_code, 0);
  EXPECT_NE(bytes_of(folder_ / "run" / "run.json"), before);
}

TEST_F(RecordCommand, a_folder_of_something_else_is_never_removed) {
  fs::create_directory(folder_ / "run");
  put_bytes(folder_ / "run" / "thesis.txt", "x");
  EXPECT_EQ(record({"--overwrite"}, {"true"}).exit_code, 2);
  EXPECT_THAT(names_in(folder_ / "run"), ElementsAre("thesis.txt"));
}

TEST_F(RecordCommand, several_runs_follow_each_other) {
  const auto outcome = record_script("echo run", {"-o", "before", "--runs", "3"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "run\nrun\nrun\n");
  EXPECT_THAT(names_in(folder_ / "before"), ElementsAre("1", "2", "3"));
  for (const char* run : {"before/1", "before/2", "before/3"}) {
    EXPECT_EQ(member("state", run), "finished");
    EXPECT_THAT(names_in(folder_ / run), Contains("run.json"));
  }
  EXPECT_THAT(outcome.err, HasSubstr("next: strobe compare before"));
}

TEST_F(RecordCommand, a_rank_that_cannot_start_leaves_the_runs_of_the_others) {
  const auto rank = [&](const std::string& number, const CommandWords& program) {
    return request({"-q", "-o", "ranks", "--runs", "2"}, program,
                   {"TORCHELASTIC_RUN_ID=none", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=29500",
                    "WORLD_SIZE=2", "RANK=" + number});
  };
  put_bytes(folder_ / "broken", "#!/no/such/interpreter\n");
  fs::permissions(folder_ / "broken", fs::perms::owner_all);
  ASSERT_EQ(test::run_process(rank("0", {"true"})).exit_code, 0);
  EXPECT_EQ(test::run_process(rank("1", {"./broken"})).exit_code, 127);
  EXPECT_EQ(member("state", "ranks/1"), "finished");
  EXPECT_THAT(names_in(folder_ / "ranks/1"), Contains(host_file("ranks/1")));
  EXPECT_EQ(member("state", "ranks/2"), "finished");
}

TEST_F(RecordCommand, an_interrupted_series_starts_no_more_runs) {
  test::RunningProcess strobe(
      request({"--runs", "3"},
              {"sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"}));
  ASSERT_EQ(strobe.first_line(), "ready");
  kill(strobe.id(), SIGTERM);
  EXPECT_EQ(strobe.wait().out, "ready\n");
  EXPECT_THAT(names_in(folder_ / "run"), ElementsAre("1"));
}

TEST_F(RecordCommand, pipes_that_the_caller_ignores_stay_ignored) {
  test::ProcessRequest ignoring = request({"-q"}, {"sh", "-c", "kill -PIPE $$; echo lives"});
  ignoring.command.insert(ignoring.command.begin(),
                          {"/bin/sh", "-c", "trap '' PIPE; exec \"$@\"", "sh"});
  EXPECT_EQ(test::run_process(ignoring).out, "lives\n");
}

TEST_F(RecordCommand, a_failing_run_is_the_last_one) {
  const auto outcome = record_script("test -e second && exit 6; touch second", {"--runs", "5"});
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 5 runs are complete"));
  EXPECT_THAT(names_in(folder_ / "run"), ElementsAre("1", "2"));
}

TEST_F(RecordCommand, a_running_process_is_looked_at) {
  test::ProcessRequest sleeper;
  sleeper.command = {"/bin/sh", "-c", "echo ready; exec sleep 60"};
  sleeper.folder = folder_.path().string();
  test::RunningProcess running(sleeper);
  ASSERT_EQ(running.first_line(), "ready");
  const auto outcome = record({"--pid", std::to_string(running.id()), "--for", "300ms"}, {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("the program was running already"));
  EXPECT_EQ(host_contents().fact("process"), std::to_string(running.id()));
  EXPECT_EQ(member("exit_code"), "null");
  kill(running.id(), SIGKILL);
  running.wait();
}

TEST_F(RecordCommand, a_look_at_a_process_ends_with_ctrl_c) {
  test::RunningProcess strobe(request({"--pid", std::to_string(getpid())}, {}));
  await("run/run.json");
  std::this_thread::sleep_for(milliseconds(200));
  kill(strobe.id(), SIGINT);
  const auto outcome = strobe.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(member("state"), "finished");
}

TEST_F(RecordCommand, a_process_that_does_not_run_is_refused) {
  const auto outcome = record({"--pid", "4999999", "--for", "1s"}, {});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("there is no process 4999999"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(RecordCommand, a_full_disk_is_told_and_disturbs_nothing) {
  // The limit holds for the program and for strobe, whose samples soon need more.
  test::ProcessRequest made = request({}, {"sh", "-c", "sleep 3.5; exit 4"});
  std::string line = "ulimit -f 3; exec";
  for (const std::string& word : made.command) line += " '" + word + "'";
  made.command = {"/bin/sh", "-c", line};
  const auto outcome = test::run_process(made);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the disk was full"));
  EXPECT_THAT(member("losses"), HasSubstr("could not be written"));
  EXPECT_EQ(host_contents().damaged_bytes, 0u);
}

TEST_F(RecordCommand, a_disk_that_is_full_from_the_start_is_told_before_the_program_runs) {
  test::ProcessRequest made = request({}, {"mkdir", "started"});
  std::string line = "ulimit -f 0; exec";
  for (const std::string& word : made.command) line += " '" + word + "'";
  made.command = {"/bin/sh", "-c", line};
  const auto outcome = test::run_process(made);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the disk is full"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(RecordCommand, without_a_device_the_host_is_recorded_and_that_is_said_once) {
  const auto outcome = record({}, {"true"}, {"STROBE_INJECT=/no/such.so"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("not recorded: GPU work, calls, ranges"));
  const std::size_t first = outcome.err.find("libstrobe_inject.so");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.err.find("libstrobe_inject.so", first + 1), std::string::npos);
  EXPECT_THAT(outcome.err, HasSubstr("the host part"));
}

TEST_F(RecordCommand, the_environment_is_shown_by_a_list) {
  ASSERT_EQ(record({"-q"}, {"true"},
                   {"OMP_NUM_THREADS=7", "HF_TOKEN=t0p", "NVIDIA_API_KEY=t0p", "CITY=t0p"})
                .exit_code,
            0);
  EXPECT_EQ(member("environment"), R"({"OMP_NUM_THREADS":"7"})");
  EXPECT_THAT(text_, Not(HasSubstr("t0p")));
}

TEST_F(RecordCommand, a_flight_recorder_gives_dumps_while_the_program_goes_on) {
  test::RunningProcess strobe(
      request({"--last", "2s", "-q"},
              {"sh", "-c", "echo ready; while ! test -e stop; do sleep 0.05; done; exit 0"}));
  ASSERT_EQ(strobe.first_line(), "ready");
  await_removal("run/host-" + std::to_string(strobe.id()) + ".strobe.part0");
  const auto dump = record({"dump", std::to_string(strobe.id())}, {});
  EXPECT_EQ(dump.exit_code, 0) << dump.err;
  const fs::path folder = dump.out.substr(0, dump.out.find('\n'));
  EXPECT_EQ(folder, fs::canonical(folder_ / "run") / "dump-1");
  EXPECT_THAT(names_in(folder), SizeIs(2));
  put_bytes(folder_ / "stop", "");
  EXPECT_EQ(strobe.wait().exit_code, 0);
  EXPECT_THAT(names_in(folder_ / "run"), ElementsAre("dump-1", host_file(), "run.json"));
  EXPECT_GT(samples_in(folder / host_file()).counts["host_cpu_usage"], 0u);
  EXPECT_GT(samples_in(folder_ / "run" / host_file()).counts["host_cpu_usage"], 0u);
}

TEST_F(RecordCommand, what_a_killed_flight_recorder_has_left_becomes_a_run) {
  test::RunningProcess strobe(
      request({"--last", "60s", "-q"},
              {"sh", "-c", "echo ready; while ! test -e stop; do sleep 0.05; done"}));
  ASSERT_EQ(strobe.first_line(), "ready");
  await_samples();
  const auto refused = record({"dump", "run"}, {});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("strobe record dump " + std::to_string(strobe.id())));
  kill(strobe.id(), SIGKILL);
  put_bytes(folder_ / "stop", "");
  strobe.wait();
  const auto dump = record({"dump", "run"}, {});
  EXPECT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_EQ(dump.out, "run\n");
  EXPECT_GT(host_contents().rows_of(wire::ChunkKind::kSamples), 0u);
  EXPECT_EQ(member("state"), "recording");
  EXPECT_THAT(names_in(folder_ / "run"), Not(Contains(HasSubstr(".part"))));
}

TEST_F(RecordCommand, a_process_that_nobody_records_gives_no_dump) {
  const auto outcome = record({"dump", std::to_string(getpid())}, {});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("neither a recorder nor recorded"));
}

TEST_F(RecordCommand, ranks_share_a_folder) {
  const auto rank = [&](const std::string& number) {
    return request(
        {"-q", "-o", "ranks"},
        {"sh", "-c", "touch up$RANK; until test -e up0 -a -e up1; do sleep 0.02; done; sleep 0.3"},
        {"TORCHELASTIC_RUN_ID=none", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=29500", "WORLD_SIZE=2",
         "RANK=" + number});
  };
  test::RunningProcess first(rank("0"));
  test::RunningProcess second(rank("1"));
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(second.wait().exit_code, 0);
  const auto entries = record::read_manifest(folder_ / "ranks");
  ASSERT_TRUE(entries);
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_TRUE(entries->at(0).is_finished && entries->at(1).is_finished);
  EXPECT_NE(entries->at(0).job.rank, entries->at(1).job.rank);
  // One of them has sampled the machine.
  int with_machine = 0;
  for (const record::ManifestEntry& entry : *entries) {
    const std::string file = "host-" + std::to_string(entry.recorder) + ".strobe";
    with_machine += samples_in(folder_ / "ranks" / file).counts.contains("host_cpu_usage") ? 1 : 0;
  }
  EXPECT_EQ(with_machine, 1);
  EXPECT_EQ(test::run_process(rank("1")).exit_code, 2);
}

TEST_F(RecordCommand, redacted_runs_show_no_names) {
  ASSERT_EQ(record_script("exit 0 # secret_model", {"-q", "--redact"}).exit_code, 0);
  EXPECT_THAT(recording(), Not(HasSubstr("secret_model")));
  EXPECT_THAT(bytes_of(folder_ / "run" / host_file()), Not(HasSubstr("secret_model")));
  EXPECT_EQ(member("redacted"), "true");
}

#ifdef STROBE_STUB_FOLDER

TEST_F(RecordCommand, the_work_of_a_device_is_recorded_and_counted) {
  const std::string stubs = STROBE_STUB_FOLDER;
  const CommandWords environment = {"LD_LIBRARY_PATH=" + stubs,
                                    "STROBE_RECORD_CUPTI=" + stubs + "/libcupti.so.13"};
  const auto outcome = record({}, {stubs + "/fake_app", "gemm*3"}, environment);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "fake_app is running\n");
  const std::string json = recording();
  std::vector<std::string> files;
  for_each_element(find(json, "processes").text, [&](const JsonValue& process) {
    files.push_back(find(process.text, "file").as_string());
  });
  ASSERT_THAT(files, SizeIs(1)) << outcome.err;
  EXPECT_THAT(files[0], StartsWith("process-"));
  EXPECT_THAT(names_in(folder_ / "run"), Contains(files[0]));
}

#endif

}  // namespace
}  // namespace strobe::cli
