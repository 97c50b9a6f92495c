#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "strobe/base/result.h"
#include "strobe/serve/http_message.h"

namespace strobe::serve {

struct HttpLimits {
  std::size_t target_bytes = 32 << 10;  // of path and parameters, else 414
  std::size_t head_bytes = 64 << 10;    // of a request, else 431
  std::size_t connections = 512;
  unsigned workers = 32;                   // requests answered at once
  std::chrono::milliseconds head{10'000};  // to send a request, from its first byte on; else 408
  std::chrono::milliseconds idle{30'000};  // between requests
  // To hear out a client that is being refused: so long, and so much.
  std::chrono::milliseconds linger{1'000};
  std::size_t linger_bytes = 1 << 20;
  // To take an answer: this long, and longer for a long one.
  std::chrono::milliseconds answer{30'000};
  std::size_t answer_bytes_per_ms = 100;
};

// A server of small HTTP questions. One thread moves bytes and holds all waiting connections, so
// that idle and slow clients cost no thread; a few workers, started when first needed, answer.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Port 0: any free one. `host` is a name or a number.
  static Result<std::unique_ptr<HttpServer>> listen(const std::string& host, std::uint16_t port,
                                                    HttpLimits limits = {});
  ~HttpServer();  // waits for answers that are being made

  std::uint16_t port() const;
  std::string address() const;  // as numbers, "127.0.0.1"
  bool is_loopback() const;

  // Serves in this thread until `stop` is true, then closes every connection. `handler` is called
  // from many threads.
  void run(Handler handler, const std::atomic<bool>& stop);
  // After run(): whether all answers in the making were finished in that time.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strobe::serve
