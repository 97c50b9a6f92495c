#include "strobe/readers/sniff.h"

#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kSmallTrace =
    R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2}]})";

TEST(SniffTest, traces_are_recognised_whatever_stands_around_the_events) {
  EXPECT_TRUE(looks_like_trace(kSmallTrace));
  EXPECT_TRUE(looks_like_trace(R"([{"name": "a", "ph": "X", "ts": 1, "dur": 2}])"));
  EXPECT_TRUE(looks_like_trace(R"( [ {"ph": "M", "name": "process_name"} )"));
  EXPECT_TRUE(looks_like_trace(R"({"traceEvents": []})"));
  EXPECT_TRUE(looks_like_trace(pack_gzip(kSmallTrace)));
}

TEST(SniffTest, a_beginning_is_enough) {
  EXPECT_TRUE(looks_like_trace(kSmallTrace.substr(0, 40)));
  std::string numbers(R"({"traceEvents": [{"ph": "X", "ts": 1})");
  for (int i = 0; i < 200'000; ++i) numbers += R"(,{"ph": "X", "ts": )" + std::to_string(i) + "}";
  EXPECT_TRUE(looks_like_trace(std::string_view(numbers).substr(0, kSniffBytes)));
  const std::string packed = pack_gzip(numbers);
  EXPECT_TRUE(looks_like_trace(std::string_view(packed).substr(0, packed.size() / 2)));
}

TEST(SniffTest, other_json_is_no_trace) {
  EXPECT_FALSE(looks_like_trace(R"({"name": "web", "dependencies": {"traceEvents": "1.0"}})"));
  EXPECT_FALSE(looks_like_trace(R"({"traceEvents": "none"})"));
  EXPECT_FALSE(looks_like_trace(R"([1, 2, 3])"));
  EXPECT_FALSE(looks_like_trace(R"([{"name": "a", "value": 1}])"));
  EXPECT_FALSE(looks_like_trace("[]"));
  EXPECT_FALSE(looks_like_trace("{}"));
}

TEST(SniffTest, other_files_are_no_traces) {
  EXPECT_FALSE(looks_like_trace(""));
  EXPECT_FALSE(looks_like_trace("hello"));
  EXPECT_FALSE(
      looks_like_trace(std::string_view("\x7f"
                                        "ELF\0\0\0\0",
                                        8)));
  EXPECT_FALSE(looks_like_trace(std::string_view("\x1f\x8b\x08", 3)));
}

TEST(SniffTest, a_bomb_is_not_unfolded) {
  EXPECT_FALSE(looks_like_trace(pack_gzip("{" + std::string(32 << 20, ' '))));
}

}  // namespace
}  // namespace strobe::readers
