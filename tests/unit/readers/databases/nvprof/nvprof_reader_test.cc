#include "strobe/readers/databases/nvprof/nvprof_reader.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "strobe/readers/databases/nvprof/call_numbers.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/damage.h"
#include "tests/support/slice_texts.h"
#include "tests/support/sql_database.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using testing::slices_of;

// A kernel, a copy and their calls; two ranges, of which one is open.
constexpr auto kSmall =
    "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringTable VALUES(1, '_Z4geluPf'), (2, 'epoch'), (3, 'Tesla V100');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(_id_ INTEGER PRIMARY KEY, start INT,"
    " \"end\" INT, deviceId INT, contextId INT, streamId INT, correlationId INT, name INT,"
    " registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,"
    " staticSharedMemory INT, dynamicSharedMemory INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES"
    "(1, 1000, 1500, 0, 1, 7, 21, 1, 32, 80, 1, 1, 256, 1, 1, 0, 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, \"end\" INT, deviceId INT, contextId INT,"
    " streamId INT, correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1600, 1700, 0, 1, 7, 22, 4096, 2, 3, 1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(cbid INT, start INT, \"end\" INT, processId INT,"
    " threadId INT, correlationId INT, returnValue INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(211, 900, 950, 5, 6, 21, 0),"
    "(31, 1550, 1750, 5, 6, 22, 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(flags INT, timestamp INT, id INT, objectKind INT,"
    " objectId BLOB, name INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES(4, 1800, 1, 2, x'050000000600000000000000', 0),"
    "(2, 800, 1, 2, x'050000000600000000000000', 2), (2, 850, 2, 2, x'0500000006000000', 2),"
    "(4, 820, 9, 2, x'0500000006000000', 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE(id INT, name INT, globalMemorySize INT,"
    " computeCapabilityMajor INT); INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES(0, 3, 16, 7);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CDP_KERNEL(start INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CDP_KERNEL VALUES(1)";

TEST(NvprofReaderTest, kernels_copies_calls_and_ranges_are_read) {
  const auto loaded = read_trace_bytes(testing::sql_database(kSmall), "made.nvprof");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(trace.traits().dialect, "nvprof");
  EXPECT_THAT(slices_of(trace, SliceKind::kKernel), ElementsAre("1000+500 gelu(float*)"));
  EXPECT_THAT(slices_of(trace, SliceKind::kMemcpy),
              ElementsAre("1600+100 Memcpy DtoH (Device -> Pageable)"));
  EXPECT_THAT(slices_of(trace, SliceKind::kRuntimeCall),
              ElementsAre("900+50 cudaLaunchKernel", "1550+200 cudaMemcpy"));
  EXPECT_THAT(slices_of(trace, SliceKind::kAnnotation),
              ElementsAre("800+1000 epoch", "850+950 epoch"));
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 0u);
  EXPECT_EQ(loaded->report[ImportIssue::kUnmatchedBegin].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kUnmatchedEnd].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].examples.at(0).detail,
            "1 in CUPTI_ACTIVITY_KIND_CDP_KERNEL");
  ASSERT_EQ(trace.metadata().devices.size(), 1u);
  EXPECT_EQ(trace.metadata().devices[0].name, "Tesla V100");
}

TEST(NvprofReaderTest, damage_never_does_harm) {
  const std::string whole = testing::sql_database(kSmall);
  testing::expect_survives(whole);
}

TEST(CallNumbersTest, calls_have_names) {
  EXPECT_EQ(runtime_call_name(41), "cudaMemcpyAsync");
  EXPECT_EQ(driver_call_name(307), "cuLaunchKernel");
  EXPECT_EQ(runtime_call_name(99'999), "runtime call 99999");
  EXPECT_EQ(driver_call_name(-1), "driver call -1");
}

}  // namespace
}  // namespace strobe::readers
