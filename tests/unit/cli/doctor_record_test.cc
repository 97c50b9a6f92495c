#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/cli/doctor.h"

namespace strobe::cli {
namespace {

using record::SourceState;
using ::testing::AllOf;
using ::testing::HasSubstr;

Error lacking(std::string what, std::string hint) {
  return {.code = ErrorCode::kMachineLacks,
          .what = std::move(what),
          .where = "",
          .hint = std::move(hint)};
}

RecordFacts a_complete_machine() {
  return {.driver = {},
          .driver_version = "13.0",
          .cupti = device::Found{.version = "API 130000", .path = "/lib/libcupti.so", .detail = ""},
          .injection = std::string("/opt/strobe/libstrobe_inject.so"),
          .names = std::vector<std::string>{"NVIDIA H200", "NVIDIA H200"},
          .sees_all_processes = true,
          .waits = {.per_thread = true, .pressure = true, .cpu_quota = true},
          .switches = {.paranoid_level = 0,
                       .of_own_processes = true,
                       .of_all_cores = true,
                       .is_forbidden = false,
                       .obstacle = ""},
          .has_kernel_module = true,
          .counters_are_restricted = false,
          .strobe = "/opt/strobe/strobe"};
}

RecordSource source_named(const RecordFacts& facts, std::string_view key) {
  const std::vector<RecordSource> sources = record_sources(facts);
  return *std::ranges::find(sources, key, &RecordSource::key);
}

TEST(RecordSourcesTest, a_complete_machine_lacks_nothing) {
  for (const RecordSource& source : record_sources(a_complete_machine())) {
    EXPECT_EQ(source.state, SourceState::kRecorded) << source.key;
    EXPECT_FALSE(source.says.empty()) << source.key;
    EXPECT_TRUE(source.how_to_get.empty()) << source.key;
  }
  EXPECT_EQ(source_named(a_complete_machine(), "gpu_work").says,
            "CUPTI API 130000, CUDA driver 13.0, /opt/strobe/libstrobe_inject.so");
  EXPECT_EQ(source_named(a_complete_machine(), "device_metrics").says,
            "2 devices: NVIDIA H200, NVIDIA H200");
}

TEST(RecordSourcesTest, gpu_work_needs_driver_library_and_tracing) {
  RecordFacts facts = a_complete_machine();
  facts.cupti.reset();
  EXPECT_EQ(source_named(facts, "gpu_work").state, SourceState::kPartly);
  EXPECT_THAT(source_named(facts, "gpu_work").how_to_get, HasSubstr("nvidia-cuda-cupti"));
  facts.injection = lacking("the library is not there", "build it");
  EXPECT_EQ(source_named(facts, "gpu_work").says, "the library is not there");
  EXPECT_EQ(source_named(facts, "ranges").state, SourceState::kMissing);
  facts.driver = lacking("there is no driver", "install one");
  EXPECT_EQ(source_named(facts, "gpu_work").state, SourceState::kMissing);
  EXPECT_EQ(source_named(facts, "gpu_work").says, "there is no driver");
  EXPECT_EQ(source_named(facts, "gpu_work").how_to_get, "install one");
}

TEST(RecordSourcesTest, a_container_hides_processes_outside) {
  RecordFacts facts = a_complete_machine();
  facts.sees_all_processes = false;
  const RecordSource metrics = source_named(facts, "device_metrics");
  EXPECT_EQ(metrics.state, SourceState::kPartly);
  EXPECT_THAT(metrics.how_to_get, HasSubstr("--pid=host"));
}

TEST(RecordSourcesTest, each_missing_file_of_the_kernel_is_told) {
  RecordFacts facts = a_complete_machine();
  facts.waits = {};
  const RecordSource host = source_named(facts, "host");
  EXPECT_EQ(host.state, SourceState::kPartly);
  EXPECT_THAT(host.says, AllOf(HasSubstr("schedstat"), HasSubstr("/proc/pressure"),
                               HasSubstr("no control groups")));
  EXPECT_THAT(host.how_to_get, HasSubstr("psi=1"));
}

TEST(RecordSourcesTest, forbidden_context_switches_come_with_the_command) {
  RecordFacts facts = a_complete_machine();
  facts.switches = {.paranoid_level = 2,
                    .of_own_processes = true,
                    .of_all_cores = false,
                    .is_forbidden = true,
                    .obstacle = "not permitted"};
  const RecordSource own_only = source_named(facts, "scheduler");
  EXPECT_EQ(own_only.state, SourceState::kPartly);
  EXPECT_THAT(own_only.says, HasSubstr("perf_event_paranoid 2"));
  EXPECT_THAT(own_only.how_to_get,
              AllOf(HasSubstr("`sudo sysctl kernel.perf_event_paranoid=0`"),
                    HasSubstr("`sudo setcap cap_perfmon+ep /opt/strobe/strobe`")));
  facts.switches.of_own_processes = false;
  facts.switches.paranoid_level = 4;
  EXPECT_EQ(source_named(facts, "scheduler").state, SourceState::kMissing);
  facts.switches.paranoid_level = -1;
  EXPECT_THAT(source_named(facts, "scheduler").how_to_get, HasSubstr("seccomp=unconfined"));
}

TEST(RecordSourcesTest, a_kernel_without_context_switches_is_not_a_matter_of_permission) {
  RecordFacts facts = a_complete_machine();
  facts.switches = {.paranoid_level = std::nullopt,
                    .of_own_processes = false,
                    .of_all_cores = false,
                    .is_forbidden = false,
                    .obstacle = "the kernel has no perf events"};
  const RecordSource scheduler = source_named(facts, "scheduler");
  EXPECT_THAT(scheduler.says, HasSubstr("the kernel has no perf events"));
  EXPECT_EQ(scheduler.how_to_get.find("sysctl"), std::string::npos);
}

TEST(RecordSourcesTest, restricted_counters_come_with_the_line_for_the_module) {
  RecordFacts facts = a_complete_machine();
  facts.counters_are_restricted = true;
  EXPECT_THAT(source_named(facts, "counters").how_to_get,
              AllOf(HasSubstr("options nvidia NVreg_RestrictProfilingToAdminUsers=0"),
                    HasSubstr("/etc/modprobe.d/")));
  facts.has_kernel_module = false;
  EXPECT_EQ(source_named(facts, "counters").says, "there is no NVIDIA kernel module");
}

TEST(RecordSourcesTest, this_machine_has_every_source_in_one_state) {
  const std::vector<RecordSource> sources = record_sources(probe_record());
  ASSERT_EQ(sources.size(), 6u);
  for (const RecordSource& source : sources) {
    EXPECT_FALSE(source.says.empty()) << source.key;
    EXPECT_EQ(source.state == SourceState::kRecorded, source.how_to_get.empty()) << source.key;
  }
}

}  // namespace
}  // namespace strobe::cli
