#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "strobe/readers/trace_reader.h"
#include "strobe/serve/trace_server.h"
#include "tests/support/http_client.h"

namespace strobe::serve {

// `strobe serve` for a folder, running in parallel with the test.
class RunningTraceServer {
 public:
  explicit RunningTraceServer(const std::filesystem::path& folder, std::string prefix = "") {
    ServeOptions options;
    options.places = {folder.string()};
    options.path_prefix = std::move(prefix);
    options.shelf.load = [](const FoundTrace& found, const readers::LoadOptions& load) {
      return readers::read_trace(found.path, load);
    };
    options.shelf.rescan = std::chrono::milliseconds(20);
    server_ = std::move(TraceServer::open(std::move(options))).value();
    thread_ = std::thread([this] { server_->run(stop_); });
  }
  ~RunningTraceServer() {
    stop_ = true;
    stop_.notify_all();
    thread_.join();
    EXPECT_TRUE(server_->finish(std::chrono::seconds(60)));
  }

  std::string url() const { return server_->url(); }
  std::uint16_t port() const {
    return static_cast<std::uint16_t>(std::stoi(url().substr(url().rfind(':') + 1)));
  }
  std::string wait_until_loaded() const {
    while (true) {
      std::string runs = test::get(port(), "/api/v1/runs").body;
      if (runs.find(R"("loading":false)") != std::string::npos) return runs;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  std::atomic<bool> stop_ = false;
  std::unique_ptr<TraceServer> server_;
  std::thread thread_;
};

}  // namespace strobe::serve
