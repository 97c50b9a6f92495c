#include "strobe/serve/http_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <exception>
#include <limits>
#include <list>
#include <optional>
#include <thread>
#include <utility>

// The only file that includes Boost's network headers, which take seconds to compile. Asio's queues
// have locks besides their fences, which the thread sanitizer cannot follow.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "strobe/serve/workers.h"

namespace strobe::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Parser = http::request_parser<http::empty_body>;

using tcp = asio::ip::tcp;
using Executor = asio::io_context::executor_type;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Timer = asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, Executor>;

constexpr milliseconds kShortage{10};
constexpr std::size_t kReadBytes = 16 << 10;

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

// `rest`: the bytes that the parser has not accepted, starting at the line with the error.
HttpRefusal refusal_of(error_code error, std::string_view rest) {
  if (error == http::error::header_limit) return {431, "the headers are too long"};
  const std::string_view line = rest.substr(0, rest.find("\r\n"));
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  if (error == http::error::bad_version && version.starts_with("HTTP/") &&
      !version.starts_with("HTTP/1.")) {
    return {505, "strobe speaks HTTP/1.1"};
  }
  if (error == http::error::bad_method || error == http::error::bad_target ||
      error == http::error::bad_version || error == http::error::need_more) {
    return {400, "this is not an HTTP request"};
  }
  return {400, "a header cannot be read"};
}

std::variant<HttpRequest, HttpRefusal> request_of(const Parser& parser) {
  HttpRequest request;
  const auto& message = parser.get();
  request.method = view_of(message.method_string());
  if (auto refusal = read_target(view_of(message.target()), request)) return std::move(*refusal);
  for (const auto& field : message) {
    auto refusal = add_header(view_of(field.name_string()), view_of(field.value()), request);
    if (refusal) return std::move(*refusal);
  }
  request.keeps_alive = parser.keep_alive();
  // Any transfer coding, known or not: the bytes after it are not the next request.
  request.has_body =
      request.headers.contains("transfer-encoding") || parser.content_length().value_or(0) != 0;
  return request;
}

void prepare(Parser& parser, std::size_t head_bytes) {
  parser.header_limit(static_cast<std::uint32_t>(head_bytes));
  // The parser never reads a body. In Boost 1.74, boost::none would refuse all.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
}

class Connection;
using Connections = std::list<std::shared_ptr<Connection>>;

// Shared by all connections. Only the I/O thread uses it.
struct Loop {
  Loop(HttpLimits given, std::string posted)
      : limits(given), body_path(std::move(posted)), workers(given.workers) {}

  void serve(const std::atomic<bool>& stop);
  void await_client();
  void accept_one();
  bool make_room();
  // A connection was closed, or waits for its next request.
  void room_came();

  const HttpLimits limits;
  const std::string body_path;
  HttpServer::Handler handler;
  asio::io_context io{1};
  Acceptor acceptor{io};
  Timer pause{io};
  Connections connections;  // the open ones
  bool is_full = false;     // no client is accepted
  std::array<char, kReadBytes> scratch{};
  Workers workers;  // they use all of the above
};

