#include "strobe/query/filled_tables.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>
#include <variant>

#include "strobe/base/check.h"
#include "strobe/base/json_text.h"

namespace strobe::query {
namespace {

constexpr std::size_t kRowsAtOnce = 1 << 16;  // of a column, between two looks at what they share

std::size_t bytes_of(ColumnType type) {
  switch (type) {
    case ColumnType::kBool:
      return 1;
    case ColumnType::kNarrow:
    case ColumnType::kName:
      return 4;
    case ColumnType::kWhole:
    case ColumnType::kReal:
      return 8;
    case ColumnType::kText:
      break;
  }
  return 0;
}

// A column while its rows come, in order.
class Growing {
 public:
  Growing(ColumnType type, std::size_t rows) : column_(std::make_shared<FilledColumn>()) {
    column_->type = type;
    column_->rows = rows;
    column_->own.resize(rows * bytes_of(type) / sizeof(std::uint64_t) + 1);
    if (type != ColumnType::kText) column_->values = column_->own.data();
  }

  template <class Value>
  Value* values() {
    return reinterpret_cast<Value*>(column_->own.data());
  }
  ColumnType type() const { return column_->type; }

  void text(std::size_t row, std::string_view text) {
    STROBE_CHECK(row >= column_->texts.size(), "texts come in the order of their rows");
    while (column_->texts.size() < row) column_->texts.add("");
    column_->texts.add(is_valid_utf8(text) ? text : sanitize_utf8(text));
  }

  void absent(std::size_t row) {
    FilledColumn& column = *column_;
    if (column.present.empty()) column.present.assign(column.rows / 8 + 1, 0xff);
    column.present[row / 8] &= static_cast<std::uint8_t>(~(1u << (row % 8)));
    ++column.absent;
  }

  // Numbers into all names become numbers into those that occur.
  void keep_used(const std::vector<std::string>& names) {
    auto* codes = values<std::int32_t>();
    std::vector<std::int32_t> places(names.size(), -1);
    for (std::size_t row = 0; row < column_->rows; ++row) {
      if (column_->has(row)) places[static_cast<std::size_t>(codes[row])] = 0;
    }
    std::int32_t used = 0;
    for (std::size_t name = 0; name < names.size(); ++name) {
      if (places[name] < 0) continue;
      places[name] = used++;
      column_->texts.add(names[name]);
    }
    for (std::size_t row = 0; row < column_->rows; ++row) {
      codes[row] = column_->has(row) ? places[static_cast<std::size_t>(codes[row])] : 0;
    }
  }

  FilledColumnPtr done() {
    if (type() == ColumnType::kText) {
      while (column_->texts.size() < column_->rows) column_->texts.add("");
    }
    return std::move(column_);
  }

 private:
  std::shared_ptr<FilledColumn> column_;
};

// The rows of one trace, from `first` on.
class GrowingCells final : public Cells {
 public:
  GrowingCells(Growing& column, std::size_t first) : column_(column), first_(first) {
    names = column.values<std::uint32_t>() + first;
  }
  bool* bools() override { return column_.values<bool>() + first_; }
  std::int32_t* narrow() override { return column_.values<std::int32_t>() + first_; }
  std::int64_t* whole() override { return column_.values<std::int64_t>() + first_; }
  double* reals() override { return column_.values<double>() + first_; }
  void text(std::size_t row, std::string_view text) override { column_.text(first_ + row, text); }
  void null(std::size_t row) override { column_.absent(first_ + row); }

 private:
  Growing& column_;
  std::size_t first_;
};

// A column of an answer whose number of rows is known only at its end.
class Collected {
 public:
  explicit Collected(ValueType type) : type_(type) {}

  void add(std::vector<Value>&& values) {
    for (Value& value : values) {
      has_digits_ = has_digits_ || std::holds_alternative<Digits>(value);
      values_.push_back(std::move(value));
    }
  }

  FilledColumnPtr done() const {
    Growing column(column_type_of(), values_.size());
    for (std::size_t row = 0; row < values_.size(); ++row) put(column, row, values_[row]);
    return column.done();
  }

