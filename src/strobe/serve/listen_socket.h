#pragma once

#include <cstdint>
#include <string>

#include "strobe/base/result.h"

namespace strobe::serve {

// A file descriptor, closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int number() const { return number_; }
  void close();

 private:
  int number_;
};

struct ListenSocket {
  Descriptor descriptor;  // does not block
  std::string address;    // as numbers
  std::uint16_t port = 0;
  bool is_loopback = false;
};

// Port 0: any free one.
Result<ListenSocket> open_listen_socket(const std::string& host, std::uint16_t port);

}  // namespace strobe::serve
