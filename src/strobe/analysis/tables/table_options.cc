#include "strobe/analysis/tables/table_options.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>

namespace strobe::analysis {
namespace {

// RE2 names the offending piece; its position in the pattern says more. If RE2 names the whole
// pattern, something is missing at its end.
std::string explanation(const re2::RE2& expression) {
  const std::string& pattern = expression.pattern();
  const std::string& culprit = expression.error_arg();
  const std::size_t colon = expression.error().find(':');
  const std::string what = expression.error().substr(0, colon);
  const std::size_t at = culprit.empty() ? std::string::npos : pattern.find(culprit);
  if (at == std::string::npos || culprit == pattern)
    return fmt::format("{} in '{}'", what, pattern);
  return fmt::format("{} at character {} of '{}': '{}'", what, at + 1, pattern, culprit);
}

NameFilter filter_by(std::shared_ptr<const re2::RE2> expression) {
  return [expression = std::move(expression)](std::string_view name) {
    return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *expression);
  };
}

}  // namespace

Result<NameFilter> name_filter(std::string_view where, const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<const re2::RE2>(pattern, options);
  if (!expression->ok()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = explanation(*expression),
                 .where = std::string(where),
                 .hint = "a backslash makes ( ) [ ] { } . * + ? | ordinary: 'gemm\\('"};
  }
  return filter_by(std::move(expression));
}

NameFilter name_contains(const std::string& text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_literal(true);
  options.set_case_sensitive(false);
  return filter_by(std::make_shared<const re2::RE2>(text, options));
}

}  // namespace strobe::analysis
