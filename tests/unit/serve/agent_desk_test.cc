#include "strobe/serve/agent_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/json_value.h"
#include "tests/support/http_client.h"
#include "tests/support/loop_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/serve/running_trace_server.h"

namespace strobe::serve {
namespace {

namespace fs = std::filesystem;
using test::HttpAnswer;
using test::HttpClient;
using test::kOneSlice;
using test::LogFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TraceServer& opened(const fs::path& folder, std::unique_ptr<TraceServer>& server) {
  ServeOptions options;
  options.places = {folder.string()};
  options.shelf.load = [](const FoundTrace& found, const readers::LoadOptions& load) {
    return readers::read_trace(found.path, load);
  };
  options.shelf.loads_unasked = false;
  server = std::move(TraceServer::open(std::move(options))).value();
  return *server;
}

class AgentDeskTest : public ::testing::Test {
 protected:
  agents::Lab& desk() { return (server_ ? *server_ : opened(logs_.path(), server_)).agents(); }
  std::string refusal(const std::string& typed) {
    const auto found = desk().find(typed);
    return found ? "found " + found->name : found.error().what;
  }

  LogFolder logs_;
  std::unique_ptr<TraceServer> server_;
};

TEST_F(AgentDeskTest, a_trace_is_found_by_its_name_and_by_any_path_to_it) {
  logs_.write_old("run/a.json", kOneSlice);
  logs_.write_old("run/b.json", kOneSlice);
  for (const std::string& typed :
       {std::string("run/a.json"), std::string("./run/../run//a.json"),
        (logs_.path() / "run/a.json").string(),
        (logs_.path() / ".." / logs_.path().filename() / "run/a.json").string()}) {
    const auto found = desk().find(typed);
    ASSERT_TRUE(found) << typed << found.error().what;
    EXPECT_THAT(found->traces, ElementsAre("run/a.json")) << typed;
  }
  const auto run = desk().find("run");
  ASSERT_TRUE(run);
  EXPECT_THAT(run->traces, ElementsAre("run/a.json", "run/b.json"));
}

TEST_F(AgentDeskTest, what_is_outside_is_refused_whether_it_exists_or_not) {
  logs_.write_old("in/a.json", kOneSlice);
  const LogFolder other;
  const fs::path secret = other.write_old("secret.json", kOneSlice);
  fs::create_symlink(secret, logs_.path() / "in/link.json");
  fs::create_directory_symlink(other.path(), logs_.path() / "door");
  for (const std::string& typed :
       {std::string(".."), std::string("../x.json"), std::string("in/../../x.json"),
        std::string("/etc/passwd"), secret.string(), std::string("in/link.json"),
        std::string("door/secret.json"), std::string("door/missing.json"), std::string("door")}) {
    EXPECT_THAT(refusal(typed), HasSubstr("leads outside of the folders")) << typed;
  }
  EXPECT_EQ(refusal("in/a.json"), "found in/a.json");
  const auto listed = desk().ask("runs", {}, {});
  ASSERT_TRUE(listed);
  EXPECT_THAT(*listed, HasSubstr("in/a.json"));
  EXPECT_THAT(*listed, Not(HasSubstr("link.json")));
  EXPECT_THAT(*listed, Not(HasSubstr("secret.json")));
  // A run with a link in it is refused as a whole.
  EXPECT_THAT(refusal("in"), HasSubstr("leads outside"));
}

TEST_F(AgentDeskTest, without_a_name_the_only_trace_or_run_is_meant) {
  EXPECT_THAT(refusal(""), HasSubstr("there is no trace"));
  logs_.write_old("run/a.json", kOneSlice);
  EXPECT_EQ(refusal(""), "found run/a.json");  // it is looked for again
  logs_.write_old("other/b.json", kOneSlice);
  EXPECT_FALSE(desk().find("nothing"));  // which scans
  EXPECT_THAT(refusal(""), HasSubstr("several traces"));
  EXPECT_THAT(refusal("nothing"), HasSubstr("there is no trace, run or list of kernels"));
}

TEST_F(AgentDeskTest, a_call_waits_until_its_trace_is_loaded_and_tells_the_progress) {
  logs_.write_old("a.json", kOneSlice);
  std::vector<double> told;
  agents::Watch watch;
  watch.progress = [&](double share, std::string_view) { told.push_back(share); };
  const auto answer = desk().ask("summary", {{"trace", "a.json"}}, watch);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(*answer, HasSubstr("strobe.summary"));
  EXPECT_FALSE(told.empty());
}

TEST_F(AgentDeskTest, a_cancelled_call_stops_waiting) {
  logs_.write_old("a.json", kOneSlice);
  agents::Watch watch;
  watch.is_cancelled = [] { return true; };
  const auto answer = desk().ask("summary", {{"trace", "a.json"}}, watch);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInterrupted);
}

TEST_F(AgentDeskTest, traces_that_are_no_ranks_of_one_run_are_not_summed_up) {
  const std::string trace = test::LoopTrace{}.json();
  logs_.write_old("run/a.json", trace);
  logs_.write_old("run/b.json", trace);
  const auto answer = desk().ask("summary", {{"trace", "run/a.json"}, {"trace", "run/b.json"}}, {});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("not the ranks of one run"));
}

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

