#include "strobe/readers/counters/kernel_reader.h"

#include <atomic>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/readers/sniff.h"
#include "tests/support/sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kTable = "Kernel Latency Tensor DRAM\nf | 32 0.10 0.20\n";
const std::string kTrace =
    R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[{"ph":"X","cat":"kernel","name":"f",)"
    R"("ts":1,"dur":2,"pid":0,"tid":7,"args":{"device":0,"stream":7}}]})";

Error error_of(const std::string& bytes) {
  const Result<KernelTable> table = read_kernels_bytes(bytes, "some.file");
  EXPECT_FALSE(table);
  if (table) return {};
  EXPECT_FALSE(table.error().hint.empty()) << table.error().what;
  EXPECT_EQ(table.error().where, "some.file") << table.error().what;
  return table.error();
}

std::string what_of(const std::string& bytes) { return error_of(bytes).what; }

TEST(KernelReader, a_format_is_known_by_content_packed_or_not) {
  const strobe::testing::TemporaryFolder folder;
  const auto source_of = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
    const Result<KernelTable> table = read_kernels(folder.path() / name);
    EXPECT_TRUE(table) << name << (table ? "" : table.error().what);
    if (!table) return KernelSource::kRecording;
    EXPECT_EQ(table->path, (folder.path() / name).string());
    return table->source;
  };
  EXPECT_EQ(source_of("a.json", kTable), KernelSource::kTextTable);
  EXPECT_EQ(source_of("b.csv", pack_gzip(kTable)), KernelSource::kTextTable);
  EXPECT_EQ(source_of("c.txt", kTrace), KernelSource::kTrace);
  EXPECT_EQ(source_of("d.txt", pack_gzip(kTrace)), KernelSource::kTrace);
  EXPECT_EQ(
      source_of("e", R"({"schema":"strobe.kernels","version":1,"kernels":[{"duration_ns":1}]})"),
      KernelSource::kJson);
}

