#include <gmock/gmock.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

TEST(ProbeCompressionTest, gzip_and_zstd_can_always_be_read) {
  bool gzip = false;
  bool zstd = false;
  for (const Engine& engine : compression_engines()) {
    gzip = gzip || engine.job.find(".gz") != std::string::npos;
    zstd = zstd || engine.job.find(".zst") != std::string::npos;
  }
  EXPECT_TRUE(gzip && zstd);
}

}  // namespace
}  // namespace strobe::device
