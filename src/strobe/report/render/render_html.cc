#include "strobe/report/render/render.h"

#include <string_view>

#include "strobe/base/check.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/render/page.h"

namespace strobe::report {
namespace {

// The page contains each of these two places once; it reads the first, browsers without scripts
// show the second.
constexpr std::string_view kDocumentPlace =
    "<script type=\"application/json\" id=\"strobe-report\">";
constexpr std::string_view kTextPlace = "</noscript>";
constexpr std::string_view kTitleBegin = "<title>";
constexpr std::string_view kTitleEnd = "</title>";

// A name in the trace may contain </script>. Outside of strings JSON has no '<'.
std::string json_for_html(const Document& document) {
  std::string out;
  for (const char c : render_json(document)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string text_for_html(const Document& document) {
  return "<pre>" + escaped(render_text(document, {})) + "</pre>";
}

// "run.json · strobe summary": the subject, and what of it this is.
std::string title_for_html(const Document& document) {
  const std::string what = document.title.substr(0, document.title.find(": "));
  return escaped(printable(document.subject.empty() ? what : document.subject + " · " + what));
}

}  // namespace

std::string render_html(const Document& document) {
  const std::string_view page = page_html();
  const std::size_t text_at = page.find(kTextPlace);
  const std::size_t document_at = page.find(kDocumentPlace);
  STROBE_CHECK(text_at != page.npos && document_at != page.npos && text_at < document_at,
               "the page has a place for a report");
  const std::size_t document_begin = document_at + kDocumentPlace.size();
  const std::size_t title_at = page.find(kTitleBegin);
  const std::size_t title_end = page.find(kTitleEnd);
  STROBE_CHECK(title_at < title_end && title_end < text_at, "the page has a title");
  std::string html(page.substr(0, title_at + kTitleBegin.size()));
  html += title_for_html(document);
  html += page.substr(title_end, text_at - title_end);
  html += text_for_html(document);
  html += page.substr(text_at, document_begin - text_at);
  html += json_for_html(document);
  html += page.substr(document_begin);
  return html;
}

}  // namespace strobe::report