HttpAnswer post(std::uint16_t port, std::string_view body, std::string_view headers = {},
                std::string_view path = "/mcp") {
  HttpClient client(port);
  client.send(
      fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n"
                  "Content-Type: application/json\r\n"
                  "Accept: application/json, text/event-stream\r\n{}\r\n{}",
                  path, port, body.size(), headers, body));
  return client.receive();
}

TEST(AgentsOverHttpTest, a_message_is_a_post_and_its_answer_is_json) {
  const RunningTraceServer server(STROBE_SOURCE_DIR "/examples");
  const HttpAnswer ping = post(server.port(), kPing);
  EXPECT_EQ(ping.status, 200);
  EXPECT_EQ(ping.body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(ping.headers.at("content-type"), "application/json");
  EXPECT_EQ(ping.headers.at("cache-control"), "no-store");
  const HttpAnswer initialize = post(
      server.port(),
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
  EXPECT_THAT(initialize.body, HasSubstr(R"("protocolVersion":"2025-06-18")"));
  const HttpAnswer call = post(
      server.port(),
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"overview","arguments":)"
      R"({"trace":"gpt_inference_compiled.json.gz"}}})",
      "MCP-Protocol-Version: 2025-06-18\r\n");
  EXPECT_THAT(call.body, HasSubstr("device_idle_host_bound"));
  EXPECT_THAT(call.body, HasSubstr(server.url() + "#/timeline?trace=gpt_inference"));
}

TEST(AgentsOverHttpTest, notifications_and_responses_are_accepted_without_an_answer) {
  const LogFolder logs;
  const RunningTraceServer server(logs.path());
  const HttpAnswer accepted =
      post(server.port(), R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(accepted.body, "");
}

TEST(AgentsOverHttpTest, what_is_wrong_with_a_message_is_said_in_its_own_protocol) {
  const LogFolder logs;
  const RunningTraceServer server(logs.path());
  EXPECT_THAT(post(server.port(), "{\"jsonrpc\"").body, HasSubstr("-32700"));
  EXPECT_THAT(post(server.port(), "").body, HasSubstr("-32700"));
  EXPECT_THAT(post(server.port(), "[]").body, HasSubstr("-32600"));
}

TEST(AgentsOverHttpTest, only_posts_of_json_in_a_known_revision_are_read) {
  const LogFolder logs;
  const RunningTraceServer server(logs.path());
  const HttpAnswer got = test::get(server.port(), "/mcp");
  EXPECT_EQ(got.status, 405);
  EXPECT_EQ(got.headers.at("allow"), "POST");
  EXPECT_EQ(post(server.port(), kPing, "MCP-Protocol-Version: 1999-01-01\r\n").status, 400);
  EXPECT_EQ(post(server.port(), kPing, {}, "/mcp/other").status, 405);
  HttpClient client(server.port());
  client.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
      "Content-Type: text/plain\r\n\r\n{}");
  EXPECT_EQ(client.receive().status, 415);
  HttpClient chunked(server.port());
  chunked.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
      "Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 411);
}

TEST(AgentsOverHttpTest, strangers_are_refused) {
  const LogFolder logs;
  const RunningTraceServer server(logs.path());
  EXPECT_EQ(post(server.port(), kPing, "Origin: https://evil.example\r\n").status, 403);
  HttpClient client(server.port());
  client.send(
      fmt::format("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: {}\r\n"
                  "Content-Type: application/json\r\n\r\n{}",
                  kPing.size(), kPing));
  EXPECT_EQ(client.receive().status, 403);
}

TEST(AgentsOverHttpTest, a_path_prefix_moves_the_address) {
  const LogFolder logs;
  const RunningTraceServer server(logs.path(), "/tools");
  EXPECT_EQ(post(server.port(), kPing, {}, "/tools/mcp").status, 200);
  EXPECT_EQ(post(server.port(), kPing).status, 405);
}

}  // namespace
}  // namespace strobe::serve
