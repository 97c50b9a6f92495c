#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "strobe/readers/trace_reader.h"
#include "strobe/trace/slice_kind.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// The real injected library in a process of its own, with a scripted driver and CUPTI
// (tests/support/stub_cuda), from the environment that `strobe record` sets to the trace that a
// reader makes of its file.
namespace strobe::record {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::TemporaryFolder;
using Words = std::vector<std::string>;

class RunProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef STROBE_STUB_FOLDER
    GTEST_SKIP() << "built without the CUDA toolkit's headers";
#endif
  }

  // Settings as variables without their common beginning ("CALLS=none"), and what the program does.
  test::ProcessOutcome record(const Words& settings, const Words& deeds,
                              const std::string& script = "", const Words& environment = {}) {
    fs::remove_all(folder_ / "run");
    fs::create_directory(folder_ / "run");
    test::ProcessRequest request;
#ifdef STROBE_STUB_FOLDER
    const std::string stubs = STROBE_STUB_FOLDER;
    request.command = {stubs + "/fake_app"};
    request.command.insert(request.command.end(), deeds.begin(), deeds.end());
    request.folder = folder_.path().string();
    request.environment = {"LD_LIBRARY_PATH=" + stubs,
                           "PATH=/usr/bin:/bin",
                           "CUDA_INJECTION64_PATH=" STROBE_INJECT_LIBRARY,
                           "STROBE_RUN_FOLDER=" + (folder_ / "run").string(),
                           "STROBE_RECORD_CUPTI=" + stubs + "/libcupti_activity.so.13",
                           "STUB_ACTIVITY=" + script,
                           "ASAN_OPTIONS=detect_leaks=0"};  // seconds at the end of each process
    for (const std::string& one : settings) request.environment.push_back("STROBE_RUN_" + one);
    request.environment.insert(request.environment.end(), environment.begin(), environment.end());
#endif
    return test::run_process(request);
  }

  std::vector<fs::path> process_files(const std::string& run = "run") {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / run)) {
      const std::string name = entry.path().filename().string();
      if (name.find("process-") != std::string::npos) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  readers::LoadedTrace trace(std::size_t which = 0) {
    const std::vector<fs::path> files = process_files();
    if (files.size() <= which) {
      ADD_FAILURE() << "there are " << files.size() << " process files";
      return {};
    }
    Result<readers::LoadedTrace> read = readers::read_trace(files[which]);
    EXPECT_TRUE(read) << read.error().what;
    return read ? std::move(read).value() : readers::LoadedTrace{};
  }

  TemporaryFolder folder_;
};

std::size_t count_of(const Trace& trace, SliceKind kind, const std::string& name = "") {
  std::size_t count = 0;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    if (trace.kind(slice) == kind && (name.empty() || trace.name(slice) == name)) ++count;
  }
  return count;
}

// Kernels whose correlation is that of a call.
std::size_t launched_kernels(const Trace& trace) {
  std::set<std::uint32_t> calls;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] == SliceKind::kRuntimeCall) {
      calls.insert(trace.slices().correlations[row]);
    }
  }
  std::size_t count = 0;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const bool is_kernel = trace.slices().kinds[row] == SliceKind::kKernel;
    if (is_kernel && calls.contains(trace.slices().correlations[row])) ++count;
  }
  return count;
}

TEST_F(RunProcessTest, every_kernel_copy_and_call_becomes_a_slice) {
  const test::ProcessOutcome done =
      record({}, {"gemm*300", "softmax*20", "copy=4096*5", "runtime_copy=100*3", "sync"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "fake_app is running\n");
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel, "gemm"), 300u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel, "softmax"), 20u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kMemcpy, "Memcpy HtoD (Pageable -> Device)"), 8u);
  EXPECT_EQ(launched_kernels(loaded.trace), 320u);
  // A copy by the runtime is one call: that of the driver inside of it is not.
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kRuntimeCall, "cudaMemcpyAsync"), 3u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kRuntimeCall, "cuMemcpyHtoDAsync"), 5u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kRuntimeCall, "cuCtxSynchronize"), 1u);
}

