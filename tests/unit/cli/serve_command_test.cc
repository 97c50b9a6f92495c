#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <list>
#include <thread>

#include "strobe/base/json_value.h"
#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace strobe::cli {
namespace {

using std::chrono::milliseconds;
using test::get;
using test::HttpClient;
using test::LogFolder;
using test::ProcessOutcome;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr std::string_view kTrace =
    R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]})";

class ServeCommandTest : public ::testing::Test {
 protected:
  test::RunningProcess start(std::vector<std::string> words,
                             const std::vector<std::string>& environment = {}) const {
    test::ProcessRequest request;
    request.command = {STROBE_BINARY, "serve"};
    request.command.insert(request.command.end(), words.begin(), words.end());
    request.folder = logs_.path().string();
    request.environment = environment;
    request.patience = std::chrono::seconds(60);
    return test::RunningProcess(request);
  }

  static std::uint16_t port_in(const std::string& url) {
    const std::size_t colon = url.rfind(':');
    return colon == std::string::npos
               ? std::uint16_t{0}
               : static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
  }

  LogFolder logs_;
};

TEST_F(ServeCommandTest, the_address_is_the_first_line_and_ctrl_c_ends_it) {
  logs_.write("run/a.json", kTrace);
  for (const int signal : {SIGINT, SIGTERM}) {
    test::RunningProcess server = start({".", "--no-cache", "--port", "0"});
    const std::string url = server.first_line();
    EXPECT_THAT(url, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/"));
    EXPECT_THAT(get(port_in(url), "/api/v1/runs").body, HasSubstr("run/a.json"));
    std::list<HttpClient> idle;
    for (int i = 0; i < 10; ++i) idle.emplace_back(port_in(url)).send("GET /");
    kill(server.id(), signal);
    const ProcessOutcome outcome = server.wait();
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, url + "\n");
    EXPECT_EQ(outcome.err, "strobe: serving . at " + url + " (Ctrl-C stops)\n");
  }
}

TEST_F(ServeCommandTest, ctrl_c_ends_it_while_a_trace_is_being_loaded) {
  std::string large = R"({"traceEvents": [)";
  for (int i = 0; i < 300'000; ++i) {
    large += R"({"ph":"X","name":"n)" + std::to_string(i) + R"(","ts":)" + std::to_string(i) +
             R"(,"dur":1,"pid":1,"tid":1,"args":{"some":"text to read"}},)" + "\n";
  }
  large += "{}]}";
  for (const char* name : {"a.json", "b.json", "c.json", "d.json"}) logs_.write_old(name, large);
  test::RunningProcess server = start({".", "--no-cache", "--port", "0", "--threads", "1"});
  ASSERT_THAT(server.first_line(), HasSubstr("http://"));
  kill(server.id(), SIGINT);
  EXPECT_EQ(server.wait().exit_code, 0);
}

