// Any bytes as the content of a rank's digest, and a good one with any edits: reading ends, what is
// read can be written and read again, and a job can be made of it together with a good rank.
//
// The first byte of an input chooses. 0: the rest is the content. Else the rest is edits of four
// bytes each: where (2), what (1), how (1).
#include <cstdint>
#include <string>
#include <vector>

#include "strobe/fleet/digest/digest_file.h"
#include "strobe/fleet/waits/make_job.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

const std::vector<RankDigest>& good_ranks() {
  static const std::vector<RankDigest> ranks = [] {
    auto digests = planned_job({.ranks = 2, .steps = 2, .calls = 3, .noise_ns = 1000});
    for (RankDigest& digest : digests) {
      digest.host = "node" + std::to_string(digest.rank);
      digest.stage = digest.rank;
      digest.groups.push_back({.name = "pp", .ranks = {0, 1}, .size = 2});
      digest.calls[1].group = 1;
      digest.calls[1].kind = digest.rank == 0 ? ExchangeKind::kSend : ExchangeKind::kReceive;
      digest.calls[1].peer = 1 - digest.rank;
      digest.copy = {{digest.compute[0].end_ns, digest.compute[0].end_ns + 50}};
      digest.input = {digest.compute[2]};
      digest.pipeline = {
          {{.type = OpType::kForwardCompute, .chunk = 0, .global_chunk = digest.rank},
           digest.compute[0].start_ns,
           digest.compute[0]}};
    }
    return digests;
  }();
  return ranks;
}

}  // namespace
}  // namespace strobe::fleet

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strobe::fleet;
  static const std::string good = content_of(good_ranks()[1]);
  if (size == 0 || size > kMostBytes) return 0;
  const std::string content = data[0] == 0
                                  ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                                  : with_edits(good, data + 1, size - 1);
  const auto read = read_content(content);
  if (!read) return 0;
  const auto again = read_content(content_of(*read));
  FUZZ_CHECK(again && *again == *read, "what was read can be written and read again");
  const Job job = make_job(std::vector{good_ranks()[0], *read});
  for (const RankOfJob& rank : job.ranks) {
    for (const RankStep& step : rank.steps) {
      FUZZ_CHECK(step.own_ns() + step.wait_ns + step.transfer_ns == step.end_ns - step.start_ns,
                 "the parts of a step add up");
    }
  }
  return 0;
}
