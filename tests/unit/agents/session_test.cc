#include "strobe/agents/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "strobe/agents/message.h"
#include "strobe/base/json_value.h"
#include "tests/unit/agents/scripted_lab.h"

namespace strobe::agents {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})"
    "\n";

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : session_(lab_, [this](std::string_view message) { take(message); }) {}

  void take(std::string_view message) {
    const std::scoped_lock lock(mutex_);
    sent_.emplace_back(message);
  }
  // Everything that was sent since the last time.
  std::vector<std::string> sent_for(std::string_view bytes) {
    session_.feed(bytes);
    session_.finish([] { return false; });
    const std::scoped_lock lock(mutex_);
    return std::exchange(sent_, {});
  }

  ScriptedLab lab_;
  std::mutex mutex_;
  std::vector<std::string> sent_;
  Session session_;
};

TEST_F(SessionTest, initialize_agrees_on_a_revision) {
  const auto revision = [&](std::string_view wanted) {
    const std::string text =
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
        std::string(wanted) + "\"}}\n";
    return find(find(sent_for(text).at(0), "result").text, "protocolVersion").as_string();
  };
  EXPECT_EQ(revision("2025-06-18"), "2025-06-18");
  EXPECT_EQ(revision("2024-11-05"), "2024-11-05");
  EXPECT_EQ(revision("2099-01-01"), "2025-06-18");
  const auto wrong =
      sent_for(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}})");
  EXPECT_THAT(wrong, ElementsAre(HasSubstr("-32602")));
}

TEST_F(SessionTest, nothing_but_ping_is_answered_before_initialize) {
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"),
              ElementsAre(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  for (const std::string_view method : {"tools/list", "tools/call", "nonsense"}) {
    EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + "\"}\n"),
                ElementsAre(HasSubstr("-32600")));
  }
  EXPECT_THAT(sent_for(kInitialize), SizeIs(1));
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"),
              ElementsAre(HasSubstr("inputSchema")));
}

TEST_F(SessionTest, lines_may_arrive_in_any_pieces) {
  for (const char byte : std::string(kInitialize) + "\r\n\n") {
    session_.feed(std::string_view(&byte, 1));
  }
  EXPECT_THAT(sent_for(""), ElementsAre(HasSubstr("serverInfo")));
}

TEST_F(SessionTest, a_line_that_is_too_long_is_refused_and_the_next_one_is_read) {
  session_.feed(kInitialize);
  for (int i = 0; i < 5; ++i) session_.feed(std::string(kMostMessageBytes / 2, 'x'));
  EXPECT_THAT(sent_for("\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\n"),
              ElementsAre(HasSubstr("\"id\":0"), HasSubstr("longer than"),
                          R"({"jsonrpc":"2.0","id":4,"result":{}})"));
}

TEST_F(SessionTest, a_message_that_ends_without_a_line_end_is_still_one) {
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":4,"method":"pi)"),
              ElementsAre(HasSubstr("-32700")));
}

TEST_F(SessionTest, a_tool_answers_with_text_and_structure) {
  lab_.answers.emplace("search",
                       std::string(R"({"total":0,"total_ns":0,"names":[],"matches":[]})"));
  const auto sent = sent_for(
      std::string(kInitialize) +
      R"({"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"search","arguments":{"text":"x"}}})");
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(sent[1],
              StartsWith(R"({"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text")"));
  const JsonValue result = find(sent[1], "result");
  EXPECT_EQ(find(result.text, "isError").text, "false");
  EXPECT_EQ(find(find(result.text, "structuredContent").text, "tool").as_string(), "search");
  EXPECT_THAT(sent[1], Not(HasSubstr("\n")));
}

TEST_F(SessionTest, wrong_calls_are_errors_of_the_protocol) {
  session_.feed(kInitialize);
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no"}})"),
              Contains(HasSubstr("-32602")));
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}})"),
              Contains(HasSubstr("-32602")));
  EXPECT_THAT(
      sent_for(
          R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","arguments":[]}})"),
      Contains(HasSubstr("-32602")));
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})"),
              Contains(HasSubstr("-32601")));
  EXPECT_THAT(sent_for(R"({"jsonrpc":"2.0","method":"nonsense"})"), IsEmpty());
}

// A call that goes on until it is cancelled.
TEST_F(SessionTest, a_cancelled_call_is_not_answered_and_pings_are_heard_meanwhile) {
  std::atomic<bool> is_running = false;
  lab_.while_asked = [&](const Watch& watch) {
    is_running = true;
    while (!watch.over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  session_.feed(kInitialize);
  session_.feed(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"overview"}})"
                "\n");
  while (!is_running) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session_.feed(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"overview"}})"
                "\n"
                R"({"jsonrpc":"2.0","id":6,"method":"ping"})"
                "\n");
  const auto sent =
      sent_for(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_THAT(sent, ElementsAre(HasSubstr("\"id\":0"), HasSubstr("not answered yet"),
                                HasSubstr("\"id\":6")));
}

TEST_F(SessionTest, progress_is_told_to_callers_who_want_it) {
  lab_.while_asked = [](const Watch& watch) {
    if (!watch.progress) return;
    for (const double share : {0.25, 0.25, 0.5}) watch.progress(share, "loading");
  };
  session_.feed(kInitialize);
  const auto sent = sent_for(
      R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"overview","_meta":{"progressToken":"t"}}})");
  ASSERT_THAT(sent, SizeIs(4));
  EXPECT_EQ(sent[1], R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                     R"({"progressToken":"t","progress":0.25,"total":1,"message":"loading"}})");
  EXPECT_THAT(sent[2], HasSubstr("\"progress\":0.5"));
  EXPECT_THAT(
      sent_for(R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"overview"}})"),
      SizeIs(1));
}

TEST_F(SessionTest, a_tool_that_throws_is_an_internal_error) {
  lab_.while_asked = [](const Watch&) { throw std::runtime_error("boom"); };
  session_.feed(kInitialize);
  EXPECT_THAT(
      sent_for(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"overview"}})"),
      Contains(HasSubstr("-32603")));
}

TEST(AnswerOnceTest, requests_have_an_answer_and_notifications_none) {
  ScriptedLab lab;
  EXPECT_EQ(answer_once(lab, R"({"jsonrpc":"2.0","id":1,"method":"ping"})", {}),
            R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(answer_once(lab, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {}),
            std::nullopt);
  EXPECT_EQ(answer_once(lab, R"({"jsonrpc":"2.0","id":1,"result":{}})", {}), std::nullopt);
  EXPECT_THAT(answer_once(lab, "[", {}).value(), HasSubstr("-32700"));
}

}  // namespace
}  // namespace strobe::agents