// One client. It belongs to the I/O thread, and while it is kWorking to one worker. It lives as
// long as its socket, its timer or its answer is waited for.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class Phase : std::uint8_t {
    kReading,   // waits for a request
    kWorking,   // a worker has it; no other thread may use it
    kWriting,   // sends the rest of an answer
    kDraining,  // after the last answer, which would be lost if the socket closed with unread bytes
  };

  explicit Connection(Loop& server) : server_(server), socket_(server.io), timer_(server.io) {}

  Socket& socket() { return socket_; }
  Phase phase() const { return phase_; }
  bool is_idle() const { return phase_ == Phase::kReading && !parser_; }
  // Of a request that may have come meanwhile.
  bool has_bytes() const {
    error_code ignored;
    return socket_.available(ignored) > 0;
  }
  steady_clock::time_point deadline() const { return deadline_; }

  void begin(Connections::iterator place) {
    place_ = place;
    error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
    await_request();
  }

  void close() {
    if (!socket_.is_open()) return;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    server_.connections.erase(place_);
    server_.room_came();
  }

 private:
  void await_request() {
    phase_ = Phase::kReading;
    parser_.reset();
    if (look_for_request()) return;
    set_deadline(parser_ ? server_.limits.head : server_.limits.idle);
    await_bytes();
    if (is_idle()) server_.room_came();
  }

  void await_bytes() {
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
      if (!error) self->read();
    });
  }

  void read() {
    if (phase_ == Phase::kWriting) return;  // the time was over just before the bytes came
    error_code error;
    const std::size_t bytes = socket_.read_some(asio::buffer(server_.scratch), error);
    if (error && error != asio::error::would_block) return close();
    if (phase_ == Phase::kDraining) {
      thrown_away_bytes_ += bytes;
      if (thrown_away_bytes_ > server_.limits.linger_bytes) return close();
    } else {
      const bool was_idle = is_idle();
      received_.append(server_.scratch.data(), bytes);
      if (look_for_request()) return;
      if (was_idle && parser_) set_deadline(server_.limits.head);
    }
    await_bytes();
    if (is_idle()) server_.room_came();
  }

  // True if there was one, valid or not; otherwise more must be read.
  bool look_for_request() {
    while (!parser_ && received_.starts_with("\r\n")) received_.erase(0, 2);
    if (received_.empty()) return false;
    if (parser_ && parser_->is_header_done()) return look_for_body();
    if (!parser_) prepare(parser_.emplace(), server_.limits.head_bytes);
    error_code error;
    const std::size_t taken = parser_->put(asio::buffer(received_), error);
    const std::string_view target = view_of(parser_->get().target());
    const std::size_t line_bytes = target.empty() ? received_.size() : target.size();
    if (line_bytes > server_.limits.target_bytes) {
      refuse({414, "the address is too long"});
    } else if (error && error != http::error::need_more) {
      refuse(refusal_of(error, std::string_view(received_).substr(taken)));
    } else {
      received_.erase(0, taken);
      if (!parser_->is_header_done()) return false;
      body_bytes_ = expected_body_bytes();
      if (body_bytes_ > server_.limits.body_bytes) {
        refuse({413, "the body is too long"});
      } else {
        if (body_bytes_ > received_.size()) invite_body();
        return look_for_body();
      }
    }
    return true;
  }

  // Of a body that is read; a body without a length is not.
  std::uint64_t expected_body_bytes() const {
    const auto& message = parser_->get();
    const std::string_view target = view_of(message.target());
    const bool is_read = message.method() == http::verb::post && !server_.body_path.empty() &&
                         target.substr(0, target.find('?')) == server_.body_path &&
                         message.find(http::field::transfer_encoding) == message.end();
    return is_read ? parser_->content_length().value_or(0) : 0;
  }

  // Some clients wait for this before they send a long body. If it does not fit into the socket,
  // they send it after a while all the same.
  void invite_body() {
    constexpr std::string_view kInvitation = "HTTP/1.1 100 Continue\r\n\r\n";
    if (view_of(parser_->get()[http::field::expect]) != "100-continue") return;
    error_code ignored;
    socket_.write_some(asio::buffer(kInvitation.data(), kInvitation.size()), ignored);
  }

  // True if the request is complete, which it is at once without a body.
  bool look_for_body() {
    if (received_.size() < body_bytes_) return false;
    request_body_ = received_.substr(0, body_bytes_);
    received_.erase(0, body_bytes_);
    phase_ = Phase::kWorking;
    if (!server_.workers.add([self = shared_from_this()] { self->answer(); })) {
      phase_ = Phase::kReading;
      refuse({503, "the machine is too busy to answer"});
    }
    return true;
  }

  // Runs in a worker.
  void answer() {
    bool is_written = true;
    try {
      auto parsed = request_of(*parser_);
      if (const auto* refusal = std::get_if<HttpRefusal>(&parsed)) {
        put_answer(error_answer(*refusal), true, false);
      } else {
        auto& request = std::get<HttpRequest>(parsed);
        if (body_bytes_ > 0) {
          request.body = std::move(request_body_);
          request.has_body = false;
        }
        request.is_gone = [this] { return is_closed_by_client(); };
        // The next bytes are then a body that is never read, not the next request.
        put_answer(answer_safely(server_.handler, request), !request.is_head(),
                   request.keeps_alive && !request.has_body);
      }
      is_written = write_some();
    } catch (const std::exception&) {  // no memory for the answer: the connection is closed
      answer_error_ = asio::error::no_memory;
    }
    asio::post(server_.io, [self = shared_from_this(), is_written] { self->go_on(is_written); });
  }

  // What it has sent meanwhile stays unread.
  bool is_closed_by_client() {
    char next = 0;
    return recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  void refuse(const HttpRefusal& refusal) {
    error_code ignored;
    socket_.cancel(ignored);
    put_answer(error_answer(refusal), true, false);
    go_on(write_some());
  }

  void put_answer(const HttpResponse& response, bool with_body, bool keeps_alive) {
    head_ = response_head(response, keeps_alive, std::time(nullptr));
    body_ = with_body && response.status != 304 ? response.body : nullptr;
    head_rest_ = head_;
    body_rest_ = body_ ? std::string_view(*body_) : std::string_view();
    keeps_alive_ = keeps_alive;
    answer_error_ = {};
  }

  // Sends as much of the answer as the socket accepts now; true at its end.
  bool write_some() {
    while (!answer_error_ && !(head_rest_.empty() && body_rest_.empty())) {
      const std::array parts = {asio::const_buffer(head_rest_.data(), head_rest_.size()),
                                asio::const_buffer(body_rest_.data(), body_rest_.size())};
      const std::size_t bytes = socket_.write_some(parts, answer_error_);
      const std::size_t of_head = std::min(bytes, head_rest_.size());
      head_rest_.remove_prefix(of_head);
      body_rest_.remove_prefix(bytes - of_head);
    }
    if (answer_error_ == asio::error::would_block) {
      answer_error_ = {};
      return false;
    }
    body_ = nullptr;  // freed by the thread that made it
    return true;
  }

  void go_on(bool is_written) {
    if (!is_written) {
      if (phase_ != Phase::kWriting) {
        phase_ = Phase::kWriting;
        const auto bytes = static_cast<std::int64_t>(head_rest_.size() + body_rest_.size());
        const milliseconds extra(bytes / server_.limits.answer_bytes_per_ms);
        set_deadline(server_.limits.answer + extra);
      }
      socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code error) {
        if (!error) self->go_on(self->write_some());
      });
      return;
    }
    if (answer_error_) return close();
    if (keeps_alive_) return await_request();
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    phase_ = Phase::kDraining;
    set_deadline(server_.limits.linger);
    await_bytes();
  }

  // The timer is changed only if it would fire too late; most deadlines only move on.
  void set_deadline(milliseconds patience) {
    deadline_ = steady_clock::now() + patience;
    if (!is_timed_ || deadline_ < timer_.expiry()) await_deadline();
  }

  void await_deadline() {
    is_timed_ = true;
    timer_.expires_at(deadline_);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->look_at_clock();
    });
  }

  void look_at_clock() {
    is_timed_ = false;
    if (phase_ == Phase::kWorking || !socket_.is_open()) return;
    if (steady_clock::now() < deadline_) return await_deadline();
    if (phase_ == Phase::kReading && parser_) {
      refuse({408, "the request took too long to arrive"});
    } else {
      close();
    }
  }

  Loop& server_;
  Socket socket_;
  Timer timer_;
  Connections::iterator place_;
  Phase phase_ = Phase::kReading;
  steady_clock::time_point deadline_;
  bool is_timed_ = false;

  std::string received_;          // and not yet parsed
  std::optional<Parser> parser_;  // of a request whose first bytes came
  std::uint64_t body_bytes_ = 0;  // that follow its headers and are read
  std::string request_body_;
  std::size_t thrown_away_bytes_ = 0;

  std::string head_;                         // of the answer
  std::shared_ptr<const std::string> body_;  // null for HEAD
  std::string_view head_rest_;
  std::string_view body_rest_;
  error_code answer_error_;
  bool keeps_alive_ = false;
};

