#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/rank_digest.h"

// A rank's digest as a small file. Nothing is rounded: what is read is what was written.
namespace strobe::fleet {

// kUnsupported if the rank has too many steps, exchanges and kernels for a digest, or a time that
// no trace can have.
Result<std::string> pack_rank_digest(const RankDigest& digest);

bool begins_like_rank_digest(std::string_view first_bytes);

// kMalformed if the bytes are damaged, or of another version.
Result<RankDigest> unpack_rank_digest(std::string_view bytes);
Result<RankDigest> read_rank_digest(const std::string& path);

// The content without magic, packing and checksum.
std::string content_of(const RankDigest& digest);
Result<RankDigest> read_content(std::string_view content);

}  // namespace strobe::fleet
