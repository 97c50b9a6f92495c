#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "strobe/base/result.h"
#include "strobe/serve/http_message.h"

// HTTP/1.1. Boost.Beast parses requests, Boost.Asio does the I/O; neither is visible here.
namespace strobe::serve {

struct HttpLimits {
  std::size_t target_bytes = 32 << 10;  // of path and parameters, else 414
  std::size_t head_bytes = 64 << 10;    // of all headers, else 431
  std::size_t body_bytes = 1 << 20;     // of a body that is read, else 413
  std::size_t connections = 512;
  unsigned workers = 32;                   // requests answered in parallel
  std::chrono::milliseconds head{10'000};  // to send a request, from its first byte on; else 408
  std::chrono::milliseconds idle{30'000};  // between requests
  // How long, and for how many bytes, a refused client is still read from.
  std::chrono::milliseconds linger{1'000};
  std::size_t linger_bytes = 1 << 20;
  // Time to receive an answer, plus more for a long one.
  std::chrono::milliseconds answer{30'000};
  std::int64_t answer_bytes_per_ms = 100;
};

// A server for small HTTP requests. One thread does all I/O, so that idle and slow clients need no
// thread of their own; a few workers, started when first needed, compute answers.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Port 0: any free one. `host` is a name or a number. The bodies of POST requests to `body_path`
  // are read; those of others never are.
  static Result<std::unique_ptr<HttpServer>> listen(const std::string& host, std::uint16_t port,
                                                    HttpLimits limits = {},
                                                    std::string body_path = "");
  ~HttpServer();  // waits for answers in progress

  std::uint16_t port() const;
  std::string address() const;  // as numbers, "127.0.0.1"
  bool is_loopback() const;

  // Serves in this thread until `stop` is true, then closes every connection. `stop` is not polled:
  // after a change it must be notified. `handler` is called from several threads.
  void run(Handler handler, const std::atomic<bool>& stop);
  // After run(): whether all answers in progress were finished in that time.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// `head`: from the request line to the empty line after the headers, inclusive.
std::variant<HttpRequest, HttpRefusal> parse_request(std::string_view head);

}  // namespace strobe::serve