// Asio does not set it; a program that strobe starts must not keep the port.
void close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

Error cannot_listen(const std::string& host, std::uint16_t port, error_code reason) {
  const std::string where = fmt::format("{} port {}", host, port);
  if (reason == asio::error::address_in_use) {
    return {ErrorCode::kMachineLacks, "the port is taken by another program", where,
            "perhaps strobe is running already; `--port 0` takes any free port"};
  }
  if (reason == asio::error::access_denied) {
    return {ErrorCode::kMachineLacks, "no permission to listen on this port", where,
            "choose one above 1023, such as `--port 6007`"};
  }
  if (reason.value() == EADDRNOTAVAIL) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("'{}' is not an address of this machine", host), "--host",
            "`ip addr` lists them; 127.0.0.1 always works"};
  }
  return {ErrorCode::kMachineLacks, fmt::format("cannot listen: {}", reason.message()), where, ""};
}

error_code open_acceptor(const tcp::endpoint& endpoint, Acceptor& acceptor) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  close_on_exec(acceptor.native_handle());
  // Allows a port that another server has just released.
  acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.non_blocking(true, error);
  if (!error) acceptor.listen(Acceptor::max_listen_connections, error);
  error_code ignored;
  if (error) acceptor.close(ignored);
  return error;
}

