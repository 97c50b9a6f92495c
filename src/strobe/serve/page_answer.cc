#include "strobe/serve/page_answer.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/base/hash.h"

namespace strobe::serve {
namespace {

// What stands between <tag ...> and </tag>, for each of them.
std::vector<std::string_view> contents_of(std::string_view tag, std::string_view html) {
  const std::string open = fmt::format("<{}", tag);
  const std::string close = fmt::format("</{}>", tag);
  std::vector<std::string_view> contents;
  for (std::size_t at = 0; (at = html.find(open, at)) != std::string_view::npos;) {
    const std::size_t begin = html.find('>', at);
    const std::size_t end = html.find(close, at);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    contents.push_back(html.substr(begin + 1, end - begin - 1));
    at = end;
  }
  return contents;
}

std::string hashes_of(std::string_view tag, std::string_view html) {
  std::string hashes;
  for (const std::string_view content : contents_of(tag, html)) {
    hashes += fmt::format(" 'sha256-{}'", sha256_base64(content));
  }
  return hashes.empty() ? " 'none'" : hashes;
}

}  // namespace

std::string content_policy(std::string_view html) {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; img-src 'self' data: blob:; font-src data:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      hashes_of("script", html), hashes_of("style", html));
}

bool accepts_gzip(const HttpRequest& request) {
  std::string_view left = request.header("accept-encoding");
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    std::string_view coding = left.substr(0, comma);
    left.remove_prefix(std::min(comma + 1, left.size()));
    coding.remove_prefix(std::min(coding.find_first_not_of(' '), coding.size()));
    const std::string_view name = coding.substr(0, coding.find_first_of("; "));
    const bool is_refused = coding.ends_with("q=0") || coding.ends_with("q=0.0");
    if ((name == "gzip" || name == "*") && !is_refused) return true;
  }
  return false;
}

PageAnswer::PageAnswer(std::string_view html)
    : plain_(std::make_shared<const std::string>(html)),
      packed_(std::make_shared<const std::string>(pack_gzip(html))),
      tag_(fmt::format("\"{}\"", sha256_base64(html))),
      policy_(content_policy(html)) {}

HttpResponse PageAnswer::answer(const HttpRequest& request) const {
  HttpResponse response{.content_type = "text/html; charset=utf-8"};
  response.headers = {{"Content-Security-Policy", policy_},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"},
                      {"Vary", "Accept-Encoding"},
                      {"ETag", tag_}};
  if (request.header("if-none-match").find(tag_) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  const bool is_packed = accepts_gzip(request);
  if (is_packed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = is_packed ? packed_ : plain_;
  return response;
}

}  // namespace strobe::serve
