#include "strobe/bench/workers/serve_requests.h"

#include <unistd.h>

#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/workers/row_file.h"
#include "strobe/bench/workers/runner.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ScriptedCell : public PreparedCell {
 public:
  ScriptedCell(int& alive, int& counted) : alive_(alive), counted_(counted) { ++alive_; }
  ~ScriptedCell() override { --alive_; }
  Result<void> run() override { return {}; }
  Result<void> run_counted() override {
    ++counted_;
    return {};
  }
  Result<SampleBlock> sample(const SampleRequest& request) override {
    is_sampled = true;
    return SampleBlock{std::vector<double>(static_cast<std::size_t>(request.count), 2.5), {}};
  }
  std::size_t output_count() const override { return 1; }
  Result<std::vector<float>> output_rows(std::size_t, std::span<const std::int64_t> rows) override {
    is_sampled = false;
    return std::vector<float>(rows.begin(), rows.end());
  }
  std::vector<KernelLaunch> kernels() const override { return {{.name = "strobe_k"}}; }
  CompileTimes compile_times() const override { return {}; }
  double resident_bytes() const override { return 64; }
  double peak_bytes() const override { return 128; }
  Clocks clocks() const override {
    Clocks clocks;
    clocks.power_w = is_sampled ? 600 : 90;
    return clocks;
  }
  bool is_sampled = false;
  Result<std::vector<ApiCall>> api_calls() override { return api; }
  Result<std::vector<ApiCall>> api = std::vector<ApiCall>{{"cuLaunchKernel", 1, 4.5}};

 private:
  int& alive_;
  int& counted_;
};

class ScriptedProvider : public Provider {
 public:
  int alive = 0;
  int counted = 0;
  bool is_countable = false;
  bool can_be_counted() const override { return is_countable; }
  ProviderInfo probe() override { return {"scripted", "1", "nowhere", obstacle}; }
  Result<Plan> plan(const Cell& cell) override {
    return Plan{64, 1, cell.case_id == "attention" ? "no attention here" : ""};
  }
  Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) override {
    if (request.cell.case_id == "softmax") {
      return Error{ErrorCode::kOutOfMemory, "no more memory", "", "smaller shapes"};
    }
    if (request.cell.case_id == "layernorm") throw std::bad_alloc();
    if (request.cell.case_id == "bias_dropout_add") {
      return Error{ErrorCode::kInvalidArgument, "no such cache state", "--l2", ""};
    }
    auto cell = std::make_unique<ScriptedCell>(alive, counted);
    if (request.cell.case_id == "bias_gelu") {
      cell->api = Error{ErrorCode::kNotFound, "there is no CUPTI", "--api", "install it"};
    }
    return std::unique_ptr<PreparedCell>(std::move(cell));
  }
  Result<Roofs> measure_roofs() override {
    return Roofs{.copy_gbps = 10, .read_gbps = {}, .write_gbps = {}, .gemm_tflops = {}};
  }
  std::vector<TimeMode> modes() const override { return {TimeMode::kCpu}; }
  std::string obstacle;
};

WorkerRequest request_for(WorkerOp op, const char* id = "norm_chain") {
  WorkerRequest request{.op = op, .id = 1};
  request.prepare.cell = {id, Shape{{4, 4}}, DType::kF32, "scripted"};
  return request;
}

TEST(ServeRequests, a_cell_lives_from_prepare_to_finish) {
  ScriptedProvider provider;
  RequestServer server(provider);
  EXPECT_EQ(server.answer(request_for(WorkerOp::kSample)).reason, "no cell 1 is prepared");
  const WorkerReply prepared = server.answer(request_for(WorkerOp::kPrepare));
  EXPECT_EQ(prepared.status, CellStatus::kOk);
  EXPECT_EQ(prepared.outputs, 1u);
  EXPECT_TRUE(prepared.compile.first_call_ms);
  EXPECT_EQ(provider.alive, 1);
  WorkerRequest sample = request_for(WorkerOp::kSample);
  sample.sample = {TimeMode::kCpu, 2, 100};
  EXPECT_THAT(server.answer(sample).samples.at(TimeMode::kCpu).samples_us, ElementsAre(2.5, 2.5));
  EXPECT_EQ(server.answer(request_for(WorkerOp::kFinish)).kernels.at(0).name, "strobe_k");
  EXPECT_EQ(provider.alive, 0);
}

TEST(ServeRequests, the_clock_is_that_of_the_samples_not_of_the_end) {
  ScriptedProvider provider;
  RequestServer server(provider);
  const strobe::testing::TemporaryFolder folder;
  server.answer(request_for(WorkerOp::kPrepare));
  WorkerRequest sample = request_for(WorkerOp::kSample);
  sample.sample = {TimeMode::kCpu, 2, 100};
  server.answer(sample);
  WorkerRequest rows = request_for(WorkerOp::kRows);
  rows.rows = {0};
  rows.file = (folder / "rows").string();
  server.answer(rows);  // the scripted device cools down
  EXPECT_EQ(server.answer(request_for(WorkerOp::kFinish)).clocks.power_w, 600);
}

TEST(ServeRequests, api_calls_are_listed_for_who_asks_and_their_lack_is_no_failure) {
  ScriptedProvider provider;
  RequestServer server(provider);
  server.answer(request_for(WorkerOp::kPrepare));
  EXPECT_TRUE(server.answer(request_for(WorkerOp::kFinish)).api.empty());
  WorkerRequest cell = request_for(WorkerOp::kCell);
  cell.modes = {TimeMode::kCpu};
  cell.wants_api = true;
  EXPECT_THAT(server.answer(cell).api, ElementsAre(ApiCall{"cuLaunchKernel", 1, 4.5}));
  cell.prepare.cell.case_id = "bias_gelu";
  const WorkerReply without = server.answer(cell);
  EXPECT_EQ(without.status, CellStatus::kOk);
  EXPECT_EQ(without.lacks.at(Lack::kApi), "--api: there is no CUPTI (install it)");
}

