#include "strobe/trace/trace_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>

#include "strobe/trace/trace_file_layout.h"
#include "tests/support/sketch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

namespace strobe {
namespace {

using namespace literals;
using testing::bytes_of;
using testing::describe;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;

Trace some_trace() {
  Sketch sketch;
  sketch.thread(1)
      .slice("gemm", SliceKind::kOperator, 0_us, 9_us)
      .args(R"({"Input Dims": [[1, 2]]})")
      .sequence(4)
      .slice("launch", SliceKind::kRuntimeCall, 1_us, 2_us)
      .correlation(7)
      .owned_by("gemm")
      .memory(MemoryAction::kAllocate, "Place(gpu:0)", 2_us, 512)
      .totals(1'024, 2'048)
      .flow(3, FlowPhase::kStart, 1_us)
      .stream(0, 7)
      .slice("gemm_kernel", SliceKind::kKernel, 5_us, 40_us)
      .correlation(7)
      .owned_by("launch")
      .nests_until(50_us);
  sketch.metadata().devices.push_back({.id = 0, .name = "H200"});
  return sketch.trace();
}

ImportReport report_with_one_loss() {
  ImportReport report;
  report.add(ImportIssue::kBadNumber, 42, "dur");
  report.event_count = 5;
  return report;
}

class TraceFileTest : public ::testing::Test {
 protected:
  TraceFileTest() {
    EXPECT_TRUE(write_trace_file(path_, some_trace(), report_with_one_loss(), {1, 2}));
  }

  // The error for a file with these bytes.
  std::string refusal_of(std::string_view bytes) {
    put_bytes(path_, bytes);
    const Result<TraceFile> file = map_trace_file(path_);
    return file ? "accepted" : file.error().what;
  }

