#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/trace/trace.h"

// From the traces of a job to its ranks: which trace is which rank.
namespace strobe::fleet {

inline constexpr std::int32_t kNoRank = -1;  // the trace does not say it

// The digest of a trace, without its place: that is another one if the file is moved. Its rank is
// what the trace says. `where` is the trace's name in errors, `damage` what was lost while it was
// read.
Result<RankDigest> digest_of(const Trace& trace, const std::string& where,
                             const std::string& damage);

struct DigestedFile {
  std::optional<std::int32_t> named;  // the rank that the file's name tells
  Result<RankDigest> digest;
};

// What is left of a job's traces: small, whatever their number.
struct JobDigests {
  std::vector<RankDigest> digests;  // by rank
  std::vector<Error> unreadable;    // files, in their order
};

// The names number the ranks if all of them do so and differ; else the traces do. An error if a
// rank is not known, or has two traces; `job` is its name.
Result<JobDigests> number_ranks(std::vector<DigestedFile> files, const std::string& job);

// One rank is no job.
Error only_one_rank(std::string where, std::string hint);

// What a user can do, in the words of the program that asks.
struct CompletenessHints {
  std::string_view allow_missing;  // as it stands before a number
  std::string one_rank;            // where one rank is explained
};

// An error if more files than `allow_missing` could not be read, or one rank at most was.
Result<void> check_complete(const JobDigests& found, std::size_t allow_missing,
                            const std::string& job, const CompletenessHints& hints);

}  // namespace strobe::fleet