TEST_F(RunProcessTest, allocations_are_in_the_memory_table) {
  ASSERT_EQ(record({}, {"gemm", "alloc=1000000"}).exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  const MemoryColumns& memory = loaded.trace.memory();
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_THAT(std::vector<std::int64_t>(memory.bytes.begin(), memory.bytes.end()),
              ElementsAre(1000000, -1000000));
}

TEST_F(RunProcessTest, a_graph_is_one_slice_unless_its_nodes_are_asked_for) {
  ASSERT_EQ(record({}, {"graph*4"}).exit_code, 0);
  const readers::LoadedTrace whole = trace();
  EXPECT_EQ(count_of(whole.trace, SliceKind::kKernel, "CUDA graph 5"), 4u);
  ASSERT_EQ(record({"GRAPHS=nodes"}, {"graph*4"}).exit_code, 0);
  const readers::LoadedTrace nodes = trace();
  EXPECT_EQ(count_of(nodes.trace, SliceKind::kKernel, "node_kernel"), 12u);
}

TEST_F(RunProcessTest, gpu_only_leaves_calls_out) {
  ASSERT_EQ(record({"CALLS=none"}, {"gemm*10"}).exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel), 10u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kRuntimeCall), 0u);
}

TEST_F(RunProcessTest, threads_keep_their_own_calls) {
  ASSERT_EQ(record({}, {"threads=4", "gemm*500"}).exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(launched_kernels(loaded.trace), 2000u);
  std::set<std::size_t> tracks;
  for (std::size_t row = 0; row < loaded.trace.slice_count(); ++row) {
    if (loaded.trace.slices().kinds[row] == SliceKind::kRuntimeCall) {
      tracks.insert(loaded.trace.slices().tracks[row].index());
    }
  }
  EXPECT_EQ(tracks.size(), 4u);
}

TEST_F(RunProcessTest, many_small_and_late_buffers_lose_nothing) {
  for (const char* script : {"room=3", "late"}) {
    ASSERT_EQ(record({}, {"gemm*15"}, script).exit_code, 0);
    EXPECT_EQ(count_of(trace().trace, SliceKind::kKernel), 15u) << script;
  }
}

TEST_F(RunProcessTest, dropped_records_are_counted_and_told) {
  const test::ProcessOutcome done = record({}, {"gemm*100"}, "drop=10");
  ASSERT_EQ(done.exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel), 90u);
  EXPECT_TRUE(loaded.report.lost_something());
}

TEST_F(RunProcessTest, calls_that_fail_do_not_disturb_the_program) {
  for (const char* script : {"subscribe=39", "subscribe=1", "register=1", "enable=26"}) {
    const test::ProcessOutcome done = record({}, {"gemm*10"}, script);
    EXPECT_EQ(done.exit_code, 0) << script;
    EXPECT_EQ(done.out, "fake_app is running\n") << script;
    EXPECT_EQ(done.err, "") << script;
  }
}

TEST_F(RunProcessTest, a_killed_program_leaves_what_was_written) {
  const test::ProcessOutcome done = record({}, {"gemm*100", "sleep=2500", "gemm*7", "kill"});
  EXPECT_EQ(done.exit_code, 128 + 9);
  EXPECT_GE(count_of(trace().trace, SliceKind::kKernel), 100u);
}

TEST_F(RunProcessTest, each_process_has_its_file) {
  ASSERT_EQ(record({}, {"gemm*3", "fork", "run", "softmax*2"}).exit_code, 0);
  ASSERT_EQ(process_files().size(), 2u);
  EXPECT_EQ(
      count_of(trace(0).trace, SliceKind::kKernel) + count_of(trace(1).trace, SliceKind::kKernel),
      5u);
}

TEST_F(RunProcessTest, a_program_that_leaves_without_exit_handlers_loses_nothing) {
  const test::ProcessOutcome done = record({}, {"gemm*30", "leave"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel, "gemm"), 30u);
  EXPECT_FALSE(loaded.report.lost_something());
}

