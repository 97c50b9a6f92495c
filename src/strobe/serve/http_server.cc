#include "strobe/serve/http_server.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "strobe/base/check.h"
#include "strobe/serve/connection.h"
#include "strobe/serve/error_answer.h"
#include "strobe/serve/listen_socket.h"

namespace strobe::serve {
namespace {

using Phase = Connection::Phase;
using std::chrono::milliseconds;

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr milliseconds kShortage{10};
constexpr milliseconds kPulse{200};  // how often `stop` and the deadlines are looked at

HttpResponse refusal_response(const HttpRefusal& refusal) {
  return error_answer(
      refusal.status, "bad_request",
      {.code = ErrorCode::kInvalidArgument, .what = refusal.what, .where = "", .hint = ""});
}

}  // namespace

struct HttpServer::State {
  State(ListenSocket listening, HttpLimits given)
      : listener(std::move(listening)),
        limits(given),
        wake(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

  ~State() {
    {
      const std::scoped_lock lock(mutex);
      is_over = true;
    }
    work_came.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  // The loop's own.
  ListenSocket listener;
  Handler handler;
  const HttpLimits limits;
  Descriptor wake;
  std::list<Connection> connections;
  std::vector<std::thread> workers;

  // Between the loop and the workers.
  std::mutex mutex;
  std::condition_variable work_came;
  std::condition_variable work_went;
  std::deque<Connection*> waiting;
  std::vector<Connection*> returned;
  unsigned idle_workers = 0;
  unsigned busy_workers = 0;
  bool is_over = false;

  void loop(const std::atomic<bool>& stop);
  void poll_once();
  void accept_all();
  void take_returned();
  void serve(Connection& connection, bool is_readable, bool is_writable);
  void read(Connection& connection);
  void look_for_request(Connection& connection);
  void refuse(const HttpRefusal& refusal, Connection& connection);
  void go_on(Connection& connection);
  void write(Connection& connection);
  void drain(Connection& connection);
  void meet_deadlines();
  bool make_room();

  void hand_over(Connection& connection);
  void work();
  void answer(Connection& connection) const;
  HttpResponse safely(const HttpRequest& request) const;
};

void HttpServer::State::loop(const std::atomic<bool>& stop) {
  while (!stop) poll_once();
  listener.descriptor.close();
  const std::scoped_lock lock(mutex);
  waiting.clear();
  // Those with a worker stay until it is done.
  connections.remove_if([](const Connection& c) { return c.phase() != Phase::kWorking; });
}

void HttpServer::State::poll_once() {
  std::vector<pollfd> polled;
  std::vector<Connection*> owners;
  polled.push_back({wake.number(), POLLIN, 0});
  const bool has_room = connections.size() < limits.connections || make_room();
  polled.push_back({has_room ? listener.descriptor.number() : -1, POLLIN, 0});
  for (Connection& connection : connections) {
    if (connection.phase() == Phase::kWorking) continue;
    const short wanted = connection.phase() == Phase::kWriting ? POLLOUT : POLLIN;
    polled.push_back({connection.socket(), wanted, 0});
    owners.push_back(&connection);
  }
  if (poll(polled.data(), polled.size(), static_cast<int>(kPulse.count())) < 0) return;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const short seen = polled[i + 2].revents;
    if (seen != 0) serve(*owners[i], (seen & ~POLLOUT) != 0, (seen & ~POLLIN) != 0);
  }
  if (polled[0].revents != 0) take_returned();
  if (polled[1].revents != 0) accept_all();
  meet_deadlines();
  connections.remove_if(
      [](const Connection& c) { return c.phase() != Phase::kWorking && c.is_closed(); });
}

void HttpServer::State::accept_all() {
  while (connections.size() < limits.connections) {
    Descriptor accepted(
        accept4(listener.descriptor.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (accepted.number() < 0) {
      const bool is_out_of_descriptors = errno == EMFILE || errno == ENFILE;
      // Whoever knocks goes on knocking; without a pause this would be a busy loop.
      if (is_out_of_descriptors && !make_room()) std::this_thread::sleep_for(kShortage);
      return;
    }
    const int on = 1;
    setsockopt(accepted.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections.emplace_back(std::move(accepted)).begin(Phase::kReading, limits.idle);
  }
}

// Closes the connection that has been idle longest.
bool HttpServer::State::make_room() {
  Connection* oldest = nullptr;
  for (Connection& connection : connections) {
    const bool is_idle = connection.phase() == Phase::kReading && connection.received().empty();
    if (is_idle && (oldest == nullptr || connection.deadline() < oldest->deadline())) {
      oldest = &connection;
    }
  }
  if (oldest == nullptr) return false;
  connections.remove_if([&](const Connection& c) { return &c == oldest; });
  return true;
}

void HttpServer::State::take_returned() {
  eventfd_t count = 0;
  ::eventfd_read(wake.number(), &count);
  std::vector<Connection*> done;
  {
    const std::scoped_lock lock(mutex);
    done.swap(returned);
  }
  for (Connection* connection : done) {
    const auto length =
        static_cast<milliseconds::rep>(connection->answer_bytes() / limits.answer_bytes_per_ms);
    connection->begin(Phase::kWriting, limits.answer + milliseconds(length));
    go_on(*connection);
  }
}

void HttpServer::State::serve(Connection& connection, bool is_readable, bool is_writable) {
  switch (connection.phase()) {
    case Phase::kReading:
      if (is_readable) read(connection);
      break;
    case Phase::kWriting:
      if (is_writable) write(connection);
      break;
    case Phase::kDraining:
      if (is_readable) drain(connection);
      break;
    case Phase::kWorking:
      break;
  }
}

void HttpServer::State::read(Connection& connection) {
  char buffer[16 << 10];
  const std::size_t bytes = connection.receive(buffer);
  if (bytes == 0) return;
  if (connection.received().empty()) connection.begin(Phase::kReading, limits.head);
  connection.received().append(buffer, bytes);
  look_for_request(connection);
}

void HttpServer::State::look_for_request(Connection& connection) {
  while (connection.received().starts_with("\r\n")) connection.received().erase(0, 2);
  const std::string_view in = connection.received();
  const std::size_t line_end = std::min(in.find("\r\n"), in.size());
  const std::size_t head_end = in.find(kHeadEnd);
  if (line_end > limits.target_bytes) {
    refuse({414, "the address is too long"}, connection);
  } else if (std::min(head_end, in.size()) > limits.head_bytes) {
    refuse({431, "the headers are too long"}, connection);
  } else if (head_end != std::string_view::npos) {
    hand_over(connection);
  }
}

void HttpServer::State::refuse(const HttpRefusal& refusal, Connection& connection) {
  connection.put_answer(refusal_response(refusal), true, false);
  connection.begin(Phase::kWriting, limits.answer);
  write(connection);
}

void HttpServer::State::write(Connection& connection) {
  connection.send_some();
  go_on(connection);
}

// After a part of an answer, or all of it, has been sent.
void HttpServer::State::go_on(Connection& connection) {
  if (connection.is_closed() || !connection.is_answered()) return;
  if (!connection.keeps_alive()) {
    connection.end_sending();
    connection.begin(Phase::kDraining, limits.linger);
    return;
  }
  connection.begin(Phase::kReading, connection.received().empty() ? limits.idle : limits.head);
  look_for_request(connection);
}

void HttpServer::State::drain(Connection& connection) {
  char buffer[16 << 10];
  if (connection.throw_away(connection.receive(buffer)) > limits.linger_bytes) connection.close();
}

void HttpServer::State::meet_deadlines() {
  const auto now = Connection::Clock::now();
  for (Connection& connection : connections) {
    if (connection.phase() == Phase::kWorking || now < connection.deadline()) continue;
    if (connection.phase() == Phase::kReading && !connection.received().empty()) {
      refuse({408, "the request took too long to arrive"}, connection);
    } else {
      connection.close();
    }
  }
}

void HttpServer::State::hand_over(Connection& connection) {
  connection.hand_to_worker();
  bool needs_worker = false;
  {
    const std::scoped_lock lock(mutex);
    waiting.push_back(&connection);
    needs_worker = idle_workers < waiting.size() && workers.size() < limits.workers;
  }
  if (needs_worker) workers.emplace_back([this] { work(); });
  work_came.notify_one();
}

void HttpServer::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle_workers;
    work_came.wait(lock, [this] { return is_over || !waiting.empty(); });
    --idle_workers;
    if (is_over) return;
    Connection* connection = waiting.front();
    waiting.pop_front();
    ++busy_workers;
    lock.unlock();
    answer(*connection);
    lock.lock();
    --busy_workers;
    returned.push_back(connection);
    work_went.notify_all();
    ::eventfd_write(wake.number(), 1);
  }
}

void HttpServer::State::answer(Connection& connection) const {
  const std::size_t head_bytes = connection.received().find(kHeadEnd) + kHeadEnd.size();
  const auto parsed = parse_request(std::string_view(connection.received()).substr(0, head_bytes));
  connection.received().erase(0, head_bytes);
  if (const auto* refusal = std::get_if<HttpRefusal>(&parsed)) {
    connection.put_answer(refusal_response(*refusal), true, false);
  } else {
    const auto& request = std::get<HttpRequest>(parsed);
    // What would follow is a body nobody reads, not the next request.
    const bool keeps_alive = request.keeps_alive && !request.has_body;
    connection.put_answer(safely(request), !request.is_head(), keeps_alive);
  }
  connection.send_some();
}

// A worker must outlive whatever one request runs into.
HttpResponse HttpServer::State::safely(const HttpRequest& request) const {
  const auto failed = [](std::string what, std::string hint) {
    return error_answer(500, "internal",
                        {.what = std::move(what), .where = "", .hint = std::move(hint)});
  };
  try {
    return handler(request);
  } catch (const std::bad_alloc&) {
    return failed("out of memory", "serve fewer traces, or lower --memory");
  } catch (const std::exception& error) {
    return failed(error.what(), "please report it with the trace");
  }
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& host, std::uint16_t port,
                                                       HttpLimits limits) {
  STROBE_TRY(ListenSocket socket, open_listen_socket(host, port));
  auto state = std::make_unique<State>(std::move(socket), limits);
  STROBE_CHECK(state->wake.number() >= 0, "a process has room for one more descriptor");
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

std::uint16_t HttpServer::port() const { return state_->listener.port; }
std::string HttpServer::address() const { return state_->listener.address; }
bool HttpServer::is_loopback() const { return state_->listener.is_loopback; }

void HttpServer::run(Handler handler, const std::atomic<bool>& stop) {
  state_->handler = std::move(handler);
  state_->loop(stop);
}

bool HttpServer::finish(milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  return state_->work_went.wait_for(lock, patience, [this] { return state_->busy_workers == 0; });
}

}  // namespace strobe::serve
