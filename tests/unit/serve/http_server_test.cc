#include "strobe/serve/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "tests/support/http_client.h"
#include "tests/unit/serve/running_server.h"

namespace strobe::serve {
namespace {

using std::chrono::milliseconds;
using test::get;
using test::get_text;
using test::HttpAnswer;
using test::HttpClient;
using ::testing::HasSubstr;

// What happens soon, on a machine that is not busy.
constexpr std::chrono::seconds kPatience{60};

HttpResponse echo(const HttpRequest& request) {
  return make_response(200, "text/plain", request.method + " " + request.path);
}

TEST(HttpServerTest, a_question_is_answered_and_the_connection_stays_open) {
  RunningServer server(echo);
  HttpClient client(server.port());
  for (const char* path : {"/a", "/b", "/c"}) {
    ASSERT_TRUE(client.send(get_text(path)));
    const HttpAnswer answer = client.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, std::string("GET ") + path);
    EXPECT_EQ(answer.headers.at("connection"), "keep-alive");
  }
}

TEST(HttpServerTest, questions_sent_at_once_are_answered_in_order) {
  RunningServer server(echo);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(get_text("/1") + get_text("/2") + "\r\n" + get_text("/3")));
  EXPECT_EQ(client.receive().body, "GET /1");
  EXPECT_EQ(client.receive().body, "GET /2");
  EXPECT_EQ(client.receive().body, "GET /3");
}

TEST(HttpServerTest, head_says_the_length_and_sends_no_body) {
  RunningServer server(echo);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n" + get_text("/next")));
  const HttpAnswer answer = client.receive(false);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-length"), "9");
  EXPECT_EQ(client.receive().body, "GET /next");
}

TEST(HttpServerTest, a_client_that_stops_sending_still_gets_its_answer) {
  RunningServer server(echo);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(get_text("/half")));
  client.end_sending();
  EXPECT_EQ(client.receive().body, "GET /half");
  EXPECT_TRUE(client.is_closed(kPatience));
}

TEST(HttpServerTest, a_large_answer_arrives_whole_even_if_taken_slowly) {
  std::string large(20 << 20, 'x');
  for (std::size_t i = 0; i < large.size(); i += 4096)
    large[i] = static_cast<char>('a' + i / 4096 % 26);
  RunningServer server([&](const HttpRequest&) { return make_response(200, "text/plain", large); });
  HttpClient slow(server.port());
  ASSERT_TRUE(slow.send(get_text("/")));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(get(server.port(), "/").body, large);  // meanwhile others are served
  EXPECT_EQ(slow.receive().body, large);
}

