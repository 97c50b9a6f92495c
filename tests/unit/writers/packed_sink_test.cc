#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/writers/byte_sink.h"
#include "tests/unit/writers/text_sink.h"

namespace strobe::writers {
namespace {

// Noise in every second byte, so that packing has something to do.
std::string half_random(std::size_t bytes) {
  std::string text(bytes, 'a');
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < bytes; i += 2) {
    state = state * 1664525u + 1013904223u;
    text[i] = static_cast<char>(state >> 24);
  }
  return text;
}

std::string unpacked(std::string_view packed) {
  const auto stream = open_stream(packed).value();
  std::string text;
  for (;;) {
    const std::size_t filled = text.size();
    text.resize(filled + (1 << 20));
    const std::size_t bytes = stream->read({text.data() + filled, 1 << 20}).value();
    text.resize(filled + bytes);
    if (bytes == 0) return text;
  }
}

class PackedSinkTest : public ::testing::TestWithParam<Compression> {};

TEST_P(PackedSinkTest, what_is_written_in_pieces_unpacks_to_the_same_text) {
  for (const std::size_t bytes : {0u, 1u, 1000u, 3'000'000u}) {
    const std::string text = half_random(bytes);
    TextSink::Seen seen;
    const auto sink = pack(std::make_unique<TextSink>(seen), GetParam());
    for (std::size_t at = 0; at < text.size(); at += 70'001) {
      ASSERT_TRUE(sink->write(std::string_view(text).substr(at, 70'001)));
    }
    ASSERT_TRUE(sink->finish());
    EXPECT_TRUE(seen.is_finished);
    EXPECT_EQ(sniff_compression(seen.text), GetParam());
    if (bytes == 0 && GetParam() == Compression::kNone) continue;  // no stream of nothing
    EXPECT_TRUE(unpacked(seen.text) == text) << bytes;
  }
}

TEST_P(PackedSinkTest, an_error_of_the_target_comes_back) {
  TextSink::Seen seen;
  const auto sink = pack(std::make_unique<TextSink>(seen, 1000), GetParam());
  const Result<void> written = sink->write(half_random(1'000'000));
  EXPECT_FALSE(written.has_value() && sink->finish().has_value());
}

INSTANTIATE_TEST_SUITE_P(All, PackedSinkTest,
                         ::testing::Values(Compression::kNone, Compression::kGzip,
                                           Compression::kZstd));

}  // namespace
}  // namespace strobe::writers
