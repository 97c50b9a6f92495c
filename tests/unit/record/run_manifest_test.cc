#include "strobe/record/run_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "strobe/base/version.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using testing::bytes_of;
using ::testing::HasSubstr;
using testing::names_in;
using ::testing::Not;
using testing::put_bytes;
using testing::TemporaryFolder;

Recording a_recording() {
  Recording recording;
  recording.recorder = 17;
  recording.recorder_start_ticks = 18;
  recording.command = {"python3", "a \"b\".py"};
  recording.started_unix_ns = 1000;
  recording.host = "here";
  recording.job = {.key = "slurm:7:0", .rank = 1, .world_size = 2};
  recording.devices = {{.index = 0,
                        .name = "NVIDIA H200",
                        .uuid = "GPU-1",
                        .memory_bytes = 150,
                        .sm_clock_mhz = 1980,
                        .memory_clock_mhz = 3201}};
  recording.environment = {{"RANK", "1"}};
  recording.sources = {{.name = "host"},
                       {.name = "scheduler", .state = SourceState::kMissing, .why = "forbidden"}};
  recording.files = {{.process = 4,
                      .program = "python3",
                      .rank = 1,
                      .name = "rank1-process-4.strobe",
                      .kernels = 5,
                      .copies = 6,
                      .calls = 7,
                      .ranges = 8,
                      .bytes = 9,
                      .is_finished = true}};
  recording.losses = {"something"};
  return recording;
}

TEST(RunManifest, a_recording_is_written_as_documented) {
  EXPECT_EQ(
      recording_json(a_recording()),
      R"({"state":"recording","recorder":17,"recorder_start_ticks":18,"command":["python3","a \"b\".py"],)"
      R"("started_unix_ns":1000,"ended_unix_ns":null,"exit_code":null,"signal":null,)"
      R"("host":"here","strobe":")" +
          std::string(kVersion) +
          R"(","driver":"","cuda":"","rank":1,"world_size":2,"job":"slurm:7:0","restart":0,)"
          R"("devices":[{"index":0,"name":"NVIDIA H200","uuid":"GPU-1","memory_bytes":150,)"
          R"("sm_clock_mhz":1980,"memory_clock_mhz":3201}],"environment":{"RANK":"1"},)"
          R"("settings":{"calls":"launches","graphs":"launches","ranges":true,"torch":false,)"
          R"("every_ms":null,"for_ms":null,"last_ms":null},)"
          R"("sources":[{"name":"host","state":"recorded","why":""},)"
          R"({"name":"scheduler","state":"missing","why":"forbidden"}],)"
          R"("processes":[{"pid":4,"program":"python3","rank":1,)"
          R"("file":"rank1-process-4.strobe","kernels":5,"copies":6,"calls":7,"ranges":8,)"
          R"("bytes":9,"finished":true}],"losses":["something"],"redacted":false})");
}

TEST(RunManifest, the_end_is_an_exit_code_or_a_signal) {
  Recording recording = a_recording();
  recording.is_finished = true;
  recording.ended_unix_ns = 2000;
  recording.ending = Ending{.exit_code = 3};
  EXPECT_THAT(recording_json(recording),
              HasSubstr(R"("ended_unix_ns":2000,"exit_code":3,"signal":null)"));
  recording.ending = Ending{.signal = 9};
  EXPECT_THAT(recording_json(recording), HasSubstr(R"("exit_code":null,"signal":9)"));
}

TEST(RunManifest, settings_are_told_in_the_words_of_the_flags) {
  Recording recording = a_recording();
  recording.settings = {.calls = CallChoice::kNone,
                        .graph_nodes = true,
                        .ranges = false,
                        .torch = true,
                        .every_ms = 60'000,
                        .for_ms = 1000,
                        .last_ms = 5000};
  EXPECT_THAT(recording_json(recording),
              HasSubstr(R"({"calls":"none","graphs":"nodes","ranges":false,"torch":true,)"
                        R"("every_ms":60000,"for_ms":1000,"last_ms":5000})"));
}

TEST(RunManifest, redacted_commands_are_hashes) {
  Recording recording = a_recording();
  recording.settings.redact = true;
  const std::string json = recording_json(recording);
  EXPECT_THAT(json, HasSubstr(hashed_name("a \"b\".py")));
  EXPECT_THAT(json, Not(HasSubstr("b\\\".py")));
  EXPECT_THAT(json, HasSubstr(R"("redacted":true)"));
}

