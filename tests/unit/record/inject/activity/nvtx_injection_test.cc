// A program with the vendor's NVTX in it, and the library as it is injected: what is in the file is
// what the program made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/record/inject/activity/nvtx_written_file.h"

namespace strobe::record {
namespace {

#ifdef STROBE_STUB_FOLDER

using strobe::test::ProcessOutcome;
using wire::PayloadType;
using wire::RangeWhat;

class NvtxInjectionTest : public ::testing::Test {
 protected:
  ProcessOutcome run(const std::vector<std::string>& words) {
    std::vector<std::string> command = {STROBE_STUB_FOLDER "/nvtx_app"};
    command.insert(command.end(), words.begin(), words.end());
    std::vector<std::string> environment = settings_;
    environment.push_back("STROBE_RUN_FOLDER=" + folder_.path().string());
    environment.push_back(
        "ASAN_OPTIONS=detect_leaks=0");  // a forked child leaves all to its parent
    environment.push_back("NVTX_INJECTION64_PATH=" STROBE_STUB_FOLDER "/../libstrobe_inject.so");
    return test::run_process(
        {.command = command, .folder = folder_.path().string(), .environment = environment});
  }
  WrittenFile written() {
    const auto names = testing::names_in(folder_.path());
    EXPECT_EQ(names.size(), 1u);
    return names.empty() ? WrittenFile{} : read_written(folder_ / *names.begin());
  }

  testing::TemporaryFolder folder_;
  std::vector<std::string> settings_;
};

TEST_F(NvtxInjectionTest, ranges_payloads_and_levels_are_those_of_the_program) {
  const ProcessOutcome outcome = run({"nested"});
  EXPECT_EQ(outcome.out, "nested: 0 1 1 1 2 2 1 0\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.exit_code, 0);
  const WrittenFile file = written();
  EXPECT_EQ(file.counts(),
            (std::map<std::string, int>{{"step", 1}, {"load", 1}, {"forward", 1}, {"loss", 1}}));
  EXPECT_EQ(file.only("step").payload_type, PayloadType::kUnsigned);
  EXPECT_EQ(file.only("step").payload, 17u);
  EXPECT_EQ(file.only("load").payload, static_cast<std::uint64_t>(-3));
  EXPECT_EQ(file.only("loss").payload, std::bit_cast<std::uint64_t>(0.25));
  EXPECT_LE(file.only("step").start_ns, file.only("load").start_ns);
  EXPECT_EQ(file.facts.at("finished"), "1");
}

TEST_F(NvtxInjectionTest, every_range_of_every_thread_is_there_once) {
  run({"threads=5", "loop=20000"});
  const WrittenFile file = written();
  std::map<std::string, int> expected = {
      {"inner", 500}, {"left open by a thread", 5}, {"forward pass", 20'000}};
  for (int i = 0; i < 5; ++i) expected["thread " + std::to_string(i)] = 100;
  EXPECT_EQ(file.counts(), expected);
  EXPECT_EQ(file.damaged, 0u);
}

TEST_F(NvtxInjectionTest, domains_texts_and_names_are_those_of_the_program) {
  EXPECT_EQ(run({"domains", "texts", "marks", "names", "free"}).out,
            "domains: 0 0 0 0 0\nfree: 1 1\n");
  const WrittenFile file = written();
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{{"read", 3},
                                                       {"in the default domain", 1},
                                                       {"registered", 1},
                                                       {"registered \xCE\xB1", 1},
                                                       {"wide \xCE\xB2 \xF0\x9F\x98\x80", 1},
                                                       {"one place", 2},
                                                       {"another", 1},
                                                       {"mark", 1},
                                                       {"wide mark", 1},
                                                       {"mark with a number", 2},
                                                       {"named late", 2},
                                                       {"never named", 1},
                                                       {"first request", 1},
                                                       {"second request", 1}}));
  EXPECT_EQ(file.only("registered").domain, "texts");
  EXPECT_EQ(file.only("mark").what, RangeWhat::kMark);
  EXPECT_EQ(file.only("first request").what, RangeWhat::kFree);
  EXPECT_EQ(file.only("never named").category, "4");
  const std::string thread = std::to_string(file.only("mark").thread_id);
  EXPECT_EQ(file.facts.at("thread." + thread + ".name"), "main \xCE\xB3");
}

TEST_F(NvtxInjectionTest, odd_calls_disturb_nobody) {
  const ProcessOutcome outcome = run({"odd", "open"});
  EXPECT_EQ(outcome.out, "odd: -1 0 1 1 0 0 0\n");
  EXPECT_EQ(outcome.exit_code, 0);
  const WrittenFile file = written();
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{{"", 3},
                                                       {"open in a domain", 1},
                                                       {"open outside", 1},
                                                       {"open inside", 1},
                                                       {"open and free", 1}}));
}

TEST_F(NvtxInjectionTest, a_forked_child_leaves_the_file_alone) {
  const ProcessOutcome outcome = run({"fork"});
  EXPECT_EQ(outcome.out, "child: 0 1 0 0 0 0 1 0\nfork: 0 0\nchild left with 0\n");
  EXPECT_EQ(written().counts(), (std::map<std::string, int>{{"before the fork", 1}}));
}

TEST_F(NvtxInjectionTest, a_forked_child_with_a_file_tells_that_it_lacks_ranges) {
  settings_ = {"LD_LIBRARY_PATH=" STROBE_STUB_FOLDER,
               "CUDA_INJECTION64_PATH=" STROBE_STUB_FOLDER "/../libstrobe_inject.so",
               "STROBE_RECORD_CUPTI=" STROBE_STUB_FOLDER "/libcupti_activity.so.13"};
  EXPECT_EQ(run({"fork_cuda"}).out, "child left with 0\n");
  const auto names = testing::names_in(folder_.path());
  ASSERT_EQ(names.size(), 2u);
  WrittenFile parent = read_written(folder_ / *names.begin());
  WrittenFile child = read_written(folder_ / *names.rbegin());
  if (parent.ranges.empty()) std::swap(parent, child);
  EXPECT_EQ(parent.counts(), (std::map<std::string, int>{{"before the fork", 1}}));
  EXPECT_TRUE(parent.notes.empty());
  EXPECT_TRUE(child.ranges.empty());
  ASSERT_EQ(child.notes.size(), 1u);
  EXPECT_THAT(child.notes.begin()->first,
              ::testing::StartsWith("it was forked from process " + parent.facts.at("process")));
}

TEST_F(NvtxInjectionTest, ranges_can_be_left_out) {
  settings_ = {"STROBE_RUN_RANGES=0"};
  EXPECT_EQ(run({"nested"}).exit_code, 0);
  for (const std::string& name : testing::names_in(folder_.path())) {
    EXPECT_TRUE(read_written(folder_ / name).ranges.empty());
  }
}

#else

TEST(NvtxInjectionTest, the_library_is_not_part_of_this_build) {
  GTEST_SKIP() << "the headers of the CUDA toolkit are missing";
}

#endif

}  // namespace
}  // namespace strobe::record
