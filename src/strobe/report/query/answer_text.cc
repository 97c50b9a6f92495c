#include "strobe/report/query/answer_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/csv.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/report/render/aligned_table.h"
#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

using query::AnswerColumn;
using query::Digits;
using query::Null;
using query::Rows;
using query::Value;
using query::ValueType;

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

// For people: thousands are separated, fractions have six significant digits.
std::string text_for_people(const Value& value) {
  return std::visit(Match{[](const Null&) { return std::string("-"); },
                          [](bool flag) { return std::string(flag ? "true" : "false"); },
                          [](std::int64_t number) { return with_commas(std::to_string(number)); },
                          [](double number) {
                            if (!std::isfinite(number)) return fmt::format("{}", number);
                            const double size = std::fabs(number);
                            if (size >= 1e15 || (size != 0 && size < 1e-4))
                              return fmt::format("{:.6g}", number);
                            const int decimals = size >= 1e5 ? 0
                                                 : size >= 1
                                                     ? 5 - static_cast<int>(std::log10(size))
                                                     : 6;
                            std::string text = fmt::format("{:.{}f}", number, decimals);
                            if (text.find('.') != std::string::npos) {
                              text.erase(text.find_last_not_of('0') + 1);
                              if (text.back() == '.') text.pop_back();
                            }
                            return with_commas(text);
                          },
                          [](const Digits& digits) { return with_commas(digits.text); },
                          [](const std::string& text) { return text; }},
                    value);
}

bool is_number(ValueType type) { return type == ValueType::kWhole || type == ValueType::kReal; }

class CsvAnswer final : public AnswerWriter {
 public:
  CsvAnswer(const std::vector<AnswerColumn>& columns, std::string& out) {
    CsvWriter csv(out);
    for (const AnswerColumn& column : columns) csv.field(column.name);
    csv.end_row();
  }
  void rows(const Rows& rows, std::string& out) override {
    CsvWriter csv(out);
    for (std::size_t row = 0; row < rows.count; ++row) {
      for (const auto& column : rows.columns) {
        std::visit(Match{[&](const Null&) { csv.empty(); },
                         [&](bool flag) { csv.raw(flag ? "true" : "false"); },
                         [&](std::int64_t number) { csv.field(number); },
                         [&](double number) { csv.field(number); },
                         [&](const Digits& digits) { csv.raw(digits.text); },
                         [&](const std::string& text) { csv.field(text); }},
                   column[row]);
      }
      csv.end_row();
    }
  }
  void end(bool, std::string&) override {}
};

// An array of objects with a line for each row, or only the lines.
class JsonAnswer final : public AnswerWriter {
 public:
  JsonAnswer(const std::vector<AnswerColumn>& columns, bool is_array, std::string& out)
      : columns_(columns), is_array_(is_array) {
    if (is_array_) out += "[";
  }
  void rows(const Rows& rows, std::string& out) override {
    for (std::size_t row = 0; row < rows.count; ++row) {
      if (is_array_) out += is_first_ ? "\n" : ",\n";
      is_first_ = false;
      JsonWriter json(out);
      json.begin_object();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        json.key(columns_[i].name);
        std::visit(Match{[&](const Null&) { json.null(); },
                         [&](const Digits& digits) { json.raw(digits.text); },
                         [&](const std::string& text) { json.value(std::string_view(text)); },
                         [&](const auto& plain) { json.value(plain); }},
                   rows.columns[i][row]);
      }
      json.end_object();
      if (!is_array_) out += '\n';
    }
  }
  void end(bool, std::string& out) override {
    if (is_array_) out += is_first_ ? "]\n" : "\n]\n";
  }

 private:
  std::vector<AnswerColumn> columns_;
  bool is_array_;
  bool is_first_ = true;
};

// All rows as texts.
class WholeAnswer : public AnswerWriter {
 public:
  explicit WholeAnswer(const std::vector<AnswerColumn>& columns) : columns_(columns) {
    texts_.resize(columns.size());
  }
  void rows(const Rows& rows, std::string&) override {
    count_ += rows.count;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t row = 0; row < rows.count; ++row) {
        texts_[i].push_back(text_for_people(rows.columns[i][row]));
      }
    }
  }

 protected:
  std::vector<AnswerColumn> columns_;
  std::vector<std::vector<std::string>> texts_;  // per column
  std::size_t count_ = 0;
};

