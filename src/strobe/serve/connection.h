#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "strobe/serve/http_message.h"
#include "strobe/serve/listen_socket.h"

namespace strobe::serve {

// One client's socket, which does not block, with what has come and what is to go. It belongs to
// the loop of the server, and while it is kWorking to one worker.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Phase : std::uint8_t {
    kReading,   // waits for a request
    kWorking,   // a worker has it; nobody else may touch it
    kWriting,   // the rest of an answer
    kDraining,  // answered for the last time; what still comes is thrown away, so that the close
                // does not destroy the answer on its way
  };

  explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}

  Phase phase() const { return phase_; }
  Clock::time_point deadline() const { return deadline_; }
  void begin(Phase phase, std::chrono::milliseconds patience) {
    phase_ = phase;
    deadline_ = Clock::now() + patience;
  }
  void hand_to_worker() { phase_ = Phase::kWorking; }

  int socket() const { return socket_.number(); }
  bool is_closed() const { return socket_.number() < 0; }
  void close() { socket_.close(); }
  void end_sending();

  // What has come and is not yet answered.
  std::string& received() { return received_; }
  const std::string& received() const { return received_; }

  // Takes what has arrived into `buffer`; 0: nothing now. Closes when the client has.
  std::size_t receive(std::span<char> buffer);
  // Counts what was received for nothing; the sum so far.
  std::size_t throw_away(std::size_t bytes) { return thrown_away_bytes_ += bytes; }

  void put_answer(const HttpResponse& response, bool with_body, bool keeps_alive);
  // As much of it as the socket takes now. Closes if the client is gone.
  void send_some();
  std::size_t answer_bytes() const { return head_.size() + (body_ ? body_->size() : 0); }
  bool is_answered() const { return sent_bytes_ == answer_bytes(); }
  bool keeps_alive() const { return keeps_alive_; }

 private:
  Descriptor socket_;
  Phase phase_ = Phase::kReading;
  Clock::time_point deadline_;
  std::string received_;
  std::size_t thrown_away_bytes_ = 0;

  std::string head_;                         // of the answer
  std::shared_ptr<const std::string> body_;  // null for HEAD
  std::size_t sent_bytes_ = 0;               // of both
  bool keeps_alive_ = false;
};

}  // namespace strobe::serve