  // The file with one value of one section changed, opened without checksums.
  template <class T>
  std::string refusal_of_value(std::size_t section, std::size_t row, T value) {
    std::string bytes = bytes_of(path_);
    trace_file::Section entry;
    std::memcpy(&entry,
                bytes.data() + sizeof(trace_file::Header) + section * sizeof(trace_file::Section),
                sizeof entry);
    EXPECT_LE((row + 1) * sizeof(T), entry.bytes) << "the sketch is too small for this test";
    std::memcpy(bytes.data() + entry.offset + row * sizeof(T), &value, sizeof(T));
    const auto file = read_trace_file(nullptr, bytes, Checksums::kIgnored);
    return file ? "accepted" : file.error().what;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.trace";
};

TEST_F(TraceFileTest, a_mapped_trace_is_the_trace_that_was_written) {
  const Result<TraceFile> file = map_trace_file(path_);
  ASSERT_TRUE(file) << file.error().what;
  std::filesystem::remove(path_);
  EXPECT_EQ(describe(file->trace), describe(some_trace()));
  EXPECT_EQ(describe(file->report), describe(report_with_one_loss()));
  EXPECT_EQ(file->source, (ContentHash{1, 2}));
  EXPECT_EQ(file->trace.extent(), some_trace().extent());
  EXPECT_EQ(file->trace.strings().find("gemm"), some_trace().strings().find("gemm"));
}

TEST_F(TraceFileTest, a_moved_trace_takes_its_mapping_along) {
  Trace trace;
  {
    Result<TraceFile> file = map_trace_file(path_);
    ASSERT_TRUE(file);
    trace = std::move(file->trace);
  }
  EXPECT_EQ(describe(trace), describe(some_trace()));
}

TEST_F(TraceFileTest, an_empty_trace_is_one_too) {
  ASSERT_TRUE(write_trace_file(folder_ / "empty", TraceBuilder().build(), {}, {}));
  const Result<TraceFile> file = map_trace_file(folder_ / "empty");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(file->trace.slice_count(), 0u);
  EXPECT_EQ(file->trace.strings().find("x"), StringId());
}

TEST_F(TraceFileTest, only_the_owner_may_read_it_and_nothing_is_written_over) {
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const Result<void> again = write_trace_file(path_, some_trace(), {}, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kCannotWrite);
  EXPECT_TRUE(map_trace_file(path_)) << "the first one is still there";
  EXPECT_FALSE(write_trace_file(folder_ / "no" / "folder", some_trace(), {}, {}));
}

TEST_F(TraceFileTest, every_flipped_bit_is_seen) {
  const std::string bytes = bytes_of(path_);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    EXPECT_FALSE(read_trace_file(nullptr, damaged)) << "byte " << at;
  }
}

TEST_F(TraceFileTest, every_cut_is_seen) {
  const std::string bytes = bytes_of(path_);
  for (std::size_t cut = 1; cut < bytes.size(); cut += 61) {
    EXPECT_NE(refusal_of(std::string_view(bytes).substr(0, cut)), "accepted") << cut;
  }
  EXPECT_THAT(refusal_of(bytes + '\0'), HasSubstr("cut short"));
  EXPECT_EQ(refusal_of(bytes), "accepted");
}

TEST_F(TraceFileTest, another_version_is_not_read) {
  std::string bytes = bytes_of(path_);
  const auto with = [&](std::size_t offset, char byte) {
    std::string changed = bytes;
    changed[offset] = byte;
    return changed;
  };
  EXPECT_THAT(refusal_of(with(0, 'x')), HasSubstr("not a trace file"));
  EXPECT_THAT(refusal_of(with(offsetof(trace_file::Header, version), 99)),
              HasSubstr("another version"));
  EXPECT_THAT(refusal_of(with(offsetof(trace_file::Header, endian_mark), 1)),
              HasSubstr("another version"));
  EXPECT_THAT(refusal_of(with(offsetof(trace_file::Header, schema), 1)),
              HasSubstr("another version"));
  EXPECT_THAT(refusal_of(std::string(bytes.size(), '\0')), HasSubstr("not a trace file"));
}

TEST_F(TraceFileTest, sections_in_each_others_place_are_seen) {
  // Starts and durations: of equal length, and both without ids.
  std::string bytes = bytes_of(path_);
  trace_file::Section sections[2];
  std::memcpy(sections, bytes.data() + sizeof(trace_file::Header), sizeof sections);
  ASSERT_EQ(sections[0].bytes, sections[1].bytes);
  ASSERT_GT(sections[0].bytes, 0u);
  std::swap_ranges(
      bytes.begin() + static_cast<std::ptrdiff_t>(sections[0].offset),
      bytes.begin() + static_cast<std::ptrdiff_t>(sections[0].offset + sections[0].bytes),
      bytes.begin() + static_cast<std::ptrdiff_t>(sections[1].offset));
  std::swap(sections[0].checksum, sections[1].checksum);
  std::memcpy(bytes.data() + sizeof(trace_file::Header), sections, sizeof sections);
  trace_file::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum =
      checksum_of(std::span(bytes).first(trace_file::kFirstOffset), trace_file::kSectionCount);
  std::memcpy(bytes.data(), &header, sizeof header);
  EXPECT_THAT(refusal_of(bytes), HasSubstr("damaged"));
}

TEST_F(TraceFileTest, values_that_lead_out_of_bounds_are_refused_even_without_checksums) {
  enum Column : std::size_t {
    kStarts,
    kDurations,
    kNames,
    kTracks,
    kCategories,
    kKinds,
    kFlags,
    kCorrelations,
    kExternals,
    kArgs,
    kEnds,
    kOwners,
    kSequenceSlices
  };
  EXPECT_EQ(refusal_of_value<std::uint32_t>(kCorrelations, 0, 0xFFFFFF00u), "accepted");
  EXPECT_EQ(refusal_of_value<std::uint32_t>(kArgs, 0, ArgsId::kNone), "accepted");
  EXPECT_EQ(refusal_of_value<std::uint32_t>(kOwners, 0, SliceId::kNone), "accepted");
  for (const std::size_t column : {kNames, kTracks, kArgs, kOwners, kSequenceSlices}) {
    EXPECT_THAT(refusal_of_value<std::uint32_t>(column, 0, 1'000), HasSubstr("names nothing"))
        << column;
  }
  for (const std::size_t column : {kNames, kTracks, kSequenceSlices}) {
    EXPECT_THAT(refusal_of_value<std::uint32_t>(column, 0, 0xFFFFFFFFu), HasSubstr("names nothing"))
        << column;
  }
  EXPECT_THAT(refusal_of_value<std::uint16_t>(kCategories, 2, 0xFFFF), HasSubstr("names nothing"));
  EXPECT_THAT(refusal_of_value<std::uint8_t>(kKinds, 1, kSliceKinds), HasSubstr("impossible"));
  EXPECT_THAT(refusal_of_value<std::int64_t>(kDurations, 1, -1), HasSubstr("impossible"));
  for (const std::int64_t time_ns : {INT64_MIN, INT64_MAX}) {
    EXPECT_THAT(refusal_of_value(kStarts, 1, time_ns), HasSubstr("impossible"));
    EXPECT_THAT(refusal_of_value(kEnds, 1, time_ns), HasSubstr("impossible"));
  }
  EXPECT_THAT(refusal_of_value<std::uint64_t>(trace_file::kTextEnds, 0, 1'000'000),
              HasSubstr("its texts"));
  EXPECT_THAT(refusal_of_value<std::uint64_t>(trace_file::kTextEnds, 1, 0), HasSubstr("its texts"));
  EXPECT_THAT(refusal_of_value<std::uint64_t>(trace_file::kArgsBlocks, 1, 1'000'000),
              HasSubstr("its arguments"));
  EXPECT_THAT(refusal_of_value<std::uint64_t>(trace_file::kArgsBlocks, 0, 1'000'000'000'000),
              HasSubstr("its arguments"));
}

}  // namespace
}  // namespace strobe
