#pragma once

#include <string>
#include <string_view>

#include "strobe/serve/http_message.h"

namespace strobe::serve {

// The page, ready to be sent: packed once, and with the only scripts and styles it may run named by
// their hashes.
class PageAnswer {
 public:
  explicit PageAnswer(std::string_view html);

  HttpResponse answer(const HttpRequest& request) const;

 private:
  std::shared_ptr<const std::string> plain_;
  std::shared_ptr<const std::string> packed_;
  std::string tag_;
  std::string policy_;
};

// The Content-Security-Policy of a page with everything inside.
std::string content_policy(std::string_view html);

bool accepts_gzip(const HttpRequest& request);

}  // namespace strobe::serve
