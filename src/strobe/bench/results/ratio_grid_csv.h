#pragma once

#include <string>
#include <string_view>
#include <vector>

// Lines and fields of the tables that other harnesses left.
namespace strobe::bench {

// The line at the front, which is taken off; without its line end, and without the mark that some
// programs put before the first.
std::string_view take_csv_line(std::string_view& left);
// A record is a line: no field of these tables holds a line end.
std::vector<std::string> csv_fields(std::string_view line);
// A field as a message shows it: "'abc...'".
std::string quoted_field(std::string_view text);

}  // namespace strobe::bench
