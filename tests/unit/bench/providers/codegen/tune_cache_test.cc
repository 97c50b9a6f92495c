#include "strobe/bench/providers/codegen/tune_cache.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using strobe::testing::bytes_of;
using strobe::testing::FullDisk;
using strobe::testing::put_bytes;
using strobe::testing::TemporaryFolder;

const TuneMachine kMachine = {"sm_90", "NVIDIA H200", "580.95", "NVRTC 13.0"};
const std::string kKey = "0123456789abcdef0123456789abcdef";

TuneEntry entry() {
  return {"row-registers 256x16B", "strobe_softmax_x", 0, 41.5, {'c', 'o', '\0', 'e'}};
}

std::vector<KernelProgram> candidates(const std::string& source) {
  KernelProgram program;
  program.label = "row-registers 256x16B";
  program.kernels.emplace_back();
  program.kernels.back().name = "strobe_softmax_x";
  program.kernels.back().source = source;
  return {program};
}

std::string key_of(std::int64_t rows, std::int64_t columns, DType dtype = DType::kF32,
                   const TuneMachine& machine = kMachine, const std::string& source = "s") {
  return tune_key(machine, {{rows, columns}}, dtype, TuneState::kCold, candidates(source));
}

TEST(TuneCache, what_was_stored_is_found) {
  const TemporaryFolder folder;
  const TuneCache cache(folder / "new" / "deep");
  EXPECT_FALSE(cache.find(kKey).has_value());
  ASSERT_TRUE(cache.store(kKey, entry()));
  EXPECT_EQ(cache.find(kKey), entry());
  EXPECT_EQ(find_candidate(entry(), candidates("s")), 0u);
}

TEST(TuneCache, nothing_unfinished_stays_in_the_folder) {
  const TemporaryFolder folder;
  const TuneCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, entry()));
  ASSERT_TRUE(cache.store(kKey, entry()));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 2u);
}

TEST(TuneCache, a_damaged_entry_is_none_and_is_written_over) {
  const TemporaryFolder folder;
  const TuneCache cache(folder.path());
  for (const std::string& name : {kKey + ".cubin", kKey + ".json"}) {
    ASSERT_TRUE(cache.store(kKey, entry()));
    const std::string whole = bytes_of(folder / name);
    for (const std::string& damaged :
         {whole.substr(0, whole.size() / 2), std::string(), whole + "{"}) {
      put_bytes(folder / name, damaged);
      EXPECT_FALSE(cache.find(kKey).has_value()) << name << " of " << damaged.size();
    }
    ASSERT_TRUE(cache.store(kKey, entry()));
    EXPECT_EQ(cache.find(kKey), entry());
  }
}

TEST(TuneCache, an_entry_under_another_key_is_none) {
  const TemporaryFolder folder;
  const TuneCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, entry()));
  const std::string other(32, 'f');
  for (const char* end : {".json", ".cubin"}) {
    std::filesystem::copy(folder / (kKey + end), folder / (other + end));
  }
  EXPECT_FALSE(cache.find(other).has_value());
}

TEST(TuneCache, a_folder_that_cannot_be_made_keeps_nothing) {
  const TemporaryFolder folder;
  put_bytes(folder / "file", "x");
  const TuneCache cache(folder / "file");
  const Result<void> kept = cache.store(kKey, entry());
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::kCannotWrite);
  EXPECT_EQ(kept.error().where, (folder / "file").string());
  EXPECT_EQ(kept.error().what, "Not a directory");
  EXPECT_FALSE(cache.find(kKey).has_value());
}

TEST(TuneCache, a_full_disk_keeps_nothing_and_leaves_nothing_behind) {
  const TemporaryFolder folder;
  const TuneCache cache(folder.path());
  const Result<void> kept = [&] {
    const FullDisk full;
    return cache.store(kKey, entry());
  }();
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().what, "File too large");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ASSERT_TRUE(cache.store(kKey, entry()));
}

TEST(TuneCache, a_program_that_is_no_candidate_any_more_is_not_found_among_them) {
  TuneEntry gone = entry();
  gone.kernel = "strobe_softmax_y";
  EXPECT_FALSE(find_candidate(gone, candidates("s")).has_value());
  gone = entry();
  gone.candidate = 1;
  EXPECT_FALSE(find_candidate(gone, candidates("s")).has_value());
}

// Names do not contain all constants of a source, but the index is unique.
TEST(TuneCache, of_two_candidates_with_one_name_the_one_is_found_that_won) {
  std::vector<KernelProgram> two = candidates("a");
  two.push_back(candidates("b").front());
  TuneEntry second = entry();
  second.candidate = 1;
  EXPECT_EQ(find_candidate(second, two), 1u);
}

TEST(TuneCache, a_kernel_without_a_choice_is_kept_by_its_source) {
  const TemporaryFolder folder;
  const TuneCache cache(folder.path());
  const std::string key = code_key(kMachine, "a kernel");
  EXPECT_NE(key, code_key(kMachine, "another kernel"));
  const TuneEntry code = {"", "strobe_flush", 0, 0, {'c'}};
  ASSERT_TRUE(cache.store(key, code));
  EXPECT_EQ(cache.find(key), code);
}

TEST(TuneKey, rows_count_by_their_power_of_two) {
  EXPECT_EQ(bucket_of(1), 1);
  EXPECT_EQ(bucket_of(1025), 2048);
  EXPECT_EQ(key_of(1025, 128), key_of(2048, 128));
  EXPECT_NE(key_of(1024, 128), key_of(1025, 128));
}

TEST(TuneKey, columns_are_exact_up_to_8192) {
  EXPECT_NE(key_of(128, 8188), key_of(128, 8192));
  EXPECT_EQ(key_of(128, 10000), key_of(128, 16384));
}

TEST(TuneKey, alignment_counts_where_the_bucket_is_the_same) {
  EXPECT_NE(key_of(128, 10001), key_of(128, 10004));
  EXPECT_NE(key_of(128, 10004, DType::kF16), key_of(128, 10008, DType::kF16));
}

TEST(TuneKey, everything_that_made_the_code_is_in_it) {
  const std::string key = key_of(128, 128);
  EXPECT_EQ(key.size(), 32u);
  EXPECT_NE(key, key_of(128, 128, DType::kBf16));
  EXPECT_NE(key, tune_key(kMachine, {{128, 128}}, DType::kF32, TuneState::kHot, candidates("s")));
  EXPECT_NE(key, key_of(128, 128, DType::kF32, kMachine, "other source"));
  for (std::string TuneMachine::*part : {&TuneMachine::architecture, &TuneMachine::device,
                                         &TuneMachine::driver, &TuneMachine::compiler}) {
    TuneMachine other = kMachine;
    other.*part += "x";
    EXPECT_NE(key, key_of(128, 128, DType::kF32, other));
  }
}

}  // namespace
}  // namespace strobe::bench
