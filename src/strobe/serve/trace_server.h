#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strobe/agents/lab.h"
#include "strobe/base/result.h"
#include "strobe/serve/trace_shelf.h"

namespace strobe::serve {

struct ServeOptions {
  std::vector<std::string> places;  // one folder, or files
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;   // 0: any free one
  std::string path_prefix;  // "" or "/some/path"
  std::vector<std::string> allowed_hosts;
  ShelfOptions shelf;         // its memory is shared with the plugin's profiles
  bool needs_address = true;  // else it also works where it cannot listen, for agents() only
};

// `strobe serve`: serves a folder of traces at an address.
class TraceServer {
 public:
  // Listens, and begins to load; requests are answered once run() is called.
  static Result<std::unique_ptr<TraceServer>> open(ServeOptions options);
  ~TraceServer();

  std::string url() const;  // "http://127.0.0.1:6007/"; "" if it does not listen
  bool is_loopback() const;
  std::size_t file_count() const;  // found so far: traces, lists of kernels, benchmarks

  // What programs ask without HTTP.
  agents::Lab& agents();

  // Runs until `stop` is true.
  void run(const std::atomic<bool>& stop);
  // After run(): whether all work ended within that time. If not, destroying the server waits for
  // it.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct Parts;
  explicit TraceServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace strobe::serve
