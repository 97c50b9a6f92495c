#include "strobe/serve/trace_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "strobe/report/render/page.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/serve/running_trace_server.h"

namespace strobe::serve {
namespace {

using std::chrono::milliseconds;
using test::get;
using test::HttpAnswer;
using test::kOneSlice;
using test::LogFolder;
using ::testing::HasSubstr;

TEST(TraceServerTest, page_api_and_plugin_are_served_from_one_address) {
  const LogFolder logs;
  logs.write_old("run/w.1.pt.trace.json", kOneSlice);
  const RunningTraceServer server(logs.path());
  EXPECT_EQ(server.url(), "http://127.0.0.1:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(get(server.port(), "/").body, report::page_html());
  EXPECT_THAT(server.wait_until_loaded(), HasSubstr(R"("state":"ready")"));
  EXPECT_EQ(get(server.port(), "/data/plugin/pytorch_profiler/runs").body,
            R"({"runs":["run"],"loading":false})");
  EXPECT_EQ(get(server.port(), "/data/plugin/pytorch_profiler/overview?run=run").status, 400);
  EXPECT_EQ(get(server.port(), "/api/v1/nothing").status, 404);
}

TEST(TraceServerTest, every_question_of_the_api_is_answered_about_a_real_trace) {
  const RunningTraceServer server(STROBE_SOURCE_DIR "/examples");
  server.wait_until_loaded();
  const std::string trace = "trace=gpt_inference_compiled.json.gz";
  for (const std::string& question :
       {std::string("summary?"), std::string("summary?trace=paddle_attention.json.gz&"),
        std::string("timeline?"), std::string("tile?start_ns=0&end_ns=1000000&columns=800&"),
        std::string("slice?slice=5&"), std::string("search?q=gemm&"),
        std::string("selection?start_ns=0&end_ns=1000000&"), std::string("memory?"),
        std::string("counter?counter=0&start_ns=0&end_ns=1000000&columns=10&"),
        std::string("modules?"),
        std::string("diff?base=gpt_inference_compiled.json.gz&other=paddle_attention.json.gz&")}) {
    const HttpAnswer answer = get(server.port(), "/api/v1/" + question + trace);
    EXPECT_EQ(answer.status, 200) << question << answer.body;
    EXPECT_THAT(answer.body, ::testing::StartsWith("{")) << question;
  }
  for (const std::string& question :
       {std::string("tile?"), std::string("tile?start_ns=x&end_ns=1&columns=1&"),
        std::string("tile?start_ns=0&end_ns=1&columns=100000&"), std::string("slice?")}) {
    const HttpAnswer answer = get(server.port(), "/api/v1/" + question + trace);
    EXPECT_EQ(answer.status, 400) << question;
    EXPECT_THAT(answer.body, HasSubstr(R"("code":"bad_request")")) << question;
  }
}

TEST(TraceServerTest, every_question_of_the_plugins_client_is_answered_about_a_real_run) {
  const std::filesystem::path traces =
      STROBE_SOURCE_DIR "/../shared/traces/kineto_resnet50_num_workers_0";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << "no ../shared/traces";
  const RunningTraceServer server(traces);
  const std::string plugin = "/data/plugin/pytorch_profiler/";
  EXPECT_EQ(get(server.port(), plugin + "runs").body,
            R"({"runs":["kineto_resnet50_num_workers_0"],"loading":false})");
  const std::string run = "?run=kineto_resnet50_num_workers_0";
  EXPECT_EQ(get(server.port(), plugin + "workers" + run + "&view=Overview").body, R"(["worker0"])");
  EXPECT_EQ(get(server.port(), plugin + "spans" + run + "&worker=worker0").body, R"(["1", "2"])");
  const std::string where = run + "&worker=worker0&span=1";
  for (const char* route :
       {"overview", "operation", "operation/table", "kernel", "kernel/table", "kernel/tc_pie"}) {
    const HttpAnswer answer = get(server.port(), plugin + route + where);
    EXPECT_EQ(answer.status, 200) << route;
    EXPECT_FALSE(answer.headers.contains("content-encoding")) << route;
  }
  for (const char* route : {"trace", "memory", "memory_curve", "memory_events", "tree"}) {
    const HttpAnswer answer = get(server.port(), plugin + route + where);
    EXPECT_EQ(answer.status, 200) << route;
    EXPECT_EQ(answer.headers.at("content-encoding"), "gzip") << route;
    EXPECT_THAT(answer.body, ::testing::StartsWith("\x1f\x8b")) << route;
  }
  EXPECT_EQ(get(server.port(), plugin + "overview" + run + "&worker=worker9&span=1").status, 404);
  EXPECT_EQ(get(server.port(), plugin + "nothing" + where).status, 404);
}

TEST(TraceServerTest, a_trace_that_appears_can_be_asked_for_without_a_restart) {
  const LogFolder logs;
  const RunningTraceServer server(logs.path());
  EXPECT_THAT(server.wait_until_loaded(), HasSubstr(R"("runs":[])"));
  logs.write_old("new.json", kOneSlice);
  std::string runs;
  for (int i = 0; i < 1000 && runs.find(R"("state":"ready")") == std::string::npos; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    runs = get(server.port(), "/api/v1/runs").body;
  }
  EXPECT_THAT(runs, HasSubstr(R"("trace":"new.json")"));
  EXPECT_THAT(runs, HasSubstr(R"("state":"ready")"));
}

TEST(TraceServerTest, a_missing_folder_is_told_before_a_port_is_taken) {
  ServeOptions options;
  options.places = {"/no/such/folder"};
  const auto server = TraceServer::open(std::move(options));
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace strobe::serve
