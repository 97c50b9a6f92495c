#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"

namespace strobe::readers {

// The records of a CSV text, one at a time, in a buffer that grows with the longest of them only.
// Separators inside quotes are found 64 bytes at a time; a field is unquoted when somebody asks.
class CsvRecords {
 public:
  // The stream must outlive it.
  explicit CsvRecords(ByteStream& stream, std::size_t buffer_bytes = 1 << 20);

  // The next record; false at the end. Lines of the profiler's log ("==PROF== ...") are passed by.
  bool next();
  // The same for a text that is not CSV: quotes mean nothing, and it is one field.
  bool next_line();

  std::string_view text() const { return {record_, record_bytes_}; }  // without its line end
  std::size_t line() const { return line_; }                          // of its first byte, from 1

  std::size_t size() const { return separators_ + 1; }
  // Without quotes and the blanks around them; empty behind the last. Valid until next().
  std::string_view field(std::size_t column);
  // Makes fields of what next_line() read, as far as its line goes.
  void split_line();

  // Ends where the text does, without a line end: its last field may be cut.
  bool is_last_cut() const { return is_cut_; }
  // A quote is opened and never closed: what follows its line is read as if it were.
  bool is_broken() const { return is_broken_; }
  // Why the text ended before its time.
  const std::optional<Error>& damage() const { return damage_; }

 private:
  enum class Scan : std::uint8_t { kRecord, kNeedsMore };

  Scan scan();
  void end_at(std::size_t bytes, bool has_newline);
  bool read_more();
  bool at_log_line();
  void add_separators(std::uint64_t commas, std::size_t offset);

  ByteStream* stream_;
  std::vector<char> buffer_;  // padded with zeros behind end_
  char* end_;
  char* next_;
  char* record_;
  std::size_t record_bytes_ = 0;
  std::size_t taken_bytes_ = 0;  // with the line end
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

}  // namespace strobe::readers
