#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::readers {

// Where something stands: the number of the row below the header, and the line of the file.
struct Place {
  std::size_t row = 0;
  std::size_t line = 0;  // 0: the file has no lines
};

// What was wrong with a table: per column and kind of trouble the first place and how many more
// there are, so that a file that is all wrong is not told line by line.
class Remarks {
 public:
  // "row 17 (line 21), 'DRAM': 'abc' is not a number"
  void add(const Place& place, std::string_view column, std::string_view text,
           std::string_view trouble);
  // Of the row as a whole: "row 17 (line 21): ends before its last column; left out"
  void add(const Place& place, std::string_view trouble) { add(place, {}, {}, trouble); }
  // Of the file as a whole.
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
