#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>

#include "strobe/bench/providers/provider.h"
#include "strobe/bench/workers/protocol.h"

// The worker's side of the protocol.
namespace strobe::bench {

// One provider and its prepared cells.
class RequestServer {
 public:
  explicit RequestServer(Provider& provider) : provider_(provider) {}
  WorkerReply answer(const WorkerRequest& request);

 private:
  WorkerReply hello();
  WorkerReply plan(const WorkerRequest& request);
  WorkerReply prepare(const WorkerRequest& request);
  WorkerReply sample(const WorkerRequest& request);
  WorkerReply rows(const WorkerRequest& request);
  WorkerReply count(const WorkerRequest& request);
  WorkerReply finish(const WorkerRequest& request);
  WorkerReply whole_cell(const WorkerRequest& request);
  PreparedCell* cell(std::int64_t id);
  void read_clocks(std::int64_t id);

  struct Clocked {
    std::chrono::steady_clock::time_point at;
    Clocks clocks;
  };

  Provider& provider_;
  std::map<std::int64_t, std::unique_ptr<PreparedCell>> cells_;
  std::map<std::int64_t, Clocked> clocks_;  // of those cells, while they were sampled
};

// Answers requests on `in` until bye or end of file.
int serve_requests(Provider& provider, int in, int out);

}  // namespace strobe::bench
