#include <gmock/gmock.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

TEST(ProbeLibraryTest, asking_for_any_library_is_safe) {
  for (const Library library : {Library::kCudaDriver, Library::kNvml, Library::kCupti,
                                Library::kNvrtc, Library::kCublasLt, Library::kCudnn}) {
    const auto found = probe_library(library);
    EXPECT_TRUE(!found || !found->path.empty());
  }
}

}  // namespace
}  // namespace strobe::device
