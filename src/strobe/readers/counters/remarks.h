#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::readers {

// A position: the number of the row below the header, and the line of the file.
struct Place {
  std::size_t row = 0;
  std::size_t line = 0;  // 0: the file has no lines
};

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

}  // namespace strobe::readers
