#include "strobe/readers/ascend/kernel_details.h"
#include "tests/support/damage.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

const std::string kDetailHeader =
    "Step Id,Device_id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),"
    "Input Shapes\n";

LoadedTrace load_details(const std::string& text) {
  auto loaded = read_trace_bytes(text, "kernel_details.csv", {.threads = 1});
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  return *std::move(loaded);
}

TEST(KernelDetailsTest, kernels_of_every_core_and_collectives_apart) {
  const LoadedTrace loaded = load_details(
      kDetailHeader +
      "50,1,7,2,mm,MatMul,AI_CORE,1736408883704643.212\t,53.741,\"\"\"32,3;8\"\"\"\n"
      "50,1,8,2,Topk,TopK,AI_CPU,1736408883704700.5\t,2,N/A\n"
      "50,1,9,3,mix,Mix,MIX_AIC,1736408883704800\t,0.0005,N/A\n"
      "50,1,N/A,N/A,hcom_allReduce__1,hcom_allReduce_,HCCL,1736408883704900\t,4,N/A\n");
  const Trace& trace = loaded.trace;
  EXPECT_FALSE(loaded.report.lost_something());
  EXPECT_THAT(trace.slices().starts_ns, ElementsAre(1736408883704643212, 1736408883704700500,
                                                    1736408883704800000, 1736408883704900000));
  EXPECT_THAT(trace.slices().durations_ns, ElementsAre(53741, 2000, 1, 4000));
  EXPECT_THAT(trace.slices().kinds, ::testing::Each(SliceKind::kKernel));
  EXPECT_THAT(trace.slices().flags, ElementsAre(0, 0, 0, kCommunicates));
  EXPECT_EQ(trace.track(SliceId(0)).device, 1);
  EXPECT_EQ(trace.strings()[trace.track(SliceId(2)).thread], "3");
  EXPECT_EQ(ArgsReader(trace.args()).text(trace.slices().args[0]),
            R"({"Step Id":"50","Device_id":"1","Task ID":"7","Stream ID":"2","Type":"MatMul",)"
            R"("Accelerator Core":"AI_CORE","Input Shapes":"32,3;8"})");
}

TEST(KernelDetailsTest, the_vendors_own_table_has_other_names) {
  const Trace trace = load_details(
                          "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
                          "mm,MatMul,AI_CORE,10,5\nMEMCPY_ASYNC,N/A,SDMA_SQE,20,5\n"
                          "EVENT_WAIT,N/A,EVENT_WAIT_SQE,30,5\n")
                          .trace;
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kKernel, SliceKind::kMemcpy, SliceKind::kDeviceAnnotation));
}

TEST(KernelDetailsTest, rows_without_a_time_and_cut_rows_are_told) {
  const LoadedTrace loaded =
      load_details(kDetailHeader +
                   "50,0,7,2,a,T,AI_CORE,N/A,1,x\n50,0,7,2,b,T,AI_CORE,10,N/A,x\n"
                   "50,0,7\n50,0,7,2,c,T,AI_CORE,99999999999999999999999,1,x\n50,0,7,2,d,T,AI");
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 2u);
  EXPECT_EQ(loaded.report[ImportIssue::kBadNumber].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].examples.at(0).byte_offset,
            kDetailHeader.size());
  EXPECT_EQ(loaded.report[ImportIssue::kDamagedChunk].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kTruncatedFile].count, 1u);
}

TEST(KernelDetailsTest, other_tables_are_not_taken_for_it) {
  EXPECT_FALSE(kKernelDetails.recognises(TraceInput::of("Name,Duration(us)\na,1\n", "a.csv")));
  EXPECT_FALSE(kKernelDetails.recognises(TraceInput::of("[{\"ph\":\"X\"}]", "a.json")));
  EXPECT_FALSE(kKernelDetails.recognises(TraceInput::of("", "a.csv")));
}

TEST(KernelDetailsTest, damage_costs_only_what_it_hits) {
  const std::string text =
      kDetailHeader +
      "50,1,7,2,mm,MatMul,AI_CORE,1736408883704643.212\t,53.741,\"\"\"3\"\"\"\n"
      "50,1,8,2,Topk,TopK,AI_CPU,1736408883704700.5\t,2,N/A\n";
  testing::expect_survives(text, testing::Order::kFrontToBack);
}

}  // namespace
}  // namespace strobe::readers
