#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "strobe/base/csv.h"
#include "strobe/base/result.h"
#include "strobe/readers/counters/launch_rows.h"

namespace strobe::readers {

inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
std::size_t find_column(const std::vector<std::string>& header, std::string_view title);

// The columns of a profiler's CSV that identify the launch of a row. They are found by name: their
// position depends on version and options, and some may be missing.
struct LaunchColumns {
  std::size_t id = kNoColumn;
  std::size_t process = kNoColumn;
  std::size_t name = kNoColumn;
  std::size_t context = kNoColumn;
  std::size_t stream = kNoColumn;
  std::size_t grid = kNoColumn;
  std::size_t block = kNoColumn;
  std::size_t device = kNoColumn;
  std::size_t capability = kNoColumn;

  static LaunchColumns of(const std::vector<std::string>& header);
  // Whether a record is another header: a second table after the first, of another run.
  bool is_header(CsvRecords& record) const;
};

// The launch numbers of one process that were seen; cheap if they are dense.
class SeenNumbers {
 public:
  bool insert(std::uint32_t number);  // false: seen before

 private:
  std::vector<bool> dense_;
  std::unordered_set<std::uint32_t> sparse_;
};

// Reads a shape from a row, if possible.
std::optional<LaunchShape> parse_shape(std::string_view text);  // "(512, 1, 1)"

// Turns rows into launches and their fields into values.
class LaunchFields {
 public:
  LaunchFields(const LaunchColumns& columns, LaunchRows& rows) : columns_(columns), rows_(&rows) {}

  // (process, number) of the row's launch; nothing, with a remark, if it has no number.
  struct Key {
    std::uint32_t process = 0;  // an index
    std::uint32_t id = 0;
    bool operator==(const Key&) const = default;
  };
  std::optional<Key> key_of(CsvRecords& record, const Place& place);

  // A new launch with the values of its identity columns.
  std::size_t add(CsvRecords& record, std::uint32_t id, const Place& place);

  // The value of a field in base units, or nothing, with a remark unless it is "n/a". Fails on a
  // decimal comma: the whole file is then in another notation.
  Result<std::optional<double>> value(std::string_view text, const Unit& unit,
                                      const NamedCounter& named, std::string_view column,
                                      const Place& place);

  std::int32_t device_index(std::size_t row) const { return device_of_row_ == row ? device_ : 0; }

 private:
  void set_number(CsvRecords& record, std::size_t column, Counter counter, std::size_t row,
                  std::string_view title, const Place& place);
  std::uint32_t process_index(std::string_view text);

  LaunchColumns columns_;
  LaunchRows* rows_;
  std::vector<std::string> processes_;
  std::uint32_t last_process_ = 0;
  std::size_t device_of_row_ = kNoColumn;
  std::int32_t device_ = 0;
};

}  // namespace strobe::readers