TEST(ServeRequests, only_what_can_be_counted_says_so) {
  ScriptedProvider provider;
  RequestServer server(provider);
  EXPECT_THAT(server.answer({.op = WorkerOp::kHello}).ops, Not(Contains("count")));
  provider.is_countable = true;
  EXPECT_THAT(server.answer({.op = WorkerOp::kHello}).ops, Contains("count"));
  EXPECT_EQ(server.answer(request_for(WorkerOp::kCount)).reason, "no cell 1 is prepared");
  server.answer(request_for(WorkerOp::kPrepare));
  EXPECT_EQ(server.answer(request_for(WorkerOp::kCount)).status, CellStatus::kOk);
  EXPECT_EQ(provider.counted, 1);
}

TEST(ServeRequests, values_go_through_a_file) {
  ScriptedProvider provider;
  RequestServer server(provider);
  const strobe::testing::TemporaryFolder folder;
  server.answer(request_for(WorkerOp::kPrepare));
  WorkerRequest rows = request_for(WorkerOp::kRows);
  rows.rows = {0, 3};
  rows.file = (folder / "rows").string();
  EXPECT_EQ(server.answer(rows).status, CellStatus::kOk);
  EXPECT_THAT(read_row_file(rows.file, 2).value(), ElementsAre(0, 3));
  rows.output = 1;
  EXPECT_EQ(server.answer(rows).reason, "there is no output 1");
}

TEST(ServeRequests, a_full_disk_is_said_in_words) {
  ScriptedProvider provider;
  RequestServer server(provider);
  server.answer(request_for(WorkerOp::kPrepare));
  WorkerRequest rows = request_for(WorkerOp::kRows);
  rows.rows = {0};
  rows.file = "/dev/full";
  const WorkerReply reply = server.answer(rows);
  EXPECT_EQ(reply.status, CellStatus::kError);
  EXPECT_THAT(reply.reason, HasSubstr("cannot write values for the check: the disk is full"));
}

TEST(ServeRequests, failures_have_the_status_of_their_code) {
  ScriptedProvider provider;
  RequestServer server(provider);
  const WorkerReply oom = server.answer(request_for(WorkerOp::kPrepare, "softmax"));
  EXPECT_EQ(oom.status, CellStatus::kOom);
  EXPECT_EQ(oom.reason, "no more memory (smaller shapes)");
  EXPECT_EQ(oom.requested_bytes, 64);
  const WorkerReply unsupported = server.answer(request_for(WorkerOp::kPrepare, "attention"));
  EXPECT_EQ(unsupported.status, CellStatus::kUnsupported);
  EXPECT_EQ(unsupported.reason, "no attention here");
  const WorkerReply refused = server.answer(request_for(WorkerOp::kPrepare, "bias_dropout_add"));
  EXPECT_EQ(refused.status, CellStatus::kUnsupported);
  EXPECT_EQ(refused.reason, "--l2: no such cache state");
}

TEST(ServeRequests, a_whole_cell_in_one) {
  ScriptedProvider provider;
  RequestServer server(provider);
  WorkerRequest cell = request_for(WorkerOp::kCell);
  cell.modes = {TimeMode::kCpu};
  const WorkerReply reply = server.answer(cell);
  EXPECT_EQ(reply.status, CellStatus::kOk);
  EXPECT_EQ(reply.samples.at(TimeMode::kCpu).samples_us.size(), 100u);
  EXPECT_EQ(provider.alive, 0);
}

TEST(ServeRequests, an_obstacle_is_told_before_anything_is_asked) {
  ScriptedProvider provider;
  provider.obstacle = "no driver";
  RequestServer server(provider);
  const WorkerReply reply = server.answer({.op = WorkerOp::kHello});
  EXPECT_EQ(parse_reply(to_line(reply, WorkerOp::kHello))->info.obstacle, "no driver");
}

// The lines themselves, through pipes, with a foreign line and a lack of host memory between them.
TEST(ServeRequests, lines_are_answered_until_bye) {
  ScriptedProvider provider;
  std::array<int, 2> in = {}, out = {};
  ASSERT_EQ(pipe(in.data()), 0);
  ASSERT_EQ(pipe(out.data()), 0);
  const std::string lines = to_line(request_for(WorkerOp::kPrepare, "layernorm")) + "\nwhat?\n" +
                            to_line(request_for(WorkerOp::kRoofs)) + "\n" +
                            to_line({.op = WorkerOp::kBye}) + "\n";
  ASSERT_EQ(write(in[1], lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  EXPECT_EQ(serve_requests(provider, in[0], out[1]), 0);
  close(out[1]);
  std::string answers(4096, '\0');
  answers.resize(static_cast<std::size_t>(read(out[0], answers.data(), answers.size())));
  for (const int file : {in[0], in[1], out[0]}) close(file);
  EXPECT_THAT(answers, HasSubstr(R"("status":"oom","reason":"the host's memory is not enough")"));
  EXPECT_THAT(answers, HasSubstr("'what?' is not a JSON object"));
  EXPECT_THAT(answers, HasSubstr(R"("roofs":{"copy_gbps":10})"));
}

}  // namespace
}  // namespace strobe::bench