TEST_F(ServeCommandTest, a_taken_port_ends_with_what_to_do) {
  test::RunningProcess first = start({".", "--no-cache", "--port", "0", "--quiet"});
  const std::string port = std::to_string(port_in(first.first_line()));
  const ProcessOutcome second = start({".", "--port", port}).wait();
  EXPECT_EQ(second.exit_code, 4);
  EXPECT_THAT(second.out, IsEmpty());
  EXPECT_EQ(second.err, "strobe: 127.0.0.1 port " + port +
                            ": the port is taken by another program\n  hint: perhaps strobe is "
                            "running already; `--port 0` takes any free port\n");
  kill(first.id(), SIGINT);
  const ProcessOutcome outcome = first.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(ServeCommandTest, an_open_address_comes_with_a_warning) {
  test::RunningProcess server = start({".", "--no-cache", "--port", "0", "--host", "0.0.0.0"});
  const std::string url = server.first_line();
  EXPECT_EQ(get(port_in(url), "/").status, 200);
  kill(server.id(), SIGINT);
  EXPECT_THAT(server.wait().err, HasSubstr("strobe: warning: anyone who can reach this address"));
}

TEST_F(ServeCommandTest, a_folder_without_traces_is_served_and_said_to_be_empty) {
  logs_.write("package.json", "{}");
  test::RunningProcess server = start({".", "--no-cache", "--port", "0"});
  EXPECT_EQ(get(port_in(server.first_line()), "/").status, 200);
  kill(server.id(), SIGINT);
  EXPECT_THAT(server.wait().err, HasSubstr("there are no traces below '.' yet"));
}

TEST_F(ServeCommandTest, a_trace_that_cannot_be_read_is_told_and_the_rest_is_served) {
  logs_.write_old("bad.pt.trace.json", "hello");
  logs_.write_old("good.json", kTrace);
  test::RunningProcess server = start({".", "--no-cache", "--port", "0"});
  const std::uint16_t port = port_in(server.first_line());
  std::string runs;
  for (int i = 0; i < 1000 && runs.find(R"("loading":false)") == std::string::npos; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    runs = get(port, "/api/v1/runs").body;
  }
  EXPECT_THAT(runs, HasSubstr(R"("state":"failed")"));
  EXPECT_THAT(runs, HasSubstr(R"("state":"ready")"));
  kill(server.id(), SIGINT);
  EXPECT_THAT(server.wait().err,
              HasSubstr("strobe: cannot read 'bad.pt.trace.json': this is text"));
}

TEST_F(ServeCommandTest, a_job_has_the_document_of_the_fleet_command) {
  const std::filesystem::path ranks = STROBE_SOURCE_DIR "/tests/data/ranks/rank_5_sleeps";
  std::filesystem::create_directory(logs_.path() / "job");
  for (const auto& file : std::filesystem::directory_iterator(ranks)) {
    logs_.write_old("job/" + file.path().filename().string(), testing::bytes_of(file.path()));
  }
  const ProcessOutcome command = test::run_process(
      {.command = {STROBE_BINARY, "fleet", "job", "--format", "json", "--no-cache"},
       .folder = logs_.path().string(),
       .environment = {}});
  ASSERT_EQ(command.exit_code, 0) << command.err;
  test::RunningProcess server = start({".", "--no-cache", "--port", "0"});
  const std::uint16_t port = port_in(server.first_line());
  test::HttpAnswer answer;
  for (int i = 0; i < 1000 && answer.status != 200; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    answer = get(port, "/api/v1/fleet?run=job");
  }
  EXPECT_EQ(std::string(find(answer.body, "document").text) + "\n", command.out);
  kill(server.id(), SIGINT);
  EXPECT_EQ(server.wait().exit_code, 0);
}

TEST_F(ServeCommandTest, the_browser_is_shown_the_address) {
  const auto browser =
      logs_.write("browser", "#!/bin/sh\necho \"$1\" > shown.part\nmv shown.part shown\n");
  std::filesystem::permissions(browser, std::filesystem::perms::owner_all);
  test::RunningProcess server = start({".", "--no-cache", "--port", "0", "--open"},
                                      {"BROWSER=" + browser.string(), "PATH=/usr/bin:/bin"});
  const std::string url = server.first_line();
  const auto shown = logs_.path() / "shown";
  for (int i = 0; i < 2000 && !std::filesystem::exists(shown); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  std::string line(url.size() + 1, '\0');
  if (FILE* file = std::fopen(shown.c_str(), "r")) {
    line.resize(std::fread(line.data(), 1, line.size(), file));
    std::fclose(file);
  }
  EXPECT_EQ(line, url + "\n");
  kill(server.id(), SIGINT);
  EXPECT_EQ(server.wait().exit_code, 0);
}

TEST_F(ServeCommandTest, without_a_browser_a_warning_remains) {
  test::RunningProcess server = start({".", "--no-cache", "--port", "0", "--open"},
                                      {"BROWSER=/no/such/browser", "PATH=/nowhere"});
  server.first_line();
  kill(server.id(), SIGINT);
  EXPECT_THAT(server.wait().err, HasSubstr("no browser could be started"));
}

}  // namespace
}  // namespace strobe::cli