void Loop::serve(const std::atomic<bool>& stop) {
  await_client();
  std::thread watch([&] {
    stop.wait(false);
    io.stop();
  });
  const auto work = asio::make_work_guard(io);  // also while all connections wait for workers
  while (!io.stopped()) {
    try {
      io.run();
    } catch (const std::exception&) {  // of one connection: its deadline will close it
    }
  }
  watch.join();
  error_code ignored;
  acceptor.close(ignored);
  workers.drop_waiting();
  for (const auto& connection : std::exchange(connections, {})) {
    // Those with a worker stay until it is done.
    if (connection->phase() != Connection::Phase::kWorking) connection->socket().close(ignored);
  }
}

void Loop::await_client() {
  acceptor.async_wait(Acceptor::wait_read, [this](error_code error) {
    if (!error) accept_one();
  });
}

// A client is waiting.
void Loop::accept_one() {
  is_full = connections.size() >= limits.connections && !make_room();
  if (is_full) return;
  const auto connection = std::make_shared<Connection>(*this);
  error_code error;
  acceptor.accept(connection->socket(), error);
  if (!error) {
    close_on_exec(connection->socket().native_handle());
    connections.push_back(connection);
    connection->begin(std::prev(connections.end()));
  } else if (error == asio::error::no_descriptors && !make_room()) {
    // The client stays in the queue; without a pause this would be a busy loop.
    pause.expires_after(kShortage);
    return pause.async_wait([this](error_code) { await_client(); });
  }
  await_client();
}

// Closes the connection that has been idle longest.
bool Loop::make_room() {
  std::shared_ptr<Connection> oldest;
  for (const auto& connection : connections) {
    if (connection->is_idle() && (!oldest || connection->deadline() < oldest->deadline()) &&
        !connection->has_bytes()) {
      oldest = connection;
    }
  }
  if (oldest) oldest->close();
  return oldest != nullptr;
}

void Loop::room_came() {
  if (!is_full) return;
  is_full = false;
  await_client();
}

}  // namespace

struct HttpServer::State : Loop {
  using Loop::Loop;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& host, std::uint16_t port,
                                                       HttpLimits limits, std::string body_path) {
  auto state = std::make_unique<State>(limits, std::move(body_path));
  asio::ip::basic_resolver<tcp, Executor> resolver(state->io);
  error_code error;
  const auto found = resolver.resolve(
      host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is not an address", host), "--host",
                 "127.0.0.1 is this machine only, 0.0.0.0 every network it is in"};
  }
  for (const auto& entry : found) {
    error = open_acceptor(entry.endpoint(), state->acceptor);
    if (!error) return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
  }
  return cannot_listen(host, port, error);
}

std::uint16_t HttpServer::port() const { return state_->acceptor.local_endpoint().port(); }

std::string HttpServer::address() const {
  return state_->acceptor.local_endpoint().address().to_string();
}

bool HttpServer::is_loopback() const {
  return state_->acceptor.local_endpoint().address().is_loopback();
}

void HttpServer::run(Handler handler, const std::atomic<bool>& stop) {
  state_->handler = std::move(handler);
  state_->serve(stop);
}

bool HttpServer::finish(milliseconds patience) { return state_->workers.finish(patience); }

std::variant<HttpRequest, HttpRefusal> parse_request(std::string_view head) {
  Parser parser;
  prepare(parser, head.size() + 1);
  error_code error;
  const std::size_t taken = parser.put(asio::buffer(head.data(), head.size()), error);
  if (error) return refusal_of(error, head.substr(taken));
  return request_of(parser);
}

}  // namespace strobe::serve
