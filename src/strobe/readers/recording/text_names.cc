#include "strobe/readers/recording/text_names.h"

#include <string>

#include "strobe/base/json_text.h"

namespace strobe::readers {

StringId intern_name(std::string_view text, RecordingSink& sink) {
  if (is_valid_utf8(text)) return sink.builder.intern(text);
  const std::string repaired = sanitize_utf8(text);
  sink.report.add(ImportIssue::kBadString, 0, repaired);
  return sink.builder.intern(repaired);
}

}  // namespace strobe::readers
