#pragma once

#include <cstdint>
#include <string>

// Numbers as a sentence wants them: three digits that matter, and their unit.
namespace strobe::analysis {

std::string time_text(double ns);                 // "942 ms", "1.86 us"
std::string share_text(double share);             // "9.6 %"
std::string count_text(std::uint64_t count);      // "69,960"
std::string bytes_text(std::int64_t bytes);       // "131 GiB"
std::string times_text(double factor);            // "1.8 times"
std::string short_name(const std::string& name);  // a name that fits into a sentence

}  // namespace strobe::analysis
