#include "strobe/fleet/digest/digest_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/job_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::HasSubstr;

RankDigest full_digest() {
  RankDigest digest = planned_job({.ranks = 3, .noise_ns = 5000})[1];
  digest.host = "node7";
  digest.fingerprint = "0123456789abcdef";
  digest.damage = "the file ends in the middle";
  digest.stage = 2;
  digest.groups.push_back(
      {.name = "x", .purpose = "pp", .ranks = {0, 4, 8}, .size = 3, .place = 1});
  digest.elements.push_back("");
  digest.calls[1].group = 1;
  digest.calls[1].kind = ExchangeKind::kReceive;
  digest.calls[1].peer = 0;
  digest.calls[1].sequence = kNoSequence;
  digest.calls[2].on_host = true;
  digest.calls[2].element = 1;
  digest.copy = {{digest.compute[0].end_ns, digest.compute[0].end_ns + 77}};
  digest.input = {digest.compute[3]};
  digest.operators = {digest.compute[4]};
  const Interval called = digest.compute[1];
  digest.pipeline = {{{.type = OpType::kForwardRecv}, called.start_ns, called},
                     {{.type = OpType::kOptimizer, .chunk = 1, .global_chunk = 5},
                      called.end_ns,
                      {called.end_ns - 3, called.end_ns + 8}}};
  return digest;
}

TEST(DigestFileTest, what_is_written_is_read) {
  const RankDigest digest = full_digest();
  const auto packed = pack_rank_digest(digest);
  ASSERT_TRUE(packed);
  EXPECT_TRUE(begins_like_rank_digest(*packed));
  const auto read = unpack_rank_digest(*packed);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, digest);
}

TEST(DigestFileTest, twenty_steps_of_many_kernels_fit_into_a_mebibyte) {
  RankDigest digest = planned_job({.ranks = 2, .steps = 20, .calls = 100})[0];
  digest.compute.clear();
  stats::Dice dice(3);
  std::int64_t now_ns = digest.steps.front().interval.start_ns;
  for (int kernel = 0; kernel < 100'000; ++kernel) {
    const auto gap_ns = static_cast<std::int64_t>(500 + dice.below(1500));
    const auto length_ns = static_cast<std::int64_t>(2000 + dice.below(30'000));
    digest.compute.push_back({now_ns + gap_ns, now_ns + gap_ns + length_ns});
    now_ns = digest.compute.back().end_ns;
  }
  const auto packed = pack_rank_digest(digest);
  ASSERT_TRUE(packed);
  EXPECT_LE(packed->size(), 1u << 20);
}

TEST(DigestFileTest, a_cut_file_is_called_damaged_wherever_it_was_cut) {
  const std::string packed = *pack_rank_digest(full_digest());
  for (std::size_t bytes = 0; bytes < packed.size(); ++bytes) {
    const auto read = unpack_rank_digest(std::string_view(packed).substr(0, bytes));
    ASSERT_FALSE(read) << bytes;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
  }
}

TEST(DigestFileTest, a_changed_byte_is_found_or_changes_nothing) {
  const RankDigest digest = full_digest();
  const std::string packed = *pack_rank_digest(digest);
  std::size_t found = 0;
  for (std::size_t byte = 0; byte < packed.size(); ++byte) {
    std::string damaged = packed;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0x10);
    const auto read = unpack_rank_digest(damaged);
    EXPECT_TRUE(!read || *read == digest) << byte;
    found += read ? 0 : 1;
  }
  EXPECT_GE(found, packed.size() - 2) << "zstd leaves bits of its header unused";
}

TEST(DigestFileTest, another_version_is_named) {
  std::string packed = *pack_rank_digest(full_digest());
  packed[14] = '9';
  const auto read = unpack_rank_digest(packed);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("another version"));
  EXPECT_THAT(unpack_rank_digest("{}").error().what, HasSubstr("no digest"));
}

TEST(DigestFileTest, times_that_are_years_apart_are_refused) {
  RankDigest digest = full_digest();
  digest.calls.back().interval.end_ns += std::int64_t{1} << 57;
  const auto packed = pack_rank_digest(digest);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace strobe::fleet
