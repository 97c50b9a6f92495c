#include "strobe/serve/error_answer.h"

#include "strobe/base/json_write.h"

namespace strobe::serve {
namespace {

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
    case ErrorCode::kInterrupted:
      break;
  }
  return error_answer(500, "internal", error);
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

}  // namespace strobe::serve
