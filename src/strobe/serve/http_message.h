#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strobe/serve/query.h"

// HTTP/1.1 as far as a server needs it that only answers questions: requests without a body, from
// bytes and back to bytes. No sockets here.
namespace strobe::serve {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded once; begins with '/'
  Query::Parameters parameters;
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  bool keeps_alive = true;
  bool has_body = false;

  bool is_head() const { return method == "HEAD"; }
  // "" if absent.
  std::string_view header(std::string_view lower_case_name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<const std::string> body = nullptr;

  std::string_view text() const { return body ? std::string_view(*body) : std::string_view(); }
};

HttpResponse make_response(int status, std::string content_type, std::string body);

// Why a request cannot even be read.
struct HttpRefusal {
  int status = 400;
  std::string what;
};

// `head`: from the request line to the empty line behind the headers, which belongs to it.
std::variant<HttpRequest, HttpRefusal> parse_request(std::string_view head);

// Status line and headers; `now_s` is the time of day in seconds since 1970.
std::string response_head(const HttpResponse& response, bool keeps_alive, std::int64_t now_s);

// "%41+b" with `plus_is_blank` is "A b"; nothing if an escape is broken.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

}  // namespace strobe::serve