 private:
  ColumnType column_type_of() const {
    switch (type_) {
      case ValueType::kBool:
        return ColumnType::kBool;
      case ValueType::kWhole:
        return has_digits_ ? ColumnType::kText : ColumnType::kWhole;
      case ValueType::kReal:
        return ColumnType::kReal;
      case ValueType::kText:
        break;
    }
    return ColumnType::kText;
  }

  static std::string text_of(const Value& value) {
    if (const auto* digits = std::get_if<Digits>(&value)) return digits->text;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? "" : *text;
  }

  static double real_of(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    const std::string text = text_of(value);
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  static void put(Growing& column, std::size_t row, const Value& value) {
    if (std::holds_alternative<Null>(value)) return column.absent(row);
    switch (column.type()) {
      case ColumnType::kBool:
        column.values<bool>()[row] = std::get<bool>(value);
        break;
      case ColumnType::kWhole:
        column.values<std::int64_t>()[row] = std::get<std::int64_t>(value);
        break;
      case ColumnType::kReal:
        column.values<double>()[row] = real_of(value);
        break;
      default:
        column.text(row, text_of(value));
    }
  }

  ValueType type_;
  std::vector<Value> values_;
  bool has_digits_ = false;
};

}  // namespace

void Texts::add(std::string_view text) {
  bytes_ += text;
  ends_.push_back(static_cast<std::int64_t>(bytes_.size()));
}

std::vector<std::uint8_t> bits_of(const FilledColumn& column) {
  const auto* values = static_cast<const std::uint8_t*>(column.values);
  std::vector<std::uint8_t> bits(column.rows / 8 + 1);
  for (std::size_t row = 0; row < column.rows; ++row) {
    bits[row / 8] |= static_cast<std::uint8_t>(values[row] << (row % 8));
  }
  return bits;
}

FilledTables::FilledTables(std::vector<TraceInput> traces, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), tables_(all_tables()) {
  add_sources(
      std::move(traces), [this]() -> const Names& { return names(); },
      std::thread::hardware_concurrency(), sources_);
  for (const Table& table : tables_) {
    for (const Column& column : table.columns) filled_[&column];
  }
}

const Names& FilledTables::names() const {
  return names_made_.get([&] { return names_of(sources_); });
}

std::size_t FilledTables::rows(const Table& table) const {
  std::size_t rows = 0;
  for (const TraceSource& source : sources_) rows += table.rows(source);
  return rows;
}

FilledColumnPtr FilledTables::column(const Table& table, const Column& column) const {
  return filled_.at(&column).get([&] { return fill(table, column); });
}

FilledColumnPtr FilledTables::fill(const Table& table, const Column& column) const {
  if (column.in_place && sources_.size() == 1) {
    if (const void* values = column.in_place(sources_.front())) {
      auto found = std::make_shared<FilledColumn>();
      found->type = column.type;
      found->rows = rows(table);
      found->values = values;
      found->keeps_alive = owner_;
      return found;
    }
  }
  Growing growing(column.type, rows(table));
  std::size_t first = 0;
  for (const TraceSource& source : sources_) {
    const std::size_t rows = table.rows(source);
    for (std::size_t at = 0; at < rows; at += kRowsAtOnce) {
      std::shared_ptr<void> shared;
      GrowingCells cells(growing, first + at);
      cells.shared = &shared;
      column.fill(source, at, std::min(kRowsAtOnce, rows - at), cells);
    }
    first += rows;
  }
  if (column.type == ColumnType::kName) growing.keep_used(names().texts());
  return growing.done();
}

Result<std::vector<NamedColumn>> fill_answer(Answer& answer, std::size_t about) {
  std::vector<Collected> collected;
  for (const AnswerColumn& column : answer.columns()) collected.emplace_back(column.type);
  for (std::size_t read = 0; read < about;) {
    STROBE_TRY(Rows rows, answer.next());
    if (rows.count == 0) break;
    read += rows.count;
    for (std::size_t i = 0; i < collected.size(); ++i) collected[i].add(std::move(rows.columns[i]));
  }
  std::vector<NamedColumn> columns;
  for (std::size_t i = 0; i < collected.size(); ++i) {
    columns.push_back({answer.columns()[i].name, collected[i].done()});
  }
  return columns;
}

}  // namespace strobe::query
