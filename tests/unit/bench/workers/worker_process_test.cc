#include "strobe/bench/workers/worker_process.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bench_worker.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using std::chrono::milliseconds;
using strobe::testing::scripted_worker;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr milliseconds kShort{1'000};
constexpr milliseconds kEnough{60'000};

WorkerRequest prepare(std::int64_t id) {
  WorkerRequest request{.op = WorkerOp::kPrepare, .id = id};
  request.prepare.cell = {"bias_dropout_add", Shape{{4, 8}}, DType::kF32, "scripted"};
  return request;
}

std::unique_ptr<WorkerProcess> started(const std::vector<std::string>& words) {
  auto worker = WorkerProcess::start(scripted_worker(words));
  EXPECT_TRUE(worker);
  if (!worker) return nullptr;
  // The interpreter's start does not count against a short limit.
  EXPECT_EQ((*worker)->ask({.op = WorkerOp::kHello}, kEnough).status, CellStatus::kOk);
  return std::move(*worker);
}

TEST(WorkerProcess, answers_come_back) {
  const auto worker = started({"us=12.5"});
  EXPECT_EQ(worker->ask(prepare(1), kEnough).status, CellStatus::kOk);
  WorkerRequest sample{.op = WorkerOp::kSample, .id = 1};
  sample.sample.count = 3;
  const WorkerReply reply = worker->ask(sample, kEnough);
  EXPECT_EQ(reply.samples.at(TimeMode::kDevice).samples_us, (std::vector<double>(3, 12.5)));
}

TEST(WorkerProcess, a_crash_names_the_signal_and_the_last_words) {
  const auto worker = started({"at=prepare", "do=crash"});
  const WorkerReply reply = worker->ask(prepare(1), kEnough);
  EXPECT_EQ(reply.status, CellStatus::kError);
  EXPECT_EQ(reply.reason,
            "the worker was ended by SIGSEGV; its last output: loading the model | about to touch "
            "what is not there during the request 'prepare'");
  EXPECT_FALSE(worker->is_alive());
  EXPECT_EQ(worker->ask(prepare(2), kShort).reason, "the worker has ended");
}

TEST(WorkerProcess, an_early_exit_names_its_code) {
  const auto worker = started({"at=prepare", "do=exit"});
  const WorkerReply reply = worker->ask(prepare(1), kEnough);
  EXPECT_EQ(reply.status, CellStatus::kError);
  EXPECT_THAT(reply.reason,
              HasSubstr("ended with exit code 7; its last output: a license is missing"));
}

TEST(WorkerProcess, silence_is_a_time_out_and_the_end_of_the_worker) {
  const auto worker = started({"at=prepare", "do=hang"});
  const pid_t id = worker->id();
  const WorkerReply reply = worker->ask(prepare(1), kShort);
  EXPECT_EQ(reply.status, CellStatus::kTimeout);
  EXPECT_EQ(reply.reason, "no answer to 'prepare' within 1 s; the worker was killed");
  EXPECT_EQ(kill(id, 0), -1);
}

TEST(WorkerProcess, garbage_is_kept_and_named_when_no_answer_comes) {
  const auto worker = started({"at=prepare", "do=garbage"});
  const WorkerReply reply = worker->ask(prepare(1), kShort);
  EXPECT_EQ(reply.status, CellStatus::kTimeout);
  EXPECT_THAT(
      reply.reason,
      HasSubstr("it wrote 2 lines that are not a reply, the first: 'Warning: this is a banner'"));
}

TEST(WorkerProcess, an_answer_with_another_number_is_not_ours) {
  const auto worker = started({"at=prepare", "do=wrong-id"});
  EXPECT_EQ(worker->ask(prepare(1), kShort).status, CellStatus::kTimeout);
}

TEST(WorkerProcess, a_flood_of_lines_ends_at_the_limit) {
  const auto worker = started({"at=prepare", "do=endless"});
  EXPECT_EQ(worker->ask(prepare(1), kShort).status, CellStatus::kTimeout);
}

TEST(WorkerProcess, a_request_longer_than_a_pipe_arrives) {
  const auto worker = started({});
  WorkerRequest request = prepare(1);
  for (std::int64_t row = 0; row < 100'000; row += 2) request.rows.push_back(row);
  request.op = WorkerOp::kCell;
  request.file = "/dev/null";
  request.prepare.cell.shape.dims = {100'000, 1};
  EXPECT_EQ(worker->ask(request, kEnough).status, CellStatus::kOk);
}

TEST(WorkerProcess, a_worker_that_went_between_two_questions_is_no_signal_for_us) {
  const auto worker = started({});
  const pid_t id = worker->id();
  kill(id, SIGKILL);
  const WorkerReply reply = worker->ask(prepare(1), kEnough);
  EXPECT_EQ(reply.status, CellStatus::kError);
  EXPECT_THAT(reply.reason, HasSubstr("SIGKILL, as the system does when memory runs out"));
}

TEST(WorkerProcess, waiting_can_be_cancelled) {
  const auto worker = started({"at=prepare", "do=hang"});
  const std::atomic<bool> cancelled = true;
  const WorkerReply reply = worker->ask(prepare(1), kEnough, &cancelled);
  EXPECT_EQ(reply.status, CellStatus::kMissing);
  EXPECT_EQ(reply.reason, "interrupted");
}

TEST(WorkerProcess, a_program_that_does_not_exist_is_named) {
  const auto worker = WorkerProcess::start({"/no/such/program", "x"});
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(worker.error().what, HasSubstr("/no/such/program"));
}

TEST(WorkerProcess, what_a_worker_started_goes_with_it) {
  auto worker = WorkerProcess::start(
      {"/bin/sh", "-c", "sleep 60 & echo '{\"ok\":true,\"version\":\"'$!'\"}'; wait"});
  ASSERT_TRUE(worker);
  const WorkerReply hello = (*worker)->ask({.op = WorkerOp::kHello}, kEnough);
  const pid_t grandchild = std::stoi(hello.info.version);
  EXPECT_EQ(kill(grandchild, 0), 0);
  worker->reset();
  // init must collect it now, and not every container's init does: a zombie counts as dead. And a
  // busy machine takes time to end a killed process.
  const auto is_alive = [&] {
    const std::string stat =
        strobe::testing::bytes_of("/proc/" + std::to_string(grandchild) + "/stat");
    return !stat.empty() && stat.find(") Z ") == std::string::npos;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (is_alive() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(is_alive());
}

}  // namespace
}  // namespace strobe::bench