TEST(HttpServerTest, a_long_address_is_414_and_long_headers_are_431) {
  RunningServer server(echo);
  EXPECT_EQ(get(server.port(), "/?q=" + std::string(30'000, 'x')).status, 200);
  EXPECT_EQ(get(server.port(), "/?q=" + std::string(40'000, 'x')).status, 414);
  EXPECT_EQ(get(server.port(), "/", "X-Long: " + std::string(100'000, 'x') + "\r\n").status, 431);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(get(server.port(), "/", many).status, 431);
}

TEST(HttpServerTest, an_address_without_an_end_is_414_as_soon_as_it_is_too_long) {
  RunningServer server(echo, {.head = std::chrono::minutes(5)});
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("GET /" + std::string(40'000, 'x')));
  EXPECT_EQ(client.receive().status, 414);
}

TEST(HttpServerTest, an_endless_header_is_cut_off) {
  RunningServer server(echo);
  HttpClient client(server.port());
  client.send("GET / HTTP/1.1\r\nX-Endless: ");
  const std::string block(1 << 20, 'x');
  bool is_open = true;
  for (int i = 0; i < 64 && is_open; ++i) is_open = client.send(block);
  EXPECT_FALSE(is_open);  // sockets hold a few MB, the server takes one
}

TEST(HttpServerTest, what_is_not_http_is_refused_and_closed) {
  RunningServer server(echo);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("\x16\x03\x01 hello\r\n\r\n"));
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("\"bad_request\""));
  EXPECT_TRUE(client.is_closed(kPatience));
}

// An unread body must not be taken for the next request.
TEST(HttpServerTest, a_body_never_becomes_a_request) {
  RunningServer server(echo);
  HttpClient client(server.port());
  const std::string hidden = get_text("/hidden");
  ASSERT_TRUE(client.send("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                          std::to_string(hidden.size()) + "\r\n\r\n" + hidden));
  EXPECT_EQ(client.receive().body, "POST /first");
  EXPECT_EQ(client.receive(true, milliseconds(3000)).status, 0);
}

TEST(HttpServerTest, a_body_of_any_length_is_left_unread) {
  RunningServer server(echo);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("POST /big HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n"));
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.body, "POST /big");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed(kPatience));
}

TEST(HttpServerTest, a_broken_chunk_never_becomes_a_request) {
  RunningServer server(echo);
  for (const std::string_view coding : {"chunked", "gzip", "gzip, chunked"}) {
    HttpClient client(server.port());
    ASSERT_TRUE(client.send("POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: " +
                            std::string(coding) + "\r\n\r\nzz\r\n\r\n" + get_text("/hidden")));
    EXPECT_EQ(client.receive().body, "POST /first") << coding;
    EXPECT_EQ(client.receive(true, milliseconds(3000)).status, 0) << coding;
  }
}

HttpResponse echo_body(const HttpRequest& request) {
  return make_response(200, "text/plain", request.path + " " + request.body);
}

std::string post_text(std::string_view path, std::string_view body, std::string_view headers = {}) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body);
}

TEST(HttpServerTest, the_body_of_a_post_to_its_path_is_read_in_any_pieces) {
  RunningServer server(echo_body, {}, "/in");
  HttpClient client(server.port());
  for (const char byte : post_text("/in?x=1", "first")) {
    ASSERT_TRUE(client.send(std::string_view(&byte, 1)));
  }
  EXPECT_EQ(client.receive().body, "/in first");
  // The bytes after it are the next request.
  ASSERT_TRUE(client.send(post_text("/in", get_text("/hidden")) + post_text("/in", "") +
                          get_text("/next")));
  EXPECT_EQ(client.receive().body, "/in " + get_text("/hidden"));
  EXPECT_EQ(client.receive().body, "/in ");
  EXPECT_EQ(client.receive().body, "/next ");
}

TEST(HttpServerTest, bodies_of_other_requests_are_still_left_unread) {
  RunningServer server(echo_body, {}, "/in");
  for (const std::string& request :
       {post_text("/inside", "body"), post_text("/", "body"),
        "PUT /in HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody" + std::string()}) {
    HttpClient client(server.port());
    ASSERT_TRUE(client.send(request));
    const HttpAnswer answer = client.receive();
    EXPECT_EQ(answer.body.find("body"), std::string::npos) << answer.body;
    EXPECT_EQ(answer.headers.at("connection"), "close");
  }
}

TEST(HttpServerTest, a_body_that_is_too_long_is_refused_before_it_comes) {
  RunningServer server(echo_body, {.body_bytes = 10}, "/in");
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("POST /in HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n"));
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_TRUE(client.is_closed(kPatience));
}

TEST(HttpServerTest, a_body_that_does_not_come_is_not_waited_for_forever) {
  RunningServer server(echo_body, {.head = milliseconds(50)}, "/in");
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("POST /in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbod"));
  EXPECT_EQ(client.receive().status, 408);
}

TEST(HttpServerTest, a_client_that_waits_for_an_invitation_gets_one) {
  RunningServer server(echo_body, {}, "/in");
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(
      "POST /in HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.receive(false).status, 100);
  ASSERT_TRUE(client.send("body"));
  EXPECT_EQ(client.receive().body, "/in body");
}

// Readers that disagree about where a body ends see different requests.
TEST(HttpServerTest, a_body_with_two_lengths_is_refused) {
  RunningServer server(echo);
  for (const std::string_view headers :
       {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3x\r\n",
        "Content-Length: -1\r\n", "Content-Length: 99999999999999999999999\r\n"}) {
    EXPECT_EQ(get(server.port(), "/", headers).status, 400) << headers;
  }
}

TEST(HttpServerTest, a_client_that_stops_sending_within_a_request_is_let_go) {
  RunningServer server(echo, {.head = std::chrono::minutes(5), .idle = std::chrono::minutes(5)});
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("GET /half HTTP/1.1\r\nHost: a\r\n"));
  client.end_sending();
  EXPECT_TRUE(client.is_closed(kPatience));
  EXPECT_EQ(get(server.port(), "/x").status, 200);
}

TEST(HttpServerTest, questions_sent_before_the_client_stops_sending_are_all_answered) {
  RunningServer server(echo);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(get_text("/1") + get_text("/2")));
  client.end_sending();
  EXPECT_EQ(client.receive().body, "GET /1");
  EXPECT_EQ(client.receive().body, "GET /2");
  EXPECT_TRUE(client.is_closed(kPatience));
}

TEST(HttpServerTest, a_request_that_arrives_byte_by_byte_delays_no_other) {
  RunningServer server(echo, {.workers = 1, .head = std::chrono::minutes(5)});
  HttpClient slow(server.port());
  for (const char c : get_text("/slow")) {
    EXPECT_EQ(get(server.port(), "/fast").status, 200);
    ASSERT_TRUE(slow.send(std::string(1, c)));
  }
  EXPECT_EQ(slow.receive().body, "GET /slow");
}

TEST(HttpServerTest, a_request_that_never_ends_is_given_up_with_408) {
  RunningServer server(echo, {.head = milliseconds(100)});
  HttpClient slow(server.port());
  for (int i = 0; i < 1000 && !slow.is_closed(milliseconds(20)); ++i) {
    if (!slow.send("x")) break;
  }
  EXPECT_EQ(slow.receive().status, 408);
}

TEST(HttpServerTest, headers_that_never_end_are_given_up_with_408) {
  RunningServer server(echo, {.head = milliseconds(100)});
  HttpClient slow(server.port());
  ASSERT_TRUE(slow.send("GET / HTTP/1.1\r\nHost: a\r\n"));
  for (int i = 0; i < 1000 && !slow.is_closed(milliseconds(20)); ++i) {
    if (!slow.send("X-Slow: loris\r\n")) break;
  }
  EXPECT_EQ(slow.receive().status, 408);
}

TEST(HttpServerTest, idle_connections_do_not_delay_others) {
  // Longer than a client waits: if one of them delayed the others, these would give up.
  RunningServer server(
      echo, {.workers = 1, .head = std::chrono::minutes(5), .idle = std::chrono::minutes(5)});
  std::list<HttpClient> idle;
  for (int i = 0; i < 150; ++i) {
    idle.emplace_back(server.port());
    if (i % 2 == 0) {
      ASSERT_TRUE(idle.back().send("GET / HT"));
    }
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get(server.port(), "/x").status, 200);
}

TEST(HttpServerTest, more_connections_than_fit_push_out_idle_ones) {
  RunningServer server(echo, {.connections = 8});
  std::list<HttpClient> idle;
  for (int i = 0; i < 20; ++i) idle.emplace_back(server.port());
  EXPECT_EQ(get(server.port(), "/x").status, 200);
}

TEST(HttpServerTest, a_request_that_has_come_is_not_pushed_out) {
  RunningServer server(echo, {.connections = 1});
  for (int round = 0; round < 100; ++round) {
    HttpClient first(server.port());
    ASSERT_TRUE(first.send(get_text("/1")));
    HttpClient second(server.port());
    ASSERT_EQ(first.receive().body, "GET /1") << round;
    ASSERT_TRUE(second.send(get_text("/2")));
    ASSERT_EQ(second.receive().body, "GET /2") << round;
  }
}

TEST(HttpServerTest, a_connection_that_sends_only_empty_lines_is_idle) {
  RunningServer server(echo, {.connections = 1, .idle = std::chrono::minutes(5)});
  HttpClient first(server.port());
  ASSERT_TRUE(first.send("\r\n"));
  HttpClient second(server.port());
  ASSERT_TRUE(second.send(get_text("/2")));
  EXPECT_EQ(second.receive().body, "GET /2");
}

TEST(HttpServerTest, a_connection_for_which_there_is_no_room_waits_until_there_is) {
  RunningServer server(echo, {.connections = 4, .head = std::chrono::minutes(5)});
  std::list<HttpClient> busy;
  for (int i = 0; i < 4; ++i) {
    busy.emplace_back(server.port());
    ASSERT_TRUE(busy.back().send("GET / HT"));
  }
  HttpClient waiting(server.port());
  ASSERT_TRUE(waiting.send(get_text("/later")));
  EXPECT_EQ(waiting.receive(true, milliseconds(200)).status, 0);
  busy.pop_front();
  EXPECT_EQ(waiting.receive().body, "GET /later");
}

TEST(HttpServerTest, a_server_that_only_waits_for_its_workers_goes_on) {
  std::atomic<bool> go_on = false;
  RunningServer server(
      [&](const HttpRequest& request) {
        while (!go_on) std::this_thread::sleep_for(milliseconds(1));
        return echo(request);
      },
      {.connections = 1, .idle = milliseconds(500)});
  HttpClient working(server.port());
  ASSERT_TRUE(working.send("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  HttpClient waiting(server.port());
  ASSERT_TRUE(waiting.send(get_text("/2")));
  EXPECT_EQ(waiting.receive(true, milliseconds(800)).status, 0);
  go_on = true;
  EXPECT_EQ(working.receive().body, "GET /1");
  EXPECT_EQ(waiting.receive().body, "GET /2");
}

TEST(HttpServerTest, many_connections_come_and_go) {
  RunningServer server(echo, {.connections = 32});
  for (int round = 0; round < 10; ++round) {
    std::list<HttpClient> clients;
    for (int i = 0; i < 100; ++i) clients.emplace_back(server.port());
    ASSERT_TRUE(clients.back().send(get_text("/last")));
    EXPECT_EQ(clients.back().receive().body, "GET /last");
  }
}

TEST(HttpServerTest, an_idle_connection_is_closed_after_a_while) {
  RunningServer server(echo, {.idle = milliseconds(100)});
  HttpClient client(server.port());
  EXPECT_TRUE(client.is_closed(kPatience));
}

TEST(HttpServerTest, a_long_answer_in_the_making_does_not_hold_up_others) {
  std::atomic<bool> go_on = false;
  RunningServer server([&](const HttpRequest& request) {
    while (request.path == "/long" && !go_on) std::this_thread::sleep_for(milliseconds(1));
    return echo(request);
  });
  HttpClient waiting(server.port());
  ASSERT_TRUE(waiting.send(get_text("/long")));
  EXPECT_EQ(get(server.port(), "/short").body, "GET /short");
  go_on = true;
  EXPECT_EQ(waiting.receive().body, "GET /long");
}

TEST(HttpServerTest, a_client_that_leaves_early_is_no_trouble) {
  RunningServer server([](const HttpRequest&) {
    return make_response(200, "text/plain", std::string(4 << 20, 'x'));
  });
  for (int i = 0; i < 20; ++i) HttpClient(server.port()).send(get_text("/gone"));
  EXPECT_EQ(get(server.port(), "/x").status, 200);
}

TEST(HttpServerTest, an_exception_is_an_answer_and_the_server_lives_on) {
  RunningServer server([](const HttpRequest& request) -> HttpResponse {
    if (request.path == "/bad") throw std::runtime_error("this went wrong");
    return echo(request);
  });
  const HttpAnswer answer = get(server.port(), "/bad");
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, HasSubstr("this went wrong"));
  EXPECT_EQ(get(server.port(), "/good").status, 200);
}

TEST(HttpServerTest, stopping_waits_for_no_idle_half_sent_or_unread_connection) {
  const std::string large(32 << 20, 'x');
  RunningServer server([&](const HttpRequest&) { return make_response(200, "text/plain", large); });
  HttpClient idle(server.port());
  HttpClient half(server.port());
  HttpClient unread(server.port());
  half.send("GET / HTTP/1.1\r\n");
  unread.send(get_text("/"));
  std::this_thread::sleep_for(milliseconds(100));
  server.stop();
  EXPECT_TRUE(server.server().finish(kPatience));
  EXPECT_TRUE(idle.is_closed(kPatience));
}

TEST(HttpServerTest, what_is_still_being_answered_is_told_when_stopping) {
  std::atomic<bool> go_on = false;
  std::atomic<bool> has_begun = false;
  RunningServer server([&](const HttpRequest& request) {
    has_begun = true;
    while (!go_on) std::this_thread::sleep_for(milliseconds(1));
    return echo(request);
  });
  HttpClient client(server.port());
  client.send(get_text("/"));
  while (!has_begun) std::this_thread::sleep_for(milliseconds(1));
  server.stop();
  EXPECT_FALSE(server.server().finish(milliseconds(50)));
  go_on = true;
  EXPECT_TRUE(server.server().finish(kPatience));
}

TEST(HttpServerTest, many_clients_at_once_get_their_own_answers) {
  RunningServer server(echo);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 16; ++c) {
    clients.emplace_back([&, c] {
      HttpClient client(server.port());
      for (int i = 0; i < 50; ++i) {
        const std::string path = "/" + std::to_string(c) + "/" + std::to_string(i);
        if (!client.send(get_text(path)) || client.receive().body != "GET " + path) ++wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST(HttpServerTest, a_taken_port_is_said_with_a_way_out) {
  RunningServer server(echo);
  const auto second = HttpServer::listen("127.0.0.1", server.port());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kMachineLacks);
  EXPECT_THAT(second.error().what, HasSubstr("taken"));
  EXPECT_THAT(second.error().hint, HasSubstr("--port 0"));
}

TEST(HttpServerTest, an_address_that_is_none_is_a_bad_flag) {
  const auto named = HttpServer::listen("no such host", 0);
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().where, "--host");
  const auto foreign = HttpServer::listen("192.0.2.1", 0);  // reserved for documentation
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::kInvalidArgument);
}

TEST(HttpServerTest, it_knows_whether_only_this_machine_can_connect) {
  EXPECT_TRUE((*HttpServer::listen("127.0.0.1", 0))->is_loopback());
  EXPECT_TRUE((*HttpServer::listen("localhost", 0))->is_loopback());
  EXPECT_FALSE((*HttpServer::listen("0.0.0.0", 0))->is_loopback());
}

}  // namespace
}  // namespace strobe::serve
