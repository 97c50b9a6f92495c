#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/compare/comparison.h"

// A measured run as a small file: what the comparison of two runs needs, and nothing else. Times
// and means are rounded, finely enough that answers stay the same. Not kept are the metrics of
// single functions, on which neither the answer nor a cause depends, and the trace itself.
namespace strobe::compare {

struct DigestLimits {
  // Of each rank: those that take the most time. A remark of the rank says how many were left out.
  std::size_t most_functions = 400;
  std::size_t most_idle_causes = 200;
};

// kUnsupported if the run is too large for a digest.
Result<std::string> pack_digest(const SideFacts& side, const DigestLimits& limits = {});

bool begins_like_digest(std::string_view first_bytes);
inline constexpr std::size_t kDigestMagicBytes = 16;  // that are enough for it

// kMalformed if the bytes are damaged, or of another version.
Result<SideFacts> unpack_digest(std::string_view bytes);
Result<SideFacts> read_digest(const std::string& path);
bool is_digest_file(const std::string& path);

// The content without magic, packing and checksum.
std::string measures_of(const SideFacts& side, const DigestLimits& limits = {});
Result<SideFacts> read_measures(std::string_view content);

}  // namespace strobe::compare