TEST(KernelReader, a_program_may_print_anything_before_its_kernels) {
  const std::string table =
      "{'loss': 1.5}\n\"ID\",\"Process ID\",\"Kernel Name\","
      "\"gpu__time_duration.sum\"\n\"0\",\"1\",\"f\",\"32\"\n";
  EXPECT_TRUE(read_kernels_bytes(table, "k.csv"));
  std::string chatty;
  for (int i = 0; i < 40'000; ++i) chatty += "step " + std::to_string(i) + ", loss \"5\n";
  const Result<KernelTable> late = read_kernels_bytes(chatty + table, "k.csv");
  ASSERT_TRUE(late) << late.error().what;
  EXPECT_EQ(late->size(), 1u);
}

TEST(KernelReader, a_file_of_another_kind_is_named_with_what_to_do) {
  EXPECT_THAT(what_of(std::string("SQLite format 3\0...", 19)), HasSubstr("SQLite"));
  EXPECT_THAT(what_of("%PDF-1.7"), HasSubstr("PDF"));
  EXPECT_THAT(what_of("PK\x03\x04 and so on"), HasSubstr("zip"));
  EXPECT_THAT(what_of(""), HasSubstr("empty"));
  EXPECT_THAT(what_of("\n \n"), HasSubstr("empty"));
  EXPECT_THAT(what_of(std::string("\x01\x00\x02", 3)), HasSubstr("binary"));
  EXPECT_THAT(what_of("\xFF\xFE\"\0I\0D\0"), HasSubstr("UTF-16"));
  EXPECT_THAT(what_of("hello\n"), HasSubstr("not a table of kernels"));
  EXPECT_THAT(what_of("a,b\n1,2\n"), HasSubstr("Kernel Name"));
  EXPECT_THAT(what_of("\"ID\";\"Process ID\";\"Kernel Name\"\n"), HasSubstr("semicolons"));
  EXPECT_THAT(what_of("Time (%),Total Time (ns),Instances,Name\n"), HasSubstr("summary"));
  EXPECT_THAT(what_of("==PROF== Connected\n==PROF== Disconnected\n"), HasSubstr("log"));
  EXPECT_THAT(what_of("==ERROR== ERR_NVGPUCTRPERM - The user does not ...\n"),
              HasSubstr("permitted"));
  EXPECT_THAT(error_of("\"Launch Settings\"\n\"Working Directory\",\"/x\"\n").hint,
              HasSubstr("--page raw"));
  EXPECT_THAT(what_of("{\"a\": 1}"), HasSubstr("not a trace"));
  EXPECT_THAT(what_of("\"Metric Name\",\"Metric Value\"\n"), HasSubstr("'Kernel Name'"));
}

TEST(KernelReader, a_trace_without_kernels_has_too_little_data) {
  EXPECT_EQ(
      error_of(R"([{"ph":"X","cat":"cpu_op","name":"f","ts":1,"dur":2,"pid":1,"tid":1}])").code,
      ErrorCode::kTooLittleData);
}

TEST(KernelReader, a_folder_and_a_missing_file_are_errors) {
  const strobe::testing::TemporaryFolder folder;
  EXPECT_FALSE(read_kernels(folder.path()));
  const Result<KernelTable> missing = read_kernels(folder.path() / "none.csv");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(KernelReader, packed_bytes_that_break_off_keep_what_stands_before) {
  std::string text = "Kernel Latency Tensor DRAM\n";
  for (int i = 0; i < 50'000; ++i) {
    text += "kernel_" + std::to_string(i * 7919) + " | " + std::to_string(i) + " 0.10 0.20\n";
  }
  std::string packed = pack_gzip(text);
  packed.resize(packed.size() * 2 / 3);
  const Result<KernelTable> table = read_kernels_bytes(packed, "k.txt.gz");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_GT(table->size(), 1000u);
  EXPECT_LT(table->size(), 50'000u);
  EXPECT_THAT(table->remarks, Contains(HasSubstr("the part before it is kept")));
}

TEST(KernelReader, reading_stops_when_it_is_told_to) {
  const std::atomic<bool> cancelled = true;
  LoadOptions options;
  options.cancelled = &cancelled;
  for (const std::string& bytes : {kTable, kTrace, std::string("NVR\0\0\0\0\0", 8)}) {
    const Result<KernelTable> table = read_kernels_bytes(bytes, "k", options);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().code, ErrorCode::kInterrupted) << bytes;
  }
}

}  // namespace

namespace {

using namespace std::string_literals;

const std::string kTableHeader =
    "Kernel                                                 Latency Tensor   DRAM\n";
const std::string kCsv = "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Context\"\n";

TEST(KernelSniffTest, every_kind_of_list_is_recognised) {
  for (const std::string& text :
       {kTableHeader, kCsv, "ID,Process ID,Process Name,Kernel Name,Context\n"s,
        "\xEF\xBB\xBF" + kCsv, "Kernel Name,Stream,gpu__time_duration.sum\n"s, "NVR\0\x10\0\0\0"s,
        "STROBEKR\1\0\0\0"s, R"({"schema": "strobe.kernels", "version": 1})"s,
        " {\n  \"schema\" : \"strobe.kernels/1\"}"s}) {
    EXPECT_TRUE(looks_like_kernels(text)) << text;
    EXPECT_TRUE(looks_like_kernels(pack_gzip(text))) << text;
  }
}

TEST(KernelSniffTest, what_a_program_printed_may_come_first) {
  EXPECT_TRUE(looks_like_kernels("==PROF== Connected to process 7\nloss 0.3\n" + kCsv));
  EXPECT_TRUE(looks_like_kernels("loss 0.3\r\n" + kTableHeader));
  EXPECT_FALSE(looks_like_kernels(std::string(kSniffBytes, 'x') + "\n" + kCsv));
}

TEST(KernelSniffTest, other_tables_and_documents_are_not_lists_of_kernels) {
  for (const std::string& text :
       {""s, "{"s, "timestamp,gpu,gpu_sm_frequency\n1,0,1400\n"s, "Kernel Latency Tensor\n"s,
        "Kernel Latency Tensor DRAM Notes\n"s, "\"ID\",\"Process ID\",\"Host Name\"\n"s,
        "we sorted by Kernel Latency Tensor DRAM\n"s, R"({"schema": "strobe.compare"})"s,
        R"({"schema": "strobe.kernels.roofline"})"s, R"({"strobe.kernels": "schema"})"s,
        R"({"traceEvents": [{"name": "Kernel Latency Tensor DRAM"}]})"s, "PK\3\4"s, "\x1f\x8b"s}) {
    EXPECT_FALSE(looks_like_kernels(text)) << text;
  }
}

}  // namespace

namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

TEST(TraceKernels, come_by_device_then_start_and_copies_are_none) {
  const Trace trace = Sketch()
                          .stream(1, 7)
                          .slice("c", SliceKind::kKernel, 5_us, 3_us)
                          .stream(0, 9)
                          .slice("b", SliceKind::kKernel, 30_us, 2_us)
                          .correlation(12)
                          .slice("copy", SliceKind::kMemcpy, 35_us, 2_us)
                          .slice("set", SliceKind::kMemset, 38_us, 2_us)
                          .stream(0, 7)
                          .slice("a", SliceKind::kKernel, 10_us, 1_us)
                          .correlation(11)
                          .trace();
  const KernelTable table = kernels_of(trace, "trace.json");
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.source, KernelSource::kTrace);
  EXPECT_EQ(table.path, "trace.json");
  EXPECT_EQ(table.name(0), "a");
  EXPECT_EQ(table.name(1), "b");
  EXPECT_EQ(table.name(2), "c");
  EXPECT_THAT(table.durations_ns, ElementsAre(1000, 2000, 3000));
  EXPECT_THAT(table.ids, ElementsAre(11, 12, 2));
  EXPECT_THAT(table.device_indices, ElementsAre(0, 0, 1));
  EXPECT_THAT(table.streams, ElementsAre(7, 9, 7));
  EXPECT_TRUE(table.contexts.empty());
  EXPECT_FALSE(table.has(KernelMetric::kTensorPercent)) << "absent, not zero";
}

