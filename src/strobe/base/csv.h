#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

namespace strobe {

class ByteStream;

struct CsvOptions {
  std::string_view log_mark = {};  // next() skips lines that begin with it: "=="
  std::size_t buffer_bytes = 1 << 20;
};

// The records of a CSV text (RFC 4180; "\n" or "\r\n", with or without a byte order mark), one at a
// time, in a buffer that grows only to the longest record. Separators outside of quotes are found
// 64 bytes at a time; a field is unquoted when it is read.
class CsvRecords {
 public:
  // The stream must outlive it.
  explicit CsvRecords(ByteStream& stream, const CsvOptions& options = {});
  explicit CsvRecords(std::string_view text, const CsvOptions& options = {});

  // The next record, which may span lines; false at the end.
  bool next();
  // The next line as one field, even if it contains quotes; false at the end.
  bool next_line();
  // Splits the line of next_line() into fields, for tables in which a record never spans lines: an
  // unclosed quote then damages only its own line.
  void split_line();

  std::string_view text() const { return {record_, record_bytes_}; }  // without its line end
  std::size_t line() const { return line_; }                          // of its first byte, from 1

  std::size_t size() const { return separators_ + 1; }
  // Without quotes and the blanks around them; empty after the last. Valid until next().
  std::string_view field(std::size_t column);
  std::vector<std::string> fields();

  // The text ends without a line end after this record, so its last field may be cut.
  bool is_last_cut() const { return is_cut_; }
  // A quote was opened and never closed; the record ends with its line.
  bool is_broken() const { return is_broken_; }
  // Why the text ended too early.
  const std::optional<Error>& damage() const { return damage_; }

 private:
  enum class Scan : std::uint8_t { kRecord, kNeedsMore };

  Scan scan();
  void end_at(std::size_t bytes, bool has_newline);
  bool read_more();
  bool at_log_line();
  void skip_byte_order_mark();
  void add_separators(std::uint64_t commas, std::size_t offset);

  ByteStream* stream_ = nullptr;
  std::string log_mark_;
  std::vector<char> buffer_;  // padded with zeros behind end_
  char* end_;
  char* next_;
  char* record_;
  std::size_t record_bytes_ = 0;
  std::vector<std::uint32_t> offsets_;
  std::size_t separators_ = 0;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  bool at_end_ = false;
  bool is_cut_ = false;
  bool is_broken_ = false;
  bool in_quotes_at_end_ = false;
  std::forward_list<std::string> unquoted_;  // fields with quotes inside
  std::optional<Error> damage_;
};

enum class CsvQuotes : std::uint8_t {
  kNeeded,  // texts with a comma, a quote or a line end, or with '#' in front
  kTexts,   // every text, as profilers write them; numbers and raw fields never
};

// Appends CSV to a text, field by field: csv.field("a").field(1.5).end_row(). Lines end in "\n".
class CsvWriter {
 public:
  explicit CsvWriter(std::string& out, CsvQuotes quotes = CsvQuotes::kNeeded)
      : out_(&out), quotes_(quotes) {}

  CsvWriter& field(std::string_view text);
  CsvWriter& field(const char* text) { return field(std::string_view(text)); }
  // The shortest form that reads back as the same number; empty where it is not finite.
  CsvWriter& field(double number);
  template <std::integral Whole>
  CsvWriter& field(Whole number) {
    return raw(std::to_string(number));
  }
  template <class Value>
  CsvWriter& field(const std::optional<Value>& value) {
    return value ? field(*value) : empty();
  }
  CsvWriter& empty() { return raw({}); }
  // Written unchanged: a preformatted number, or several fields with their commas.
  CsvWriter& raw(std::string_view fields);
  void end_row();

 private:
  std::string* out_;
  CsvQuotes quotes_;
  bool is_first_ = true;  // of its row
};

}  // namespace strobe
