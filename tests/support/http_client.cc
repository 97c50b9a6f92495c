#include "tests/support/http_client.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>

namespace strobe::test {

HttpClient::HttpClient(std::uint16_t port)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

HttpClient::~HttpClient() {
  if (socket_ >= 0) close(socket_);
}

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void HttpClient::end_sending() { shutdown(socket_, SHUT_WR); }

bool HttpClient::read_more(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  pollfd polled{socket_, POLLIN, 0};
  if (left.count() <= 0 || poll(&polled, 1, static_cast<int>(left.count())) <= 0) return false;
  char buffer[1 << 16];
  const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  received_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

HttpAnswer HttpClient::receive(bool has_body, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (received_.find("\r\n\r\n") == std::string::npos) {
    if (!read_more(deadline)) return {};
  }
  HttpAnswer answer;
  const std::size_t head_end = received_.find("\r\n\r\n") + 2;
  std::string_view head = std::string_view(received_).substr(0, head_end);
  answer.status = std::atoi(std::string(head.substr(head.find(' ') + 1, 3)).c_str());
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    std::string name(line.substr(0, line.find(':')));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    answer.headers[name] = line.substr(line.find(':') + 2);
  }
  received_.erase(0, head_end + 2);
  const std::size_t length =
      has_body ? static_cast<std::size_t>(std::atoll(answer.headers["content-length"].c_str())) : 0;
  while (received_.size() < length) {
    if (!read_more(deadline)) return {};
  }
  answer.body = received_.substr(0, length);
  received_.erase(0, length);
  return answer;
}

bool HttpClient::is_closed(std::chrono::milliseconds patience) {
  pollfd polled{socket_, POLLIN, 0};
  if (poll(&polled, 1, static_cast<int>(patience.count())) <= 0) return false;
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK) <= 0;
}

std::string get_text(std::string_view target, std::string_view headers) {
  std::string text = "GET ";
  text += target;
  text += " HTTP/1.1\r\nHost: localhost\r\n";
  text += headers;
  text += "\r\n";
  return text;
}

HttpAnswer get(std::uint16_t port, std::string_view target, std::string_view headers) {
  HttpClient client(port);
  client.send(get_text(target, headers));
  return client.receive();
}

}  // namespace strobe::test
