#pragma once

#include <string>
#include <string_view>

namespace strobe::test {

// The bytes of a Perfetto trace that is written as text, for the messages that strobe reads. Fails
// the test at a field that it does not know.
std::string perfetto_from_text(std::string_view text);

}  // namespace strobe::test