class MarkdownAnswer final : public WholeAnswer {
 public:
  using WholeAnswer::WholeAnswer;
  void end(bool is_cut, std::string& out) override {
    std::vector<AlignedColumn> aligned;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::string& text : texts_[i]) text = printable(text);
      aligned.push_back(
          {.header = columns_[i].name,
           .alignment = is_number(columns_[i].type) ? CellAlignment::kWhole : CellAlignment::kText,
           .cells = std::move(texts_[i])});
    }
    out += aligned_table(std::move(aligned));
    out += '\n';
    if (is_cut) out += fmt::format("\nThere are more rows than these {}.\n", count_);
  }
};

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastText = 16;  // a name is useless if narrower

class TextAnswer final : public WholeAnswer {
 public:
  TextAnswer(const std::vector<AnswerColumn>& columns, const TextStyle& style)
      : WholeAnswer(columns), style_(style) {}

  void end(bool is_cut, std::string& out) override {
    for (auto& column : texts_) {
      for (std::string& text : column) text = printable(text, style_.unicode);
    }
    measure();
    std::vector<std::string> header;
    for (const AnswerColumn& column : columns_) header.push_back(column.name);
    line(header, out);
    for (std::size_t row = 0; row < count_; ++row) {
      std::vector<std::string> cells;
      for (const auto& column : texts_) cells.push_back(column[row]);
      line(cells, out);
    }
    if (is_cut) {
      out +=
          fmt::format("{} more rows than these {} (--limit all shows them)\n", ellipsis(), count_);
    } else if (count_ == 0) {
      out += "(no rows)\n";
    }
    if (shown_ < columns_.size()) {
      std::vector<std::string> names;
      for (std::size_t i = shown_; i < columns_.size(); ++i) names.push_back(columns_[i].name);
      const std::string text = fmt::format("{} no room for {} (--format csv shows all)", ellipsis(),
                                           fmt::join(names, ", "));
      for (const std::string& part : wrap(text, width())) out += part + "\n";
    }
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(std::max(20, style_.width)); }
  const char* ellipsis() const { return style_.unicode ? "…" : "..."; }

  // The widest texts shrink first; then the last columns are left out.
  void measure() {
    widths_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::size_t widest = columns_of(columns_[i].name);
      for (const std::string& text : texts_[i]) widest = std::max(widest, columns_of(text));
      widths_.push_back(widest);
    }
    shown_ = columns_.size();
    while (shown_ > 0 && total() > width()) {
      std::size_t best = shown_;
      for (std::size_t i = 0; i < shown_; ++i) {
        const bool shrinks = !is_number(columns_[i].type) && widths_[i] > kLeastText;
        if (shrinks && (best == shown_ || widths_[i] > widths_[best])) best = i;
      }
      if (best < shown_) {
        widths_[best] =
            std::max(kLeastText, widths_[best] - std::min(widths_[best], total() - width()));
      } else if (shown_ == 1) {
        widths_[0] = width();
      } else {
        --shown_;
      }
    }
  }

  std::size_t total() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < shown_; ++i) sum += widths_[i] + (i == 0 ? 0 : kGap);
    return sum;
  }

  void line(const std::vector<std::string>& cells, std::string& out) const {
    std::string text;
    for (std::size_t i = 0; i < shown_; ++i) {
      if (i != 0) text.append(kGap, ' ');
      const std::string cell = columns_of(cells[i]) > widths_[i]
                                   ? fit_name(cells[i], widths_[i], style_.unicode)
                                   : cells[i];
      const std::size_t blanks = widths_[i] - std::min(widths_[i], columns_of(cell));
      const bool is_right = is_number(columns_[i].type);
      if (is_right) text.append(blanks, ' ');
      text += cell;
      if (!is_right) text.append(blanks, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }

  TextStyle style_;
  std::vector<std::size_t> widths_;
  std::size_t shown_ = 0;
};

}  // namespace

std::unique_ptr<AnswerWriter> answer_writer(AnswerFormat format,
                                            const std::vector<AnswerColumn>& columns,
                                            const TextStyle& style, std::string& out) {
  switch (format) {
    case AnswerFormat::kCsv:
      return std::make_unique<CsvAnswer>(columns, out);
    case AnswerFormat::kJson:
      return std::make_unique<JsonAnswer>(columns, true, out);
    case AnswerFormat::kNdjson:
      return std::make_unique<JsonAnswer>(columns, false, out);
    case AnswerFormat::kMarkdown:
      return std::make_unique<MarkdownAnswer>(columns);
    case AnswerFormat::kParquet:
    case AnswerFormat::kArrow:
    case AnswerFormat::kText:
      break;
  }
  return std::make_unique<TextAnswer>(columns, style);
}

}  // namespace strobe::report