TEST_F(RunProcessTest, forked_children_that_leave_without_exit_handlers_lose_nothing) {
  const test::ProcessOutcome done = record({}, {"children=8", "gemm*30", "leave"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  ASSERT_EQ(process_files().size(), 8u);
  for (std::size_t child = 0; child < 8; ++child) {
    EXPECT_EQ(count_of(trace(child).trace, SliceKind::kKernel, "gemm"), 30u);
  }
}

TEST_F(RunProcessTest, a_program_in_the_place_of_another_has_its_own_file) {
  ASSERT_EQ(record({}, {"gemm*3", "sleep=1500", "exec", "softmax*2"}).exit_code, 0);
  ASSERT_EQ(process_files().size(), 2u);
  EXPECT_EQ(count_of(trace(0).trace, SliceKind::kKernel, "softmax") +
                count_of(trace(1).trace, SliceKind::kKernel, "softmax"),
            2u);
}

TEST_F(RunProcessTest, calls_after_the_end_of_a_thread_and_of_the_recording_do_no_harm) {
  ASSERT_EQ(record({"CALLS=all"}, {"gemm*3", "late*5", "sleep=1200", "gemm*2"}).exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel, "gemm"), 6u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel, "late"), 5u) << "those of the thread";
}

TEST_F(RunProcessTest, ranks_name_their_files) {
  ASSERT_EQ(record({}, {"gemm*3"}, "", {"RANK=3", "WORLD_SIZE=8"}).exit_code, 0);
  ASSERT_EQ(process_files().size(), 1u);
  EXPECT_THAT(process_files()[0].filename().string(), ::testing::StartsWith("rank3-process-"));
  EXPECT_EQ(trace().trace.metadata().distributed.rank, 3);
}

TEST_F(RunProcessTest, windows_record_parts_of_the_run) {
  Words deeds;
  for (int i = 0; i < 20; ++i) deeds.insert(deeds.end(), {"gemm*10", "sleep=100"});
  ASSERT_EQ(record({"EVERY_MS=1000", "FOR_MS=200"}, deeds).exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  const std::size_t kernels = count_of(loaded.trace, SliceKind::kKernel);
  EXPECT_GT(kernels, 0u);
  EXPECT_LT(kernels, 200u);
  EXPECT_EQ(launched_kernels(loaded.trace), kernels);
}

// The window closes while the program calls nothing, and opens again before it does.
TEST_F(RunProcessTest, a_program_that_rested_between_windows_is_recorded_in_the_next_one) {
  ASSERT_EQ(record({"EVERY_MS=2000", "FOR_MS=1000"},
                   {"gemm*5", "sleep=2300", "gemm*7", "sleep=50", "softmax*7"})
                .exit_code,
            0);
  EXPECT_EQ(count_of(trace().trace, SliceKind::kKernel, "softmax"), 7u);
}

TEST_F(RunProcessTest, old_parts_are_removed_and_the_last_ones_are_whole) {
  Words deeds = {"first*10"};
  for (int i = 0; i < 10; ++i) deeds.insert(deeds.end(), {"sleep=500", "gemm*10"});
  deeds.emplace_back("last*5");
  ASSERT_EQ(record({"KEEP_MS=1000"}, deeds).exit_code, 0);
  std::size_t first = 0;
  std::size_t last = 0;
  const std::vector<fs::path> parts = process_files();
  ASSERT_GE(parts.size(), 2u);
  for (const fs::path& part : parts) {
    Result<readers::LoadedTrace> read = readers::read_trace(part);
    ASSERT_TRUE(read) << read.error().what;
    first += count_of(read->trace, SliceKind::kKernel, "first");
    last += count_of(read->trace, SliceKind::kKernel, "last");
  }
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(last, 5u);
}

TEST_F(RunProcessTest, redacted_names_tell_nothing) {
  ASSERT_EQ(record({"REDACT=1"}, {"secret_kernel*3"}).exit_code, 0);
  const readers::LoadedTrace loaded = trace();
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel), 3u);
  EXPECT_EQ(count_of(loaded.trace, SliceKind::kKernel, "secret_kernel"), 0u);
}

}  // namespace
}  // namespace strobe::record
