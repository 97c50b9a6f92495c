#include "strobe/serve/http_message.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace strobe::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// RFC 9110's token: what a method or a header's name is made of.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

std::optional<HttpRefusal> read_parameters(std::string_view text, Query::Parameters& parameters) {
  while (!text.empty()) {
    const std::size_t ampersand = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, ampersand);
    text.remove_prefix(std::min(ampersand + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decoded(pair.substr(0, equals), true);
    auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return HttpRefusal{400, "a parameter has a broken percent escape"};
    parameters.emplace(std::move(*name), std::move(*value));
  }
  return std::nullopt;
}

std::optional<HttpRefusal> read_target(std::string_view target, HttpRequest& request) {
  if (!target.starts_with('/')) {
    return HttpRefusal{400, "the target of a request is a path that begins with /"};
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  auto path = percent_decoded(target.substr(0, question), false);
  if (!path) return HttpRefusal{400, "the path has a broken percent escape"};
  request.path = std::move(*path);
  if (has_control_characters(request.path)) {
    return HttpRefusal{400, "the path has a control character"};
  }
  return read_parameters(target.substr(std::min(question + 1, target.size())), request.parameters);
}

std::optional<HttpRefusal> read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !is_token(line.substr(0, first))) {
    return HttpRefusal{400, "this is not an HTTP request"};
  }
  const std::string_view version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) return HttpRefusal{400, "this is not an HTTP request"};
  if (!version.starts_with("HTTP/1.")) return HttpRefusal{505, "strobe speaks HTTP/1.1"};
  request.method = line.substr(0, first);
  request.keeps_alive = version != "HTTP/1.0";
  return read_target(line.substr(first + 1, last - first - 1), request);
}

std::optional<HttpRefusal> read_header(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
      has_control_characters(line)) {
    return HttpRefusal{400, "a header cannot be read"};
  }
  const std::string name = lower_case(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  const auto [known, is_new] = request.headers.emplace(name, value);
  if (is_new) return std::nullopt;
  // Two hosts would let two readers of one request disagree about whom it is for.
  if (name == "host") return HttpRefusal{400, "the Host is given twice"};
  known->second += ", ";
  known->second += value;
  return std::nullopt;
}

void read_connection(HttpRequest& request) {
  const std::string connection = lower_case(request.header("connection"));
  if (connection.find("close") != std::string::npos) request.keeps_alive = false;
  if (connection.find("keep-alive") != std::string::npos) request.keeps_alive = true;
  const std::string_view length = request.header("content-length");
  request.has_body = request.headers.contains("transfer-encoding") ||
                     (request.headers.contains("content-length") && length != "0");
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

}  // namespace

std::string_view HttpRequest::header(std::string_view lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

HttpResponse make_response(int status, std::string content_type, std::string body) {
  return {.status = status,
          .content_type = std::move(content_type),
          .body = std::make_shared<const std::string>(std::move(body))};
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  return out;
}

std::variant<HttpRequest, HttpRefusal> parse_request(std::string_view head) {
  HttpRequest request;
  bool is_first = true;
  while (!head.empty()) {
    const std::size_t end = head.find(kLineEnd);
    if (end == std::string_view::npos) return HttpRefusal{400, "a line has no end"};
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + kLineEnd.size());
    if (line.empty()) break;
    auto refusal = is_first ? read_request_line(line, request) : read_header(line, request);
    if (refusal) return std::move(*refusal);
    is_first = false;
  }
  if (is_first) return HttpRefusal{400, "this is not an HTTP request"};
  read_connection(request);
  return request;
}

std::string response_head(const HttpResponse& response, bool keeps_alive, std::int64_t now_s) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {:%a, %d %b %Y %H:%M:%S} GMT\r\n", response.status,
                  reason_of(response.status), fmt::gmtime(static_cast<std::time_t>(now_s)));
  for (const auto& [name, value] : response.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  if (response.status != 304) {
    head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", response.content_type,
                        response.text().size());
  }
  head += fmt::format("Connection: {}\r\n\r\n", keeps_alive ? "keep-alive" : "close");
  return head;
}

}  // namespace strobe::serve
