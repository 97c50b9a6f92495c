#include "strobe/serve/host_guard.h"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::serve {
namespace {

// "[::1]:6007" is "::1", "Localhost.:80" is "localhost".
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    return lower_case(authority.substr(1, end == std::string_view::npos ? 0 : end - 1));
  }
  std::string_view host = authority.substr(0, authority.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return lower_case(host);
}

bool is_number(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool is_loopback_name(const std::string& host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (host.starts_with("127.") && is_number(host));
}

Error refused(std::string what, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = "",
          .hint = std::move(hint)};
}

}  // namespace

HostGuard::HostGuard(std::string address, bool is_loopback, std::vector<std::string> names)
    : address_(std::move(address)), is_loopback_(is_loopback), names_(std::move(names)) {
  for (std::string& name : names_) name = is_number(name) ? lower_case(name) : host_of(name);
  std::erase(names_, "");  // else a request without a host would pass
}

bool HostGuard::is_known(std::string_view authority) const {
  const std::string host = host_of(authority);
  if (is_loopback_name(host) || host == address_) return true;
  // A DNS name cannot look like a number, so a number that reaches a public address is ours.
  if (!is_loopback_ && is_number(host)) return true;
  return std::ranges::find(names_, host) != names_.end();
}

std::optional<Error> HostGuard::objection(const HttpRequest& request) const {
  const std::string_view host = request.header("host");
  if (!is_known(host)) {
    const std::string name = host_of(host);
    return refused(
        fmt::format("this server does not answer for the host '{}'", name),
        fmt::format("start it with `--allow-host {}` if it is", name.empty() ? "NAME" : name));
  }
  if (request.headers.contains("origin")) {
    const std::string_view origin = request.header("origin");
    const std::size_t scheme = origin.find("://");
    const bool is_own = scheme != std::string_view::npos &&
                        lower_case(origin.substr(scheme + 3)) == lower_case(host);
    if (!is_own) {
      return refused(fmt::format("pages of '{}' may not send requests here", origin),
                     "open strobe's own page");
    }
  }
  const bool is_foreign = request.header("sec-fetch-site") == "cross-site";
  if (is_foreign && request.header("sec-fetch-mode") != "navigate") {
    return refused("pages of other sites may not send requests here", "open strobe's own page");
  }
  return std::nullopt;
}

}  // namespace strobe::serve
