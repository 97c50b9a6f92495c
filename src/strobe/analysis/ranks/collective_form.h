#pragma once

#include <cstdint>
#include <string_view>

// How a trace shows that its rank takes part in a collective.
namespace strobe::analysis {

// The best evidence first. One collective may be shown in several forms at once: an operator opens
// the range of a library, which launches a kernel. So only one form may be added up.
enum class CollectiveForm : std::uint8_t {
  kExchange,  // from the rank's arrival to the end: a kernel, or a library that works on the host
  kLibraryCall,  // a call into a library of a device: it may return before the exchange begins
  kOperator,     // likewise, of the framework
  kParameters,   // the framework's note about such an operator, inside of it
  kNone,
};

// Of a range or an operator of the host, by its name.
CollectiveForm host_collective_form(std::string_view name, bool is_operator);

}  // namespace strobe::analysis
