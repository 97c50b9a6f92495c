// Any bytes as a compressed file: decompression ends, never grows without bounds, and gives the
// same text for any size of the reader's buffer. The first byte of the input chooses that size.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

constexpr std::size_t kMostUnpackedBytes = 1 << 20;

struct Unpacked {
  std::string text;
  bool damaged = false;
  bool whole = false;  // the end was reached
};

Unpacked unpack(std::string_view packed, std::size_t buffer_bytes) {
  Unpacked result;
  auto stream = strobe::open_stream(packed);
  if (!stream) {
    result.damaged = true;
    return result;
  }
  std::vector<char> buffer(buffer_bytes);
  while (result.text.size() < kMostUnpackedBytes) {
    const auto got = (*stream)->read(buffer);
    if (!got) {
      result.damaged = true;
      FUZZ_CHECK(!(*stream)->read(buffer).has_value(), "a damage repeats itself");
      return result;
    }
    FUZZ_CHECK(*got <= buffer.size(), "no more than asked for");
    FUZZ_CHECK((*stream)->consumed_bytes() <= packed.size(), "no more than there is");
    if (*got == 0) {
      result.whole = true;
      const auto again = (*stream)->read(buffer);
      FUZZ_CHECK(again.has_value() && *again == 0, "the end repeats itself");
      return result;
    }
    result.text.append(buffer.data(), *got);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t small_bytes = 1 + data[0] % 61;
  const std::string_view packed(reinterpret_cast<const char*>(data + 1), size - 1);
  Unpacked in_small = unpack(packed, small_bytes);
  Unpacked in_large = unpack(packed, 64 * 1024);
  const std::size_t both = std::min(in_small.text.size(), in_large.text.size());
  FUZZ_CHECK(in_small.text.compare(0, both, in_large.text, 0, both) == 0, "one text");
  // The number of bytes before damage depends on how far the engine had written ahead; whether
  // there is damage does not, nor does the length of a complete text.
  if (in_small.text.size() >= kMostUnpackedBytes || in_large.text.size() >= kMostUnpackedBytes)
    return 0;
  FUZZ_CHECK(in_small.damaged == in_large.damaged && in_small.whole == in_large.whole,
             "one ending");
  if (in_small.whole) FUZZ_CHECK(in_small.text == in_large.text, "a whole text is one text");
  return 0;
}
