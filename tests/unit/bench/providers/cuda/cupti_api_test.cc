#include "strobe/bench/providers/cuda/cupti_api.h"

#include <gmock/gmock.h>

#if __has_include(<cupti.h>)
#include <cupti.h>
#endif

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

#if __has_include(<cupti.h>)

template <class Record>
void expect_beginning_of() {
  using Ours = cupti::KernelRecord;
  EXPECT_EQ(offsetof(Ours, kind), offsetof(Record, kind));
  EXPECT_EQ(offsetof(Ours, registers), offsetof(Record, registersPerThread));
  EXPECT_EQ(offsetof(Ours, start_ns), offsetof(Record, start));
  EXPECT_EQ(offsetof(Ours, end_ns), offsetof(Record, end));
  EXPECT_EQ(offsetof(Ours, completed_ns), offsetof(Record, completed));
  EXPECT_EQ(offsetof(Ours, stream), offsetof(Record, streamId));
  EXPECT_EQ(offsetof(Ours, grid), offsetof(Record, gridX));
  EXPECT_EQ(offsetof(Ours, block), offsetof(Record, blockX));
  EXPECT_EQ(offsetof(Ours, static_shared_bytes), offsetof(Record, staticSharedMemory));
  EXPECT_EQ(offsetof(Ours, dynamic_shared_bytes), offsetof(Record, dynamicSharedMemory));
  EXPECT_EQ(offsetof(Ours, correlation), offsetof(Record, correlationId));
  EXPECT_EQ(offsetof(Ours, grid_id), offsetof(Record, gridId));
  EXPECT_EQ(offsetof(Ours, name), offsetof(Record, name));
  EXPECT_LE(sizeof(Ours), sizeof(Record));
}

// CUDA 12.0 writes the eighth record, 12.4 the ninth and 13.0 the tenth.
TEST(CuptiApi, its_record_of_a_kernel_is_how_all_of_the_vendors_begin) {
  expect_beginning_of<CUpti_ActivityKernel8>();
  expect_beginning_of<CUpti_ActivityKernel9>();
#if CUPTI_API_VERSION >= 130000
  expect_beginning_of<CUpti_ActivityKernel10>();
#endif
}

TEST(CuptiApi, its_record_of_a_call_is_the_vendors) {
  using Ours = cupti::CallRecord;
  using Theirs = CUpti_ActivityAPI;
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
  EXPECT_EQ(offsetof(Ours, kind), offsetof(Theirs, kind));
  EXPECT_EQ(offsetof(Ours, call), offsetof(Theirs, cbid));
  EXPECT_EQ(offsetof(Ours, start_ns), offsetof(Theirs, start));
  EXPECT_EQ(offsetof(Ours, end_ns), offsetof(Theirs, end));
  EXPECT_EQ(offsetof(Ours, thread), offsetof(Theirs, threadId));
  EXPECT_EQ(offsetof(Ours, correlation), offsetof(Theirs, correlationId));
}

TEST(CuptiApi, its_numbers_are_the_vendors) {
  EXPECT_EQ(cupti::kDriverCall, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_DRIVER));
  EXPECT_EQ(cupti::kRuntimeCall, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_EQ(cupti::kDriverDomain, static_cast<int>(CUPTI_CB_DOMAIN_DRIVER_API));
  EXPECT_EQ(cupti::kRuntimeDomain, static_cast<int>(CUPTI_CB_DOMAIN_RUNTIME_API));
  EXPECT_EQ(cupti::kSuccess, static_cast<int>(CUPTI_SUCCESS));
  EXPECT_EQ(cupti::kMultipleSubscribers,
            static_cast<int>(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
  EXPECT_EQ(cupti::kKernel, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_KERNEL));
  EXPECT_EQ(cupti::kConcurrentKernel, static_cast<unsigned>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_EQ(cupti::kFlushForced, static_cast<unsigned>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  EXPECT_GE(static_cast<unsigned>(CUPTI_API_VERSION), cupti::kOldest);
  EXPECT_LT(static_cast<unsigned>(CUPTI_API_VERSION), cupti::kNewestBelow);
}

#else

TEST(CuptiApi, its_declarations_are_the_vendors) {
  GTEST_SKIP() << "cupti.h was not found when this was built";
}

#endif

TEST(CuptiApi, another_profiler_in_the_process_is_named_as_the_obstacle) {
  CuptiApi api;
  api.result_text = [](CuptiResult, const char** text) {
    *text = "CUPTI_ERROR_OF_A_TEST";
    return cupti::kSuccess;
  };
  EXPECT_TRUE(api.check(cupti::kSuccess, "cuptiActivityEnable"));
  const auto result = api.check(cupti::kMultipleSubscribers, "cuptiActivityEnable");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what,
            "the times of kernels cannot be recorded: cuptiActivityEnable gives "
            "CUPTI_ERROR_OF_A_TEST (39)");
  EXPECT_THAT(result.error().hint, HasSubstr("another profiler"));
  EXPECT_EQ(result.error().code, ErrorCode::kMachineLacks);
}

TEST(CuptiApi, what_is_no_such_library_is_refused_with_its_place) {
  const auto other = open_cupti_at("libm.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "is not CUPTI of CUDA 12 or 13 (it has no cuptiGetVersion)");
  EXPECT_EQ(other.error().where, "libm.so.6");
}

TEST(CuptiApi, tells_a_version_whose_records_are_known_where_it_is_installed) {
  const auto api = open_cupti(13);
  if (!api) GTEST_SKIP() << api.error().what;
  std::uint32_t version = 0;
  EXPECT_EQ(api->version(&version), cupti::kSuccess);
  EXPECT_GE(version, cupti::kOldest);
  // The names need no device.
  const char* name = nullptr;
  constexpr std::uint32_t kLaunchKernel = 307;
  ASSERT_EQ(api->call_name(cupti::kDriverDomain, kLaunchKernel, &name), cupti::kSuccess);
  EXPECT_STREQ(name, "cuLaunchKernel");
}

}  // namespace
}  // namespace strobe::bench
