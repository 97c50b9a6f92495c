#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "strobe/base/version.h"
#include "strobe/cli/doctor.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;

Diagnosis a_small_machine() {
  Diagnosis diagnosis;
  diagnosis.cpu = {
      .name = "Test-1", .architecture = "toy", .cores = 8, .usable_cores = 2, .simd = {"WIDE"}};
  diagnosis.memory = {.total_bytes = 16'000'000'000,
                      .available_bytes = 8'000'000'000,
                      .limit_bytes = 4'000'000'000};
  diagnosis.perf_events = {.paranoid_level = 4,
                           .counts_cycles = false,
                           .is_forbidden = true,
                           .obstacle = "not permitted"};
  diagnosis.engines = {{"packer", "1.0", "reads .p"}};
  diagnosis.groups = {
      {"Parts",
       {{"driver", "a driver", device::Found{"12.4", "/lib/\"d\".so", "1 device: T"}, "driving",
         "buy it"},
        {"tool", "a tool", std::nullopt, "tooling", "apt install tool"}}}};
  return diagnosis;
}

TEST(DiagnosisTextTest, each_part_says_what_it_is_for_and_a_missing_one_how_to_get_it) {
  EXPECT_EQ(diagnosis_text(a_small_machine(), Terminal{}),
            "Machine\n"
            "  + CPU               Test-1 (toy), 2 of 8 cores usable, WIDE\n"
            "  + memory            16.0 GB, 8.0 GB available, this process may use 4.0 GB\n"
            "  - perf events       missing: not permitted, perf_event_paranoid 4\n"
            "                      for: cycles and cache misses of strobe's own benchmarks\n"
            "                      get: sudo sysctl kernel.perf_event_paranoid=2; containers: "
            "--cap-add PERFMON\n"
            "\n"
            "Built in\n"
            "  + strobe            " +
                std::string(kVersion) +
                "\n"
                "  + packer            1.0, reads .p\n"
                "\n"
                "Parts\n"
                "  + a driver          12.4, 1 device: T, /lib/\"d\".so\n"
                "                      for: driving\n"
                "  - a tool            missing\n"
                "                      for: tooling\n"
                "                      get: apt install tool\n"
                "\n"
                "None of this is needed to read traces.\n");
}

TEST(DiagnosisTextTest, long_lines_are_wrapped_to_the_width_of_the_terminal) {
  Terminal terminal;
  terminal.columns = 60;
  EXPECT_THAT(diagnosis_text(a_small_machine(), terminal),
              HasSubstr("                      get: sudo sysctl\n"
                        "                      kernel.perf_event_paranoid=2;\n"
                        "                      containers: --cap-add PERFMON\n"));
}

TEST(DiagnosisTextTest, json_has_the_same_facts_escaped) {
  const std::string json = diagnosis_json(a_small_machine());
  EXPECT_THAT(json, HasSubstr(R"({
  "schema": "strobe.doctor",
  "version": 1,)"));
  EXPECT_THAT(json, HasSubstr(R"("limit_bytes": 4000000000)"));
  EXPECT_THAT(json, HasSubstr(R"("path": "/lib/\"d\".so")"));
  EXPECT_THAT(json, HasSubstr(R"("key": "tool",
      "name": "a tool",
      "present": false,)"));
  EXPECT_THAT(json, HasSubstr(R"("counts_cycles": false,
    "obstacle": "not permitted")"));
}

TEST(DiagnosisTextTest, what_could_be_recorded_is_a_section_of_its_own) {
  Diagnosis diagnosis = a_small_machine();
  diagnosis.record = {
      {"gpu_work", "GPU work", record::SourceState::kRecorded, "CUPTI 1", ""},
      {"host", "host", record::SourceState::kPartly, "no pressure", "boot with psi=1"},
      {"scheduler", "waits for a core", record::SourceState::kMissing, "not permitted", "ask"}};
  EXPECT_THAT(diagnosis_text(diagnosis, Terminal{}),
              HasSubstr("\nstrobe record\n"
                        "  + GPU work          CUPTI 1\n"
                        "  ~ host              partly: no pressure\n"
                        "                      get: boot with psi=1\n"
                        "  - waits for a core  missing: not permitted\n"
                        "                      get: ask\n"));
  EXPECT_THAT(diagnosis_json(diagnosis), HasSubstr(R"("record": [
    {
      "key": "gpu_work",
      "name": "GPU work",
      "state": "ready",
      "says": "CUPTI 1",
      "how_to_get": ""
    },
    {
      "key": "host",
      "name": "host",
      "state": "partly",)"));
}

TEST(DiagnosisTest, this_machine_can_be_diagnosed) {
  const Diagnosis diagnosis = diagnose();
  ASSERT_EQ(diagnosis.groups.size(), 3u);
  for (const PartGroup& group : diagnosis.groups) {
    for (const Part& part : group.parts) {
      EXPECT_FALSE(part.needed_for.empty()) << part.key;
      EXPECT_FALSE(part.how_to_get.empty()) << part.key;
    }
  }
  EXPECT_FALSE(diagnosis.record.empty());
}

TEST(DiagnoseTest, the_library_for_recording_is_found_where_it_is) {
  const std::string place = (std::filesystem::temp_directory_path() / "a_recorder.so").string();
  std::ofstream(place) << "not opened";
  setenv("STROBE_INJECT", place.c_str(), 1);
  const Diagnosis with = diagnose();
  std::filesystem::remove(place);
  const Diagnosis without = diagnose();
  unsetenv("STROBE_INJECT");
  const auto recorder = [](const Diagnosis& diagnosis) {
    const auto& parts = diagnosis.groups.at(0).parts;
    return *std::ranges::find(parts, "recorder", &Part::key);
  };
  ASSERT_TRUE(recorder(with).found);
  EXPECT_THAT(recorder(with).found->path, ::testing::EndsWith("a_recorder.so"));
  EXPECT_FALSE(recorder(without).found);
}

}  // namespace
}  // namespace strobe::cli
