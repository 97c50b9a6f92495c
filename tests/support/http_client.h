#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

// A client that sends exactly the given bytes, well-formed or not. Loopback only.
namespace strobe::test {

struct HttpAnswer {
  int status = 0;                              // 0: none came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool send(std::string_view bytes);  // false if the server has closed
  void end_sending();                 // the other direction stays open
  HttpAnswer receive(bool has_body = true,
                     std::chrono::milliseconds patience = std::chrono::seconds(120));
  bool is_closed(std::chrono::milliseconds patience);  // by the server, within that time

 private:
  bool read_more(std::chrono::steady_clock::time_point deadline);

  int socket_ = -1;
  std::string received_;
};

// "GET target" with a Host that the server accepts and these header lines ("Name: value\r\n").
std::string get_text(std::string_view target, std::string_view headers = {});

// One request on its own connection.
HttpAnswer get(std::uint16_t port, std::string_view target, std::string_view headers = {});

}  // namespace strobe::test
