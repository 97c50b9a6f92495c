#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/fleet/digest/rank_digest.h"

// Which calls of different ranks are one exchange.
//
// Calls of one group meet by their sequence number where the trace has it; else the n-th of a
// group, kind and size on one rank meets the n-th of them on the others. What is sent to a rank
// meets what that rank receives, in order.
//
// Groups of different ranks are one if what their traces say of them is the same.
namespace strobe::fleet {

// One rank's part in an exchange.
struct Part {
  std::uint32_t rank = 0;  // position in the digests
  std::uint32_t call = 0;  // position in its calls

  bool operator==(const Part&) const = default;
};

struct MatchedExchange {
  std::uint32_t group = 0;  // in Matching::groups
  ExchangeKind kind = ExchangeKind::kOther;
  bool on_host = false;
  std::uint64_t bytes = 0;     // the most that a rank gives
  std::size_t first_part = 0;  // in Matching::parts
  std::size_t part_count = 0;  // one per rank, by rank
};

// Why calls do not match, worst first.
enum class MismatchKind : std::uint8_t {
  kOtherOrder,    // a rank makes other calls at that place than the others: the job is out of step
  kOtherSize,     // the same call with another number of bytes
  kMissing,       // a rank of the group does not make the call, though it makes later ones
  kOtherCount,    // without sequence numbers: ranks make the call a different number of times
  kNoTrace,       // a rank of the group has no trace
  kNotRecorded,   // the trace of a rank begins after the call, or ends before it
  kUnknownPeer,   // whom a rank sends to, or receives from, is not known
  kUnknownGroup,  // the group has more ranks than its size: which of them belong together is not
                  // known
};
std::string_view word_of(MismatchKind kind);  // "other order"

// Calls of one group that do not match for one reason.
struct Mismatch {
  MismatchKind kind = MismatchKind::kMissing;
  std::string group;                          // label_of
  std::string exchange;                       // word_of(ExchangeKind)
  std::vector<std::int32_t> ranks;            // those that differ, ascending
  std::uint64_t calls = 0;                    // exchanges that are concerned
  std::int64_t first_sequence = kNoSequence;  // the first of them, where it has a number
  std::string
      first;  // what the first of them is there: "all_gather of 64 B, not all_reduce of 4 B"

  bool operator==(const Mismatch&) const = default;
};

struct Matching {
  std::vector<RankGroup> groups;           // ascending
  std::vector<std::size_t> group_ranks;    // per group: ranks that have calls in it
  std::vector<MatchedExchange> exchanges;  // by group, then sequence or order
  std::vector<Part> parts;
  std::vector<Mismatch> mismatches;  // worst first
  std::uint64_t unmatched_calls = 0;

  std::span<const Part> parts_of(const MatchedExchange& exchange) const {
    return std::span(parts).subspan(exchange.first_part, exchange.part_count);
  }
};

// `digests` by rank.
Matching match_exchanges(std::span<const RankDigest* const> digests);

}  // namespace strobe::fleet
