#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/serve/http_message.h"

namespace strobe::serve {

// Decides whose requests are answered. A foreign page in the user's browser can also reach a server
// on loopback: by its own name that it resolves to this address, or across origins. Its requests
// carry that name or that origin, and are refused.
class HostGuard {
 public:
  // `address` is the one listened on, `names` those that the user trusts besides loopback names.
  HostGuard(std::string address, bool is_loopback, std::vector<std::string> names);

  bool is_loopback() const { return is_loopback_; }
  // Nothing if the request is allowed.
  std::optional<Error> objection(const HttpRequest& request) const;

 private:
  bool is_known(std::string_view host) const;

  std::string address_;
  bool is_loopback_;
  std::vector<std::string> names_;
};

}  // namespace strobe::serve
