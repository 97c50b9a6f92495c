#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "strobe/serve/http_server.h"

namespace strobe::serve {

// A server on a free port of the loopback, running in parallel with the test.
class RunningServer {
 public:
  explicit RunningServer(HttpServer::Handler handler, HttpLimits limits = {},
                         const std::string& body_path = "")
      : server_(std::move(HttpServer::listen("127.0.0.1", 0, limits, body_path)).value()),
        thread_([this, handler = std::move(handler)] { server_->run(handler, stop_); }) {}
  ~RunningServer() { stop(); }

  std::uint16_t port() const { return server_->port(); }
  HttpServer& server() { return *server_; }
  void stop() {
    stop_ = true;
    stop_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace strobe::serve
