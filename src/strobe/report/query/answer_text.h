#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strobe/query/query.h"
#include "strobe/report/render/render.h"

// The answer to a query as text.
namespace strobe::report {

// Parquet is written by the engine itself and Arrow by an ArrowFile, all others by an AnswerWriter.
enum class AnswerFormat : std::uint8_t { kText, kCsv, kJson, kNdjson, kMarkdown, kParquet, kArrow };
constexpr bool is_binary(AnswerFormat format) {
  return format == AnswerFormat::kParquet || format == AnswerFormat::kArrow;
}

// Writes an answer piece by piece; `out` grows and may be emptied between calls. Text and Markdown
// need all rows to know the widths of columns, so they write at the end.
class AnswerWriter {
 public:
  virtual ~AnswerWriter() = default;
  virtual void rows(const query::Rows& rows, std::string& out) = 0;
  // `is_cut`: there are more rows than were asked for.
  virtual void end(bool is_cut, std::string& out) = 0;
};

// `style` is that of text: no line is wider, names are shortened and then the last columns left
// out.
std::unique_ptr<AnswerWriter> answer_writer(AnswerFormat format,
                                            const std::vector<query::AnswerColumn>& columns,
                                            const TextStyle& style, std::string& out);

}  // namespace strobe::report