TEST(RunManifest, what_is_written_can_be_read_by_another_recorder) {
  const TemporaryFolder folder;
  Recording other = a_recording();
  other.is_finished = true;
  other.recorder = 18;
  other.job.restart = 3;
  other.settings.last_ms = 1000;
  put_bytes(folder / "run.json",
            manifest_json({recording_json(a_recording()), recording_json(other)}));
  const auto entries = read_manifest(folder.path());
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  const ManifestEntry& first = entries->front();
  EXPECT_FALSE(first.is_finished);
  EXPECT_EQ(first.recorder, 17);
  EXPECT_EQ(first.recorder_start_ticks, 18u);
  EXPECT_EQ(first.host, "here");
  EXPECT_EQ(first.job.key, "slurm:7:0");
  EXPECT_EQ(first.job.rank, 1);
  EXPECT_EQ(first.job.world_size, 2);
  EXPECT_FALSE(first.is_flight_recorder);
  EXPECT_EQ(first.json, recording_json(a_recording()));
  EXPECT_TRUE(entries->back().is_finished);
  EXPECT_EQ(entries->back().job.restart, 3);
  EXPECT_TRUE(entries->back().is_flight_recorder);
}

TEST(RunManifest, another_tool_s_run_json_is_not_ours) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_manifest(folder.path()).error().code, ErrorCode::kNotFound);
  for (const char* text : {"", "[]", "{\"recordings\":[]}", "{\"strobe_run\":\"x\"}", "{"}) {
    put_bytes(folder / "run.json", text);
    const auto entries = read_manifest(folder.path());
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().code, ErrorCode::kMalformed) << text;
  }
}

TEST(RunManifest, a_recorder_runs_if_its_process_does) {
  ManifestEntry entry;
  entry.host = host_name();
  entry.recorder = getpid();
  EXPECT_TRUE(is_running(entry));
  entry.recorder += 2 * kMostProcesses;  // the number was taken
  EXPECT_TRUE(is_running(entry));
  entry.host = "elsewhere";
  EXPECT_FALSE(is_running(entry));
  entry.host = host_name();
  entry.is_finished = true;
  EXPECT_FALSE(is_running(entry));
}

TEST(RunManifest, another_process_with_the_number_of_a_recorder_is_not_the_recorder) {
  ManifestEntry entry;
  entry.host = host_name();
  entry.recorder = getpid();
  entry.recorder_start_ticks = start_ticks_of(getpid());
  ASSERT_TRUE(entry.recorder_start_ticks);
  EXPECT_TRUE(is_running(entry));
  ++*entry.recorder_start_ticks;
  EXPECT_FALSE(is_running(entry));
}

TEST(RunManifest, a_file_is_replaced_whole_or_not_at_all) {
  const TemporaryFolder folder;
  ASSERT_TRUE(replace_file(folder / "run.json", "first"));
  {
    const testing::FullDisk full;
    const Result<void> written = replace_file(folder / "run.json", "second", true);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kCannotWrite);
    EXPECT_EQ(written.error().what, "the disk is full");
  }
  EXPECT_EQ(bytes_of(folder / "run.json"), "first");
  EXPECT_THAT(names_in(folder.path()), ::testing::ElementsAre("run.json"));
  ASSERT_TRUE(replace_file(folder / "run.json", "second", true));
  EXPECT_EQ(bytes_of(folder / "run.json"), "second");
}

// A file that was just written may change within the same tick of the clock.
TEST(ManifestReaderTest, run_json_is_read_again_only_if_it_has_changed) {
  const TemporaryFolder folder;
  ManifestReader manifest(folder.path());
  EXPECT_TRUE(manifest.entries().empty());
  put_bytes(folder / "run.json", manifest_json({recording_json(a_recording())}));
  const std::int64_t later_ns = wall_clock_ns() + 2 * kLongestTickNs;
  const ManifestEntry* const first = manifest.entries(later_ns).data();
  ASSERT_EQ(manifest.entries(later_ns).size(), 1u);
  EXPECT_EQ(manifest.entries(later_ns).data(), first) << "was read again";

  Recording other = a_recording();
  other.recorder = 18;
  ASSERT_TRUE(replace_file(folder / "run.json", manifest_json({recording_json(other)})));
  ASSERT_EQ(manifest.entries().size(), 1u);
  EXPECT_EQ(manifest.entries()[0].recorder, 18);
  const ManifestEntry* const unsettled = manifest.entries().data();
  EXPECT_NE(manifest.entries().data(), unsettled) << "may have changed unseen";
  std::filesystem::remove(folder / "run.json");
  EXPECT_TRUE(manifest.entries(later_ns).empty());
}

}  // namespace
}  // namespace strobe::record
