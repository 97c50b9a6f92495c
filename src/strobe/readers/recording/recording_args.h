#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/recording/recording_names.h"

// The arguments of recorded slices, as the JSON objects that Kineto would have written.
namespace strobe::readers {

std::string kernel_args(const ShapeDefinition& kernel);
std::string copy_args(const ShapeDefinition& copy, std::uint64_t bytes);
std::string call_args(std::uint64_t result);
std::string sync_args(std::uint64_t context, std::uint64_t stream);
std::string allocation_args(std::string_view place, std::uint64_t bytes, std::uint64_t address);

// What a range has besides its name and times.
struct RangeDetails {
  std::string_view domain = {};
  std::string_view category = {};
  wire::PayloadType payload_type = wire::PayloadType::kNone;
  std::uint64_t payload = 0;           // its 64 bits
  std::string_view payload_text = {};  // instead of a number
};
// Replaces the text; it stays empty if there is nothing to tell.
void write_range_args(const RecordedName& name, const RangeDetails& details, std::string& text);

}  // namespace strobe::readers
