#include "strobe/serve/connection.h"

#include <algorithm>
#include <cerrno>

#include <sys/socket.h>
#include <sys/uio.h>

namespace strobe::serve {
namespace {

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

std::int64_t seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

void Connection::end_sending() { shutdown(socket_.number(), SHUT_WR); }

std::size_t Connection::receive(std::span<char> buffer) {
  const ssize_t bytes = recv(socket_.number(), buffer.data(), buffer.size(), 0);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
  if (bytes == 0 || (!would_block() && errno != EINTR)) close();
  return 0;
}

void Connection::put_answer(const HttpResponse& response, bool with_body, bool keeps_alive) {
  head_ = response_head(response, keeps_alive, seconds_since_1970());
  body_ = with_body && response.status != 304 ? response.body : nullptr;
  sent_bytes_ = 0;
  keeps_alive_ = keeps_alive;
}

void Connection::send_some() {
  while (!is_answered()) {
    const std::size_t sent_head = std::min(sent_bytes_, head_.size());
    const std::string_view head = std::string_view(head_).substr(sent_head);
    const std::string_view body =
        body_ ? std::string_view(*body_).substr(sent_bytes_ - sent_head) : std::string_view();
    // NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast): the interface is older than const
    iovec parts[] = {{const_cast<char*>(head.data()), head.size()},
                     {const_cast<char*>(body.data()), body.size()}};
    // NOLINTEND(cppcoreguidelines-pro-type-const-cast)
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    const ssize_t bytes = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
    if (bytes >= 0) {
      sent_bytes_ += static_cast<std::size_t>(bytes);
    } else if (errno != EINTR) {
      if (!would_block()) close();
      return;
    }
  }
  body_ = nullptr;
  head_.clear();
  sent_bytes_ = 0;
}

}  // namespace strobe::serve
