#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/serve/query.h"

// The parts of HTTP that a read-only server needs: a request, which seldom has a body, and its
// answer.
namespace strobe::serve {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded once; begins with '/'
  Query::Parameters parameters;
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  bool keeps_alive = true;
  bool has_body = false;  // that was not read
  std::string body;       // that was read: see HttpLimits
  // Whether the client has closed the connection, so that long work may end. Null: not known.
  std::function<bool()> is_gone = nullptr;

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

// Errors in the form that docs/api.md promises to programs.

// The member "error" of a failed trace and of an error's body: {"code": ..., "what": ...}.
std::string error_object(std::string_view code, const Error& error);

HttpResponse error_answer(int status, std::string_view code, const Error& error);

// By the error's code: 400, 404, 422 or 500.
HttpResponse error_answer(const Error& error);

// Calls the handler; 500 if it throws.
HttpResponse answer_safely(const std::function<HttpResponse(const HttpRequest&)>& handler,
                           const HttpRequest& request);

// For a trace that is still loading: 409 and when to retry.
HttpResponse loading_answer(const Error& error);

// Why a request cannot be parsed.
struct HttpRefusal {
  int status = 400;
  std::string what;
};
HttpResponse error_answer(const HttpRefusal& refusal);

// "/a%20b?x=1" into path and parameters.
std::optional<HttpRefusal> read_target(std::string_view target, HttpRequest& request);
// Joins the values of a name given twice, except for Host.
std::optional<HttpRefusal> add_header(std::string_view name, std::string_view value,
                                      HttpRequest& request);

// Status line and headers; `now_s` is the time of day in seconds since 1970.
std::string response_head(const HttpResponse& response, bool keeps_alive, std::int64_t now_s);

}  // namespace strobe::serve
