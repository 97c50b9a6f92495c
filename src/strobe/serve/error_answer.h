#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/serve/http_message.h"

// Errors as docs/api.md promises them to programs.
namespace strobe::serve {

// The member "error" of a failed trace and of an error's body: {"code": ..., "what": ...}.
std::string error_object(std::string_view code, const Error& error);

HttpResponse error_answer(int status, std::string_view code, const Error& error);

// By the error's code: 400, 404, 422 or 500.
HttpResponse error_answer(const Error& error);

// A trace that is on its way in: 409 and when to ask again.
HttpResponse loading_answer(const Error& error);

}  // namespace strobe::serve