TEST(TraceKernels, the_numbers_of_a_launch_come_from_its_arguments) {
  Sketch sketch;
  DeviceProperties properties;
  properties.id = 0;
  properties.name = "Some Chip";
  properties.compute_major = 9;
  properties.multiprocessors = 132;
  sketch.metadata().devices = {properties};
  const Trace trace = sketch.stream(0, 7)
                          .slice("f", SliceKind::kKernel, 0_us, 1_us)
                          .args(R"({"grid": [2, 66, 1], "block": [384, 1, 1], "context": 3,
                    "registers per thread": 168, "shared memory": 213204, "blocks per SM": 1.5,
                    "warps per SM": 12.25, "est. achieved occupancy %": 19})")
                          .slice("g", SliceKind::kKernel, 2_us, 1_us)
                          .args(R"({"est. achieved occupancy %": 0, "grid": "?"})")
                          .slice("h", SliceKind::kKernel, 4_us, 1_us)
                          .trace();
  const KernelTable table = kernels_of(trace, "t");
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.grids[0], (LaunchShape{2, 66, 1}));
  EXPECT_EQ(table.blocks[0], (LaunchShape{384, 1, 1}));
  EXPECT_FALSE(table.grids[1].is_known());
  EXPECT_EQ(table.contexts[0], 3u);
  EXPECT_EQ(table.value(KernelMetric::kRegistersPerThread, 0), 168);
  EXPECT_EQ(table.value(KernelMetric::kSharedBytesPerBlock, 0), 213204);
  EXPECT_EQ(table.value(KernelMetric::kBlocksPerSm, 0), 1.5);
  EXPECT_EQ(table.value(KernelMetric::kWarpsPerSm, 0), 12.25);
  EXPECT_EQ(table.value(KernelMetric::kEstimatedOccupancyPercent, 0), 19);
  EXPECT_EQ(table.value(KernelMetric::kEstimatedOccupancyPercent, 1), std::nullopt);
  EXPECT_EQ(table.metrics[static_cast<std::size_t>(KernelMetric::kBlocksPerSm)].size(), 3u);
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].name, "Some Chip");
  EXPECT_EQ(table.devices[0].capability, "9.0");
  EXPECT_EQ(table.devices[0].sm_count, 132);
}

}  // namespace

TEST(TraceKernels, counters_beside_a_launch_become_metrics) {
  Sketch sketch;
  sketch.stream(0, 7)
      .slice("a", SliceKind::kKernel, 0_us, 9_us)
      .args(R"({"counters":{"FETCH_SIZE":2,"OccupancyPercent":40,"GRBM_COUNT":5}})")
      .slice("b", SliceKind::kKernel, 10_us, 9_us);
  const KernelTable table = kernels_of(sketch.trace(), "a.json");
  EXPECT_EQ(table.value(KernelMetric::kDramReadBytes, 0), 2048);
  EXPECT_EQ(table.value(KernelMetric::kOccupancyPercent, 0), 40);
  EXPECT_FALSE(table.has(KernelMetric::kInstructions));
  EXPECT_FALSE(table.value(KernelMetric::kDramReadBytes, 1));
}

TEST(KernelReader, a_snapshot_of_an_allocator_is_told_from_a_trace_without_kernels) {
  const Error error = error_of(strobe::testing::bytes_of(
      STROBE_SOURCE_DIR "/tests/fuzz/corpus/pickle_fuzz/snapshot_0.pickle"));
  EXPECT_EQ(error.code, ErrorCode::kTooLittleData);
  EXPECT_THAT(error.what, HasSubstr("snapshot of an allocator"));
  EXPECT_THAT(error.hint, HasSubstr("strobe summary"));
}

}  // namespace strobe::readers
