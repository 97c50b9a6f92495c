// What a job of many ranks costs, stage by stage: the real ranks of RUN are loaded and become
// digests, which are repeated to RANKS, unpacked, merged and judged.
//
//     merge_job RUN [RANKS]
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/fleet/digest/digest_file.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/readers/run_reader.h"

namespace {

using strobe::fleet::RankDigest;

constexpr std::size_t kPerHost = 8;

double now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// The ranks of a host form the groups of the recording; every eighth call is one of the ranks of
// equal place on all hosts, which ties the hosts together.
RankDigest as_rank(RankDigest digest, std::size_t rank, std::size_t ranks) {
  digest.rank = static_cast<std::int32_t>(rank);
  digest.file = fmt::format("rank{}", rank);
  digest.host = fmt::format("host{}", rank / kPerHost);
  for (auto& group : digest.groups) group.name = fmt::format("host {}", rank / kPerHost);
  digest.groups.push_back({.name = fmt::format("place {}", rank % kPerHost),
                           .purpose = {},
                           .ranks = {},
                           .size = static_cast<std::uint32_t>(ranks / kPerHost)});
  const auto over_hosts = static_cast<std::uint32_t>(digest.groups.size() - 1);
  for (std::size_t call = 0; call < digest.calls.size(); call += kPerHost) {
    digest.calls[call].group = over_hosts;
  }
  return digest;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() < 2) {
    std::fputs("merge_job RUN [RANKS]\n", stderr);
    return 2;
  }
  const std::size_t ranks =
      arguments.size() > 2 ? static_cast<std::size_t>(std::atoi(arguments[2])) : 4096;
  const double start_s = now_s();
  strobe::readers::LoadOptions options;
  options.threads = 1;
  const auto run = strobe::readers::read_run(arguments[1], options, {});
  if (!run) {
    std::fprintf(stderr, "merge_job: %s\n", run.error().what.c_str());
    return 3;
  }
  const double loaded_s = now_s();
  std::vector<RankDigest> real;
  std::size_t real_bytes = 0;
  for (const auto& rank : run->ranks) {
    real.push_back(strobe::fleet::make_rank_digest(*rank.trace, rank.rank, {}));
    const auto packed = strobe::fleet::pack_rank_digest(real.back());
    if (packed) real_bytes += packed->size();
  }
  const double digested_s = now_s();
  std::vector<std::string> packed;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto bytes = strobe::fleet::pack_rank_digest(as_rank(real[rank % real.size()], rank, ranks));
    if (bytes) packed.push_back(std::move(*bytes));
  }

  const double merge_start_s = now_s();
  std::vector<RankDigest> digests;
  for (const std::string& bytes : packed) {
    auto digest = strobe::fleet::unpack_rank_digest(bytes);
    if (digest) digests.push_back(std::move(*digest));
  }
  const double unpacked_s = now_s();
  const strobe::fleet::Job job = strobe::fleet::make_job(digests);
  const double made_s = now_s();
  const std::size_t found = strobe::fleet::find_stragglers(job).size();
  const double judged_s = now_s();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);

  fmt::print(
      "{} real ranks: load {:.3f} s, digest and pack {:.3f} s (loading is {:.0f} % of both), "
      "{:.1f} kB each\n",
      real.size(), loaded_s - start_s, digested_s - loaded_s,
      100 * (loaded_s - start_s) / (digested_s - start_s),
      static_cast<double>(real_bytes) / 1e3 / static_cast<double>(real.size()));
  fmt::print(
      "{} ranks: unpack {:.2f} s, merge {:.2f} s, judge {:.2f} s, peak {:.0f} MB, {} found\n",
      digests.size(), unpacked_s - merge_start_s, made_s - unpacked_s, judged_s - made_s,
      static_cast<double>(usage.ru_maxrss) / 1e3, found);
  return digests.size() == ranks ? 0 : 1;
}
