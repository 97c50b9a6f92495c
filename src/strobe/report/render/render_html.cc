#include "strobe/report/render/render.h"

#include <string_view>

#include "strobe/base/check.h"
#include "strobe/report/render/page.h"

namespace strobe::report {
namespace {

// The page contains each of these two places once; it reads the first, browsers without scripts
// show the second.
constexpr std::string_view kDocumentPlace =
    "<script type=\"application/json\" id=\"strobe-report\">";
constexpr std::string_view kTextPlace = "</noscript>";

// A name in the trace may contain </script>. Outside of strings JSON has no '<'.
std::string json_for_html(const Document& document) {
  std::string escaped;
  for (const char c : render_json(document)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string text_for_html(const Document& document) {
  std::string escaped = "<pre>";
  for (const char c : render_text(document, {})) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped + "</pre>";
}

}  // namespace

std::string render_html(const Document& document) {
  const std::string_view page = page_html();
  const std::size_t text_at = page.find(kTextPlace);
  const std::size_t document_at = page.find(kDocumentPlace);
  STROBE_CHECK(text_at != page.npos && document_at != page.npos && text_at < document_at,
               "the page has a place for a report");
  const std::size_t document_begin = document_at + kDocumentPlace.size();
  std::string html(page.substr(0, text_at));
  html += text_for_html(document);
  html += page.substr(text_at, document_begin - text_at);
  html += json_for_html(document);
  html += page.substr(document_begin);
  return html;
}

}  // namespace strobe::report
