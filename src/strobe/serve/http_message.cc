#include "strobe/serve/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <exception>
#include <new>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::serve {
namespace {

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// "%41+b" with `plus_is_blank` is "A b"; nothing if an escape is broken.
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

constexpr int kRetryMs = 250;

void append_members(std::string_view code, const Error& error, JsonWriter& json) {
  json.member("code", code);
  json.member("what", error.what);
  json.member("where", error.where);
  json.member("hint", error.hint);
}

std::string body_of(std::string_view code, const Error& error) {
  std::string body = "{\"error\":";
  body += error_object(code, error);
  body += "}\n";
  return body;
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

std::optional<HttpRefusal> add_header(std::string_view name, std::string_view value,
                                      HttpRequest& request) {
  const auto [known, is_new] = request.headers.emplace(lower_case(name), value);
  if (is_new) return std::nullopt;
  // With two hosts, two readers of one request could disagree about its target.
  if (known->first == "host") return HttpRefusal{400, "there are two Host headers"};
  known->second += ", ";
  known->second += value;
  return std::nullopt;
}

std::string error_object(std::string_view code, const Error& error) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  append_members(code, error, json);
  json.end_object();
  return text;
}

HttpResponse error_answer(int status, std::string_view code, const Error& error) {
  return make_response(status, "application/json", body_of(code, error));
}

HttpResponse error_answer(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return error_answer(400, "bad_request", error);
    case ErrorCode::kNotFound:
      return error_answer(404, "not_found", error);
    case ErrorCode::kMalformed:
    case ErrorCode::kTooLittleData:
      return error_answer(422, "unreadable", error);
    case ErrorCode::kCannotWrite:
    case ErrorCode::kMachineLacks:
    case ErrorCode::kOutOfMemory:
    case ErrorCode::kUnsupported:
    case ErrorCode::kInterrupted:
      break;
  }
  return error_answer(500, "internal", error);
}

HttpResponse error_answer(const HttpRefusal& refusal) {
  return error_answer(
      refusal.status, refusal.status == 503 ? "internal" : "bad_request",
      {.code = ErrorCode::kInvalidArgument, .what = refusal.what, .where = "", .hint = ""});
}

HttpResponse answer_safely(const std::function<HttpResponse(const HttpRequest&)>& handler,
                           const HttpRequest& request) {
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

HttpResponse loading_answer(const Error& error) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("error").begin_object();
  append_members("loading", error, json);
  json.member("retry_ms", kRetryMs);
  json.end_object().end_object();
  return make_response(409, "application/json", body + "\n");
}

std::string response_head(const HttpResponse& response, bool keeps_alive, std::int64_t now_s) {
  namespace http = boost::beast::http;
  const auto now = static_cast<std::time_t>(now_s);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[64];
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc);
  const auto status = http::int_to_status(static_cast<unsigned>(response.status));
  const std::string_view reason(http::obsolete_reason(status).data(),
                                http::obsolete_reason(status).size());
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, reason, date);
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
