#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/serve/http_message.h"

namespace strobe::serve {

// Who may ask. A page of a stranger, open in the user's browser, reaches a server on loopback too:
// by a name of its own that it lets point here, or across origins. Its requests carry that name or
// that origin, and are refused.
class HostGuard {
 public:
  // `address` is the one listened on, `names` those the user trusts besides the loopback's.
  HostGuard(std::string address, bool is_loopback, std::vector<std::string> names);

  // Nothing if the request may be answered.
  std::optional<Error> objection(const HttpRequest& request) const;

 private:
  bool is_known(std::string_view host) const;

  std::string address_;
  bool is_loopback_;
  std::vector<std::string> names_;
};

}  // namespace strobe::serve
