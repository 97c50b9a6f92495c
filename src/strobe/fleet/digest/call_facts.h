#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the arguments of slices say about one collective: those of its kernel, of the library's
// range that launched it, and of the framework's note around that.
namespace strobe::fleet {

struct CallFacts {
  std::string collective;  // "allreduce", "" where nothing says it
  std::string group;       // its name in the whole job
  std::string own_group;   // its number in this process: another rank's is another
  std::string group_purpose;
  std::vector<std::int32_t> group_ranks;  // in their order
  std::optional<std::uint32_t> group_size;
  std::optional<std::int64_t> sequence;
  std::optional<std::int32_t> source;  // of what one rank sends to another
  std::optional<std::int32_t> destination;
  std::string element_type;
  // Of this rank: what it gives, and what it gets.
  std::optional<std::uint64_t> in_elements;
  std::optional<std::uint64_t> out_elements;
};

enum class FactSource : std::uint8_t {
  kKernel,        // arguments say everything, or nothing
  kLibraryRange,  // its inputs are the buffers
  kNote,          // its inputs are the framework's numbers: sequence, group, ..., size of the group
};

// Adds what is not known yet, so the best source comes first.
void add_facts(std::string_view arguments, FactSource source, CallFacts& facts);

}  // namespace strobe::fleet
