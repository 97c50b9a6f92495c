#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/fleet/digest/exchange_kind.h"
#include "strobe/fleet/digest/pipeline_operation.h"
#include "strobe/trace/trace.h"

// One rank's trace, reduced to what a job's analysis needs: its steps, its exchanges with other
// ranks, and when it worked itself. All times are wall clock, by the rank's own clock.
namespace strobe::fleet {

// Who takes part in an exchange, as the trace says it.
struct RankGroup {
  std::string name = {};                 // the same on all ranks; "": not known
  std::string purpose = {};              // in the framework's words: "default_pg"
  std::vector<std::int32_t> ranks = {};  // in their order; empty: not known
  std::uint32_t size = 0;                // 0: not known
  // Groups about which the trace says no more than this are told apart by their first call: 0, 1...
  std::uint32_t place = 0;

  auto operator<=>(const RankGroup&) const = default;
};

// "default_pg: 8 ranks", "tp: ranks 0, 2", "8 ranks".
std::string label_of(const RankGroup& group);

inline constexpr std::int64_t kNoSequence = -1;
inline constexpr std::int32_t kNoPeer = -1;

struct ExchangeCall {
  Interval interval;          // from the rank's arrival to the end
  std::uint32_t group = 0;    // in RankDigest::groups
  std::uint32_t element = 0;  // in RankDigest::elements
  ExchangeKind kind = ExchangeKind::kOther;
  bool on_host = false;
  std::int64_t sequence = kNoSequence;  // within its group
  std::int32_t peer = kNoPeer;          // of one that is sent or received: a rank of the job
  // As the public benchmarks count them: the larger one of what a rank gives and gets. 0: not
  // known.
  std::uint64_t bytes = 0;

  bool operator==(const ExchangeCall&) const = default;
};

struct DigestStep {
  std::string name;  // "" if the whole trace is one
  Interval interval;
  std::uint64_t kernels = 0;  // computes that start in it

  bool operator==(const DigestStep&) const = default;
};

struct RankDigest {
  std::int32_t rank = 0;
  std::string file;
  std::string host;                   // empty: not known
  std::string fingerprint;            // of the file's content; empty: not known
  std::string damage;                 // what was lost while the file was read, in a sentence
  std::optional<std::int32_t> stage;  // of a pipeline

  std::vector<DigestStep> steps;  // by start, disjoint; at least one
  bool steps_are_found = false;   // the trace marks none: these are its cycles
  std::vector<RankGroup> groups;
  std::vector<std::string> elements;  // their types, as the framework writes them; "": not known
  std::vector<ExchangeCall> calls;    // by start
  // Of its steps. Where several hold at once: compute > copy > exchange > input, else the host.
  IntervalSet compute;
  IntervalSet copy;
  IntervalSet input;
  IntervalSet operators;  // of the host, while its device neither computes nor copies
  std::vector<PipelineOperation> pipeline;  // where ranges name the operations of a pipeline

  bool operator==(const RankDigest&) const = default;
};

struct Provenance {
  std::string file;
  std::string host;  // empty: what the trace says, or the name that the framework gave its file
  std::string fingerprint;
  std::string damage = {};
};

RankDigest make_rank_digest(const Trace& trace, std::int32_t rank, const Provenance& provenance);

// Where the rank's trace lies. Frameworks write the host into its name.
void set_file(RankDigest& digest, std::string file);

// The slices of RankDigest::calls, parallel to them.
std::vector<SliceId> slices_of_calls(const Trace& trace);

}  // namespace strobe::fleet
