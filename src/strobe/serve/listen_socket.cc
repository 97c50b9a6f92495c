#include "strobe/serve/listen_socket.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace strobe::serve {
namespace {

Error cannot_listen(const std::string& host, std::uint16_t port, int reason) {
  const std::string where = fmt::format("{} port {}", host, port);
  if (reason == EADDRINUSE) {
    return {ErrorCode::kMachineLacks, "the port is taken by another program", where,
            "perhaps strobe is running already; `--port 0` takes any free port"};
  }
  if (reason == EACCES) {
    return {ErrorCode::kMachineLacks, "this port needs more rights", where,
            "choose one above 1023, such as `--port 6007`"};
  }
  if (reason == EADDRNOTAVAIL) {
    return {ErrorCode::kInvalidArgument, fmt::format("'{}' is no address of this machine", host),
            "--host", "`ip addr` lists them; 127.0.0.1 always works"};
  }
  return {ErrorCode::kMachineLacks, fmt::format("cannot listen: {}", std::strerror(reason)), where,
          ""};
}

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

void describe(ListenSocket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  char host[NI_MAXHOST] = {};
  char port[NI_MAXSERV] = {};
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  getsockname(socket.descriptor.number(), generic, &length);
  getnameinfo(generic, length, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  socket.address = host;
  socket.port = ntohs(address.ss_family == AF_INET
                          ? reinterpret_cast<const sockaddr_in&>(address).sin_port
                          : reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  socket.is_loopback = is_loopback(address);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() { close(); }

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Result<ListenSocket> open_listen_socket(const std::string& host, std::uint16_t port) {
  addrinfo wish{};
  wish.ai_family = AF_UNSPEC;
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wish, &found) != 0) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is no address", host), "--host",
                 "127.0.0.1 is this machine only, 0.0.0.0 every network it is in"};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int reason = EADDRNOTAVAIL;
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    ListenSocket socket;
    socket.descriptor =
        Descriptor(::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int number = socket.descriptor.number();
    // A port that an ended server has just left is free.
    const int on = 1;
    if (number >= 0 && setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(number, each->ai_addr, each->ai_addrlen) == 0 && ::listen(number, SOMAXCONN) == 0) {
      describe(socket);
      return socket;
    }
    reason = errno;
  }
  return cannot_listen(host, port, reason);
}

}  // namespace strobe::serve
