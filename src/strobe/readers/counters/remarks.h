#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

namespace strobe::readers {

// A position: the number of the row below the header, and the line of the file.
struct Place {
  std::size_t row = 0;
  std::size_t line = 0;  // 0: the file has no lines
};

// Problems that several formats share.
inline constexpr std::string_view kNoDuration = "the launch has no duration; left out";
inline constexpr std::string_view kNotValid = "is not a valid value";
inline constexpr std::string_view kUnclosedQuote = "opens a quote and does not close it; left out";

// Problems of a table: per column and kind of problem the first place and how many more there are,
// so that a completely wrong file is not reported line by line.
class Remarks {
 public:
  // "row 17 (line 21), 'DRAM': 'abc' is not a number"
  void add(const Place& place, std::string_view column, std::string_view text,
           std::string_view trouble);
  // About a whole row: "row 17 (line 21): ends before its last column; left out"
  void add(const Place& place, std::string_view trouble) { add(place, {}, {}, trouble); }
  // About the whole file.
  void add_once(std::string remark);

  void write_to(std::vector<std::string>& remarks) const;

 private:
  struct Entry {
    std::string first;
    std::size_t count = 0;
  };
  std::vector<std::string> once_;
  std::map<std::string, Entry> entries_;  // by column and trouble
  std::vector<const Entry*> order_;
  std::string key_;
};

// "row 17 (line 21), 'DRAM'"
std::string place_text(const Place& place, std::string_view column);

// The whole file is in another notation: 0,37 instead of 0.37.
Error decimal_comma(const Place& place, std::string_view column, std::string_view text);

}  // namespace strobe::readers
