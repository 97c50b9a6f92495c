#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/readers/counters/kernel_recording.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// End to end, from the command line through the real injected library to the files, with a scripted
// driver and counters: tests/support/stub_cuda.
namespace strobe::cli {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_in;
using ::testing::Not;
using ::testing::SizeIs;
using testing::TemporaryFolder;
using Words = std::vector<std::string>;

class KernelsRecord : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef STROBE_STUB_FOLDER
    GTEST_SKIP() << "built without the CUDA toolkit's headers";
#endif
  }

  // `flags` of record, then the actions of the program.
  test::ProcessOutcome record(const Words& flags, const Words& deeds,
                              const Words& environment = {}) {
#ifdef STROBE_STUB_FOLDER
    const std::string stubs = STROBE_STUB_FOLDER;
#else
    const std::string stubs;
#endif
    test::ProcessRequest request;
    request.command = {STROBE_BINARY, "kernels", "record"};
    request.command.insert(request.command.end(), flags.begin(), flags.end());
    request.command.insert(request.command.end(), {"--", stubs + "/fake_app"});
    request.command.insert(request.command.end(), deeds.begin(), deeds.end());
    request.folder = folder_.path().string();
    request.environment = {"LD_LIBRARY_PATH=" + stubs, "PATH=/usr/bin:/bin",
                           "STROBE_RECORD_CUPTI=" + stubs + "/libcupti.so.13"};
    request.environment.insert(request.environment.end(), environment.begin(), environment.end());
    return test::run_process(request);
  }

  KernelTable table(const std::string& file = "kernels.strobe") {
    Result<KernelTable> read = readers::read_kernels(folder_ / file);
    EXPECT_TRUE(read) << read.error().what;
    return std::move(read).value();
  }

  // The stub's rule: launch n (from 0) has 1000 * (n + 1) + m in metric m.
  void expect_no_value_beside_the_wrong_kernel(const KernelTable& kernels) {
    for (std::size_t row = 0; row < kernels.size(); ++row) {
      const double first = 1000.0 * (kernels.ids[row] + 1);
      EXPECT_EQ(static_cast<double>(kernels.durations_ns[row]), first) << row;
      EXPECT_EQ(kernels.value(KernelMetric::kTensorPercent, row), first + 1) << row;
      EXPECT_EQ(kernels.value(KernelMetric::kInstructions, row), first + 9) << row;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(KernelsRecord, every_launch_becomes_a_row_in_both_files) {
  const auto outcome = record({}, {"_Z6k_copyPK6float4*2", "gemm*3"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "fake_app is running\n");  // only the program's own output
  EXPECT_THAT(outcome.err, HasSubstr("recorded 5 launches of 1 process"));
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("kernels.csv", "kernels.strobe"));
  const KernelTable kernels = table();
  ASSERT_EQ(kernels.size(), 5u);
  expect_no_value_beside_the_wrong_kernel(kernels);
  EXPECT_EQ(kernels.name(1), "k_copy(float4 const*)");
  EXPECT_EQ(kernels.name(4), "gemm");
  EXPECT_EQ(kernels.grids[1], (LaunchShape{11, 2, 1}));
  EXPECT_EQ(kernels.blocks[1], (LaunchShape{128, 1, 1}));
  EXPECT_EQ(kernels.devices.at(0).name, "Stub GPU");
  const KernelTable from_csv = table("kernels.csv");
  EXPECT_EQ(from_csv.size(), 5u);
  expect_no_value_beside_the_wrong_kernel(from_csv);
}

TEST_F(KernelsRecord, a_place_that_cannot_be_written_is_told_before_the_program_runs) {
  const auto outcome = record({"-o", "no/folder/x.strobe"}, {"gemm*3"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("cannot write 'no/folder/x.strobe': the folder does not"));
}

TEST_F(KernelsRecord, counters_that_are_read_out_many_times_lose_nothing) {
  const auto outcome = record({"-v"}, {"a*7", "b*6"}, {"STROBE_RECORD_BATCH=4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("4 read-outs"));
  EXPECT_EQ(table().size(), 13u);
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, ranges_in_another_order_find_their_launches) {
  const auto outcome = record({}, {"a*3", "b*2"}, {"STUB_CUPTI=reverse"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(table().size(), 5u);
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, a_batch_that_does_not_add_up_is_lost_whole_and_said) {
  const auto outcome = record({}, {"a*12"}, {"STUB_CUPTI=swallow=5", "STROBE_RECORD_BATCH=4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("4 of 12 launches selected have no record"),
                                 HasSubstr("3 ranges for 4 launches")));
  EXPECT_THAT(table().ids, ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  expect_no_value_beside_the_wrong_kernel(table());
  EXPECT_THAT(table().remarks, ::testing::Contains(HasSubstr("4 of 12 launches")));
}

TEST_F(KernelsRecord, counters_that_start_too_late_for_their_launch_are_started_before_the_next) {
  const auto outcome = record({}, {"a*12"}, {"STUB_CUPTI=late", "STROBE_RECORD_BATCH=4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(table().ids, ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, dropped_ranges_are_told) {
  const auto outcome = record({}, {"a*4"}, {"STUB_CUPTI=dropped=1"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("ran out of room (1 of 4 launches)"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(KernelsRecord, a_program_may_say_itself_what_is_wanted) {
  // Windows 1 and 3 have a launch, window 2 has two; launches before a second `open` do not count.
  const auto outcome = record({"-v"},
                              {"a", "open", "b", "close", "c*2", "open", "flush", "open", "d*2",
                               "close", "e", "open", "f", "close", "g"},
                              {"STROBE_RECORD_WINDOW=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(table().ids, ElementsAre(1, 5, 6, 8));
  expect_no_value_beside_the_wrong_kernel(table());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("10 seen, 4 chosen, 4 recorded, 0 lost"),
                                 HasSubstr("3 read-outs"), Not(HasSubstr("warning"))));
}

TEST_F(KernelsRecord, launches_are_chosen_by_number_and_name) {
  ASSERT_EQ(record({"--launches", "1:3"}, {"a*6"}).exit_code, 0);
  EXPECT_THAT(table().ids, ElementsAre(1, 2, 3));
  expect_no_value_beside_the_wrong_kernel(table());
  // The gap of nine stops the counters, the gap of one does not.
  const auto outcome = record({"-v", "--kernel", "gemm|copy"},
                              {"gemm*2", "add", "_Z6k_copyPK6float4", "add*9", "gemm"});
  EXPECT_THAT(table().ids, ElementsAre(0, 1, 3, 13));
  EXPECT_THAT(outcome.err, HasSubstr("2 read-outs"));
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, the_counters_restart_before_an_isolated_kernel) {
  const auto outcome =
      record({"-v", "--isolate", "^gather"}, {"gather", "gemm*3", "gather*2", "gemm"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("3 read-outs"));  // before the second and third, at the end
  EXPECT_EQ(table().size(), 7u);
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, short_kernels_right_behind_long_ones_are_set_apart) {
  Words deeds;
  for (int i = 0; i < 40; ++i) deeds.insert(deeds.end(), {"gemm*15", "gather"});
  const Words machine = {"STUB_CUPTI=short=16"};
  // One launch in sixteen, from the first read-out on; then one read-out at the end.
  auto outcome = record({"-v"}, deeds, machine);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("38 read-outs"));
  EXPECT_EQ(table().size(), 640u);
  EXPECT_EQ(table().value(KernelMetric::kTensorPercent, 639), 640001);  // none was moved
  outcome = record({"-v", "--isolate", "^$"}, deeds, machine);
  EXPECT_THAT(outcome.err, HasSubstr("10 read-outs"));
}

TEST_F(KernelsRecord, a_wish_that_nothing_fulfils_is_told) {
  const auto outcome = record({"--kernel", "conv"}, {"gemm*2"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("none of 2 launches was selected"));
}

TEST_F(KernelsRecord, graphs_run_unmeasured_and_cost_their_neighbours_nothing) {
  const auto outcome = record({"-v"}, {"a", "capture*3", "graph*2", "b*3", "graph", "c"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("3 captured"), HasSubstr("3 graphs ran unmeasured")));
  EXPECT_THAT(table().ids, ElementsAre(0, 3, 4, 5, 7));
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, a_program_of_graphs_only_is_too_little) {
  const auto outcome = record({}, {"graph*3"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("3 graphs and no kernel"), HasSubstr("eager mode")));
}

TEST_F(KernelsRecord, counters_that_stop_counting_are_set_up_again) {
  const auto outcome = record({}, {"a*20"}, {"STUB_CUPTI=stale", "STROBE_RECORD_BATCH=4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("0 ranges for 4 launches"));
  // One batch is lost before the slower mode takes over.
  EXPECT_THAT(table().ids, ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19));
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, registers_and_shared_memory_are_asked_of_the_driver) {
  ASSERT_EQ(record({}, {"a"}).exit_code, 0);
  EXPECT_EQ(table().value(KernelMetric::kRegistersPerThread, 0), 40);
  EXPECT_EQ(table().value(KernelMetric::kSharedBytesPerBlock, 0), 1024 + 48);
}

TEST_F(KernelsRecord, a_launch_that_fails_has_no_row) {
  const auto outcome = record({}, {"a*2", "fails", "b*2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(table().ids, ElementsAre(0, 1, 3, 4));
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, a_context_that_is_destroyed_is_read_out_first) {
  const auto outcome = record({}, {"a*2", "destroy", "b*3", "destroy", "leave"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(table().size(), 5u);
  expect_no_value_beside_the_wrong_kernel(table());
}

TEST_F(KernelsRecord, processes_that_the_program_starts_are_recorded_too) {
  const auto outcome = record({}, {"a*2", "fork", "run", "b*3"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("5 launches of 2 processes"));
  EXPECT_THAT(table().durations_ns, ElementsAre(1000, 2000, 1000, 2000, 3000));
}

TEST_F(KernelsRecord, the_program_s_own_failure_is_a_warning) {
  const auto outcome = record({}, {"a*2", "exit=3"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: the program ended with exit code 3"));
  EXPECT_EQ(table().size(), 2u);
}

TEST_F(KernelsRecord, a_program_that_dies_keeps_its_whole_batches) {
  const auto outcome = record({}, {"a*6", "abort"}, {"STROBE_RECORD_BATCH=4"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("ended by signal 6"),
                                 HasSubstr("2 of 6 launches selected have no record")));
  EXPECT_EQ(table().size(), 4u);
  EXPECT_EQ(record({}, {"a*6", "abort"}).exit_code, 3);
}

TEST_F(KernelsRecord, a_metric_that_the_chip_lacks_leaves_its_column_empty) {
  const auto outcome = record({}, {"a*2"}, {"STUB_CUPTI=unknown=dram__bytes_read.sum"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no metric 'dram__bytes_read.sum'"));
  EXPECT_FALSE(table().has(KernelMetric::kDramReadBytes));
  EXPECT_TRUE(table().has(KernelMetric::kDramWriteBytes));
}

TEST_F(KernelsRecord, a_metric_asked_for_by_name_must_be_there) {
  const auto outcome = record({"--metrics", "gpu__time_duration.sum,no__such.sum"}, {"a*2"},
                              {"STUB_CUPTI=unknown=no__such.sum"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("no metric 'no__such.sum'"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(KernelsRecord, more_passes_than_one_are_told) {
  const auto outcome = record({"--set", "full"}, {"a*2"}, {"STUB_CUPTI=passes=9"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("9 passes"));
}

struct Trouble {
  const char* name;
  const char* environment;
  int exit_code;
  const char* what;
  const char* hint;
};

class KernelsRecordTrouble : public KernelsRecord, public ::testing::WithParamInterface<Trouble> {};

TEST_P(KernelsRecordTrouble, is_explained_with_a_remedy) {
  if (GetParam().name == std::string_view("no_device") &&
      std::filesystem::exists("/proc/driver/nvidia/gpus")) {
    GTEST_SKIP() << "strobe believes the list of devices of this machine's driver";
  }
  const auto outcome = record({}, {"a*3"}, {GetParam().environment});
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().what));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().hint));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Machines, KernelsRecordTrouble,
    ::testing::Values(
        Trouble{"no_gpu", "STUB_CUDA_INIT=100", 4, "sees no GPU", "nvidia-smi"},
        Trouble{"no_device", "STUB_CUDA_DEVICES=0", 4, "sees no GPU", "CUDA_VISIBLE_DEVICES"},
        Trouble{"broken_driver", "STUB_CUDA_INIT=999", 4, "cuInit gives 999", "nvidia-smi"},
        Trouble{"forbidden", "STUB_CUPTI=enable=35", 4, "for administrators",
                "NVreg_RestrictProfilingToAdminUsers=0"},
        Trouble{"busy", "STUB_CUPTI=start=26", 4, "another process holds", "dcgmi"},
        Trouble{"other_tool", "STUB_CUPTI=subscribe=39", 4, "another profiler", "torch.profiler"},
        Trouble{"virtual_gpu", "STUB_CUPTI=enable=33", 4, "gives no counters", "trace"},
        Trouble{"decoder_fails", "STUB_CUPTI=decode=9", 4, "failed while the program ran", "ncu"},
        Trouble{"no_inject", "STROBE_INJECT=/no/such.so", 4, "libstrobe_inject.so is not there",
                "STROBE_INJECT"}),
    [](const auto& trouble) { return trouble.param.name; });

TEST_F(KernelsRecord, a_program_without_kernels_is_too_little) {
  const auto nothing = record({}, {});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.err, HasSubstr("launched no kernel"));
  const auto never = record({}, {"idle"});
  EXPECT_EQ(never.exit_code, 3);
  EXPECT_THAT(never.err, HasSubstr("never opened the CUDA driver"));
}

}  // namespace
}  // namespace strobe::cli
