#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>
#ifdef STROBE_HAVE_ISAL
#include <isa-l.h>
#endif

#include "strobe/device/probe.h"

namespace strobe::device {

std::vector<Engine> compression_engines() {
  std::vector<Engine> engines;
#ifdef STROBE_HAVE_ISAL
  engines.push_back(
      {"isa-l", fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION),
       "reads .gz"});
  engines.push_back({"zlib", zlibVersion(), "spare reader for .gz"});
#else
  engines.push_back({"zlib", zlibVersion(), "reads .gz"});
#endif
  engines.push_back({"zstd", ZSTD_versionString(), "reads .zst"});
  return engines;
}

}  // namespace strobe::device
