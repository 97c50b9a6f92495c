// Any bytes as an XPlane profile.
#include "strobe/readers/xplane/xplane_reader.h"
#include "tests/fuzz/profile_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strobe::fuzz::read_as(strobe::readers::kXplane, data, size);
  return 0;
}
