#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/file.h"

namespace strobe::sqlite {

// What the pages of a database are taken from: its file or its bytes in memory.
class Pages {
 public:
  static std::optional<Pages> of_file(const std::filesystem::path& path);
  static std::optional<Pages> of_memory(std::string_view bytes);  // which must outlive it

  // Of which a page may use the first ones.
  std::size_t usable_bytes() const { return usable_bytes_; }
  std::uint64_t count() const { return count_; }

  // A page by its number, from 1; empty if it is not there. `buffer` may hold it.
  std::span<const unsigned char> read(std::uint64_t number,
                                      std::vector<unsigned char>& buffer) const;

 private:
  bool take_header(std::span<const unsigned char> header, std::uint64_t bytes);

  std::shared_ptr<const File> file_;
  std::string_view memory_;
  std::size_t page_bytes_ = 0;
  std::size_t usable_bytes_ = 0;
  std::uint64_t count_ = 0;
};

// A column of a table as it lies in a record.
struct StoredColumn {
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  std::uint32_t place = kNowhere;  // among the values of a record; all values are NULL without one
  bool is_row_id = false;          // the row's own number stands for NULL
};

// The rows of an ordinary table in the order of their numbers, straight from the pages of the file.
// PERF: a statement needs several times as long to hand out the columns of a row.
//
// Damage costs only the pages and rows that it hits. Every page is visited at most once.
class TableRows {
 public:
  // Each column at most once.
  TableRows(Pages pages, std::uint64_t root, std::span<const StoredColumn> columns);

  bool next();
  // Goes to the end and counts the rows on the way, without a look at them.
  std::uint64_t count_rest();
  // Pages and rows that were left out because they are damaged or missing.
  std::uint64_t damages() const { return damages_; }

  // Of the current row, by the place in the list of columns. A number is converted into the other
  // kind of number; what is neither is 0. A text is valid until the next row.
  std::int64_t integer(std::size_t column) const {
    const Value& value = values_[column];
    switch (value.type) {
      case kByte:
        return static_cast<std::int8_t>(value.data[0]);
      case kFourBytes:
        return static_cast<std::int32_t>(load<std::uint32_t>(value.data));
      case kSixBytes:
        return std::int64_t{static_cast<std::int16_t>(load<std::uint16_t>(value.data))} << 32 |
               load<std::uint32_t>(value.data + 2);
      case kEightBytes:
        return static_cast<std::int64_t>(load<std::uint64_t>(value.data));
      case kNull:
      case kZero:
        return 0;
      case kOne:
        return 1;
      default:
        return rarer_integer(value);
    }
  }
  double real(std::size_t column) const;
  std::string_view text(std::size_t column) const {  // "" unless it is one
    const Value& value = values_[column];
    if (value.type < kFirstText || value.type == kRowId) return {};
    return {reinterpret_cast<const char*>(value.data), (value.type - kFirstText) / 2};
  }
  bool is_null(std::size_t column) const { return values_[column].type == kNull; }

 private:
  // Types of values in a record. From kFirstText on, they are texts and blobs of all lengths.
  enum Type : std::uint64_t {
    kNull = 0,
    kByte = 1,
    kTwoBytes = 2,
    kThreeBytes = 3,
    kFourBytes = 4,
    kSixBytes = 5,
    kEightBytes = 6,
    kReal = 7,
    kZero = 8,
    kOne = 9,
    kFirstText = 12,
    kRowId = ~std::uint64_t{0},  // only here: the number of the row
  };
  struct Value {
    std::uint64_t type = kNull;
    const unsigned char* data = nullptr;
  };

  template <class Number>
  static Number load(const unsigned char* data) {
    Number number;
    std::memcpy(&number, data, sizeof number);
    if constexpr (std::endian::native == std::endian::big) return number;
    if constexpr (sizeof number == 2) return __builtin_bswap16(number);
    if constexpr (sizeof number == 4) return __builtin_bswap32(number);
    if constexpr (sizeof number == 8) return __builtin_bswap64(number);
  }

  // A page on the way down to the row.
  struct Level {
    std::vector<unsigned char> buffer;
    std::span<const unsigned char> page;
    std::size_t header = 0;  // where its header begins
    std::uint32_t cells = 0;
    std::uint32_t next_cell = 0;
    bool is_leaf = false;
  };
  // What of a row lies in its page.
  struct Payload {
    std::span<const unsigned char> local;
    std::uint64_t bytes = 0;
    std::uint32_t overflow = 0;  // the page where it goes on, or 0
  };

  void enter(std::uint64_t page);
  std::optional<std::size_t> next_cell(Level& level);
  void descend(Level& level);
  bool read_row(Level& level);
  bool find_payload(const Level& level, std::size_t cell, Payload& payload);
  bool read_record(const Payload& payload);
  bool read_values(std::span<const unsigned char> record, bool is_whole, bool& needs_rest);
  bool gather(const Payload& payload);
  std::int64_t rarer_integer(const Value& value) const;

  Pages pages_;
  std::vector<std::uint32_t> wanted_;  // the column of each value of a record, or kNowhere
  std::vector<std::uint32_t> row_id_columns_;
  std::vector<Value> values_;
  static constexpr std::size_t kMostLevels = 20;
  std::array<Level, kMostLevels> levels_;
  std::size_t depth_ = 0;
  std::uint64_t visited_ = 0;
  std::uint64_t damages_ = 0;
  std::int64_t row_id_ = 0;
  std::vector<unsigned char> gathered_;  // a record that goes on in other pages
  std::vector<unsigned char> overflow_buffer_;
};

}  // namespace strobe::sqlite
