#pragma once

#include <cstdint>
#include <string>

// Numbers as a sentence wants them: three digits that matter, and their unit.
namespace strobe::analysis {

std::string time_text(double ns);                                   // "942 ms", "1.86 us"
std::string share_text(double share);                               // "9.6 %"
std::string count_text(std::uint64_t count);                        // "69,960"
std::string counted(std::uint64_t count, const std::string& noun);  // "1 call", "69,960 calls"
std::string bytes_text(std::int64_t bytes);                         // "131 GiB"
std::string times_text(double factor);                              // "1.8 times"
std::string place_text(const std::string& place);                   // "gpu:0" of "Place(gpu:0)"

// A name that fits into a sentence: a long one of code loses its namespaces and what stands in
// angle brackets before it is cut.
std::string short_name(const std::string& name);

}  // namespace strobe::analysis
