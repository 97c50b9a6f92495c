#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/readers/trace_reader.h"
#include "tests/support/run_file_sketch.h"

// A killed process leaves half a file, a bad disk flips bits: every row of a whole chunk is in the
// trace, and nothing else is lost.
namespace strobe::readers {
namespace {

using wire::ChunkKind;

// Rows of every kind, in chunks of a few rows each, with definitions in between.
void draw_a_process(test::RunFileSketch& run) {
  std::mt19937_64 random(5);
  run.process(17);
  std::uint64_t time = 1'000'000;
  std::uint64_t correlation = 0;
  for (int round = 0; round < 60; ++round) {
    const auto thread = run.thread(100 + static_cast<std::uint64_t>(round), "worker");
    const auto kernel = run.kernel_shape("kernel " + std::to_string(round), round % 2, 7);
    const auto copy = run.shape(wire::ShapeWhat::kCopy, "Memcpy " + std::to_string(round), 0, 7);
    const auto launch = run.text("call " + std::to_string(round));
    const auto range = run.text("range " + std::to_string(round));
    wire::ChunkRows work(ChunkKind::kWork);
    wire::ChunkRows copies(ChunkKind::kCopies);
    wire::ChunkRows calls(ChunkKind::kCalls);
    wire::ChunkRows ranges(ChunkKind::kRanges);
    for (std::uint64_t row = 0; row < 1 + random() % 40; ++row) {
      time += 1 + random() % 5000;
      calls.add({thread, launch, time, 1 + random() % 300, ++correlation, 0});
      work.add({kernel, time + 500, random() % 100'000, correlation});
      if (row % 4 == 0) copies.add({copy, time + 700, 50, correlation, random() % 4096});
      if (row % 3 == 0) ranges.add({thread, range, 0, 0, 0, time - 50, 900, 0, 0});
    }
    for (wire::ChunkRows* rows : {&calls, &work, &copies, &ranges}) run.writer().write(*rows);
  }
}

// The file taken apart a second time, by nothing but its documented layout.
struct PlainChunk {
  std::size_t offset = 0;
  std::size_t end = 0;  // with padding
  std::uint16_t kind = 0;
  std::uint32_t rows = 0;
};

template <class Number>
Number number_at(std::string_view file, std::size_t offset) {
  Number number = 0;
  std::memcpy(&number, file.data() + offset, sizeof number);
  return number;
}

std::vector<PlainChunk> chunks_of_file(std::string_view file) {
  std::vector<PlainChunk> chunks;
  for (std::size_t at = 0; at < file.size();) {
    PlainChunk chunk;
    chunk.offset = at;
    chunk.kind = number_at<std::uint16_t>(file, at + 10);
    chunk.rows = number_at<std::uint32_t>(file, at + 12);
    at += 40 + (number_at<std::uint32_t>(file, at + 16) + 7) / 8 * 8;
    chunk.end = at;
    chunks.push_back(chunk);
  }
  return chunks;
}

std::size_t kind_number(ChunkKind kind) { return static_cast<std::size_t>(kind); }

using RowCounts = std::array<std::uint64_t, wire::kChunkKinds>;

RowCounts rows_in(const std::vector<PlainChunk>& chunks, auto is_whole) {
  RowCounts rows = {};
  for (const PlainChunk& chunk : chunks) {
    if (is_whole(chunk)) rows[chunk.kind] += chunk.rows;
  }
  return rows;
}

RowCounts rows_in(const Trace& trace) {
  RowCounts rows = {};
  for (const SliceKind kind : trace.slices().kinds) {
    switch (kind) {
      case SliceKind::kKernel:
        ++rows[kind_number(ChunkKind::kWork)];
        break;
      case SliceKind::kMemcpy:
        ++rows[kind_number(ChunkKind::kCopies)];
        break;
      case SliceKind::kRuntimeCall:
        ++rows[kind_number(ChunkKind::kCalls)];
        break;
      case SliceKind::kAnnotation:
        ++rows[kind_number(ChunkKind::kRanges)];
        break;
      default:
        ADD_FAILURE() << "the file has no such slices";
    }
  }
  return rows;
}

void expect_all_rows(const RowCounts& expected, const Trace& trace, const std::string& where) {
  const RowCounts found = rows_in(trace);
  for (const ChunkKind kind :
       {ChunkKind::kWork, ChunkKind::kCopies, ChunkKind::kCalls, ChunkKind::kRanges}) {
    EXPECT_EQ(found[kind_number(kind)], expected[kind_number(kind)])
        << where << ", kind " << kind_number(kind);
  }
}

class RunFileCutsTest : public ::testing::Test {
 protected:
  const std::string file_ = test::run_file_bytes(draw_a_process);
  const std::vector<PlainChunk> chunks_ = chunks_of_file(file_);
};

TEST_F(RunFileCutsTest, the_whole_file_has_every_row) {
  const auto loaded = read_trace_bytes(file_, "whole");
  ASSERT_TRUE(loaded);
  expect_all_rows(rows_in(chunks_, [](const PlainChunk&) { return true; }), loaded->trace, "whole");
  EXPECT_TRUE(loaded->report.is_clean());
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 0u);
}

TEST_F(RunFileCutsTest, every_cut_keeps_the_whole_chunks_before_it) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t cut = chunks_[0].end + random() % (file_.size() - chunks_[0].end);
    const auto half = read_trace_bytes(std::string_view(file_).substr(0, cut), "half");
    const std::string where = "cut at " + std::to_string(cut);
    ASSERT_TRUE(half) << where;
    const auto is_whole = [&](const PlainChunk& chunk) {
      const std::size_t payload = number_at<std::uint32_t>(file_, chunk.offset + 16);
      return chunk.offset + 40 + payload <= cut;  // its padding may be missing
    };
    expect_all_rows(rows_in(chunks_, is_whole), half->trace, where);
    EXPECT_EQ(half->report[ImportIssue::kLostName].count, 0u) << where;
    EXPECT_EQ(half->report[ImportIssue::kDamagedChunk].count, 0u) << where;
    const bool is_between = std::ranges::any_of(
        chunks_, [&](const PlainChunk& chunk) { return is_whole(chunk) && cut <= chunk.end; });
    EXPECT_EQ(half->report[ImportIssue::kTruncatedFile].count, is_between ? 0u : 1u) << where;
  }
}

// What a name became when chunks were lost: itself, or that it is lost.
bool is_name_or_lost(const std::set<std::string>& names, std::string_view name) {
  return name == "(lost name)" || names.contains(std::string(name));
}

std::set<std::string> names_in_trace(const Trace& trace) {
  std::set<std::string> names;
  for (const StringId id : trace.slices().names) names.emplace(trace.strings()[id]);
  return names;
}

TEST_F(RunFileCutsTest, flipped_bits_lose_only_their_chunks) {
  const auto whole = read_trace_bytes(file_, "whole");
  ASSERT_TRUE(whole);
  const std::set<std::string> names = names_in_trace(whole->trace);
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string broken = file_;
    std::set<std::size_t> hit;  // offsets of chunks
    for (std::uint64_t i = 0; i < 1 + random() % 5; ++i) {
      const std::size_t at = random() % file_.size();
      const auto chunk = std::ranges::find_if(
          chunks_, [&](const PlainChunk& one) { return at >= one.offset && at < one.end; });
      const std::size_t payload = number_at<std::uint32_t>(file_, chunk->offset + 16);
      broken[at] = static_cast<char>(broken[at] ^ (1 << random() % 8));
      if (at < chunk->offset + 40 + payload) hit.insert(chunk->offset);
    }
    const std::string where = "round " + std::to_string(round);
    // A bit that was flipped twice is whole again.
    std::erase_if(hit, [&](std::size_t offset) {
      const auto chunk = std::ranges::find(chunks_, offset, &PlainChunk::offset);
      return std::string_view(broken).substr(offset, chunk->end - offset) ==
             std::string_view(file_).substr(offset, chunk->end - offset);
    });
    const auto loaded = read_trace_bytes(broken, "broken");
    if (!loaded) {
      EXPECT_TRUE(hit.contains(0)) << where << ": only its first bytes tell what a file is";
      continue;
    }
    const auto is_whole = [&](const PlainChunk& chunk) { return !hit.contains(chunk.offset); };
    expect_all_rows(rows_in(chunks_, is_whole), loaded->trace, where);
    for (const std::string& name : names_in_trace(loaded->trace)) {
      EXPECT_TRUE(is_name_or_lost(names, name)) << where << ": " << name;
    }
    EXPECT_EQ(loaded->report.lost_something(), !hit.empty()) << where;
  }
}

TEST_F(RunFileCutsTest, a_lost_name_takes_no_other_names_place) {
  const auto whole = read_trace_bytes(file_, "whole");
  ASSERT_TRUE(whole);
  std::map<std::int64_t, std::string> by_start;
  for (std::size_t i = 0; i < whole->trace.slice_count(); ++i) {
    if (whole->trace.kind(SliceId(i)) != SliceKind::kKernel) continue;
    by_start[whole->trace.start_ns(SliceId(i))] = whole->trace.name(SliceId(i));
  }
  for (const PlainChunk& chunk : chunks_) {
    if (chunk.kind != kind_number(ChunkKind::kTexts) &&
        chunk.kind != kind_number(ChunkKind::kShapes))
      continue;
    std::string broken = file_;
    broken[chunk.offset + 40] ^= 1;
    const auto loaded = read_trace_bytes(broken, "broken");
    ASSERT_TRUE(loaded);
    for (std::size_t i = 0; i < loaded->trace.slice_count(); ++i) {
      if (loaded->trace.kind(SliceId(i)) != SliceKind::kKernel) continue;
      const std::string_view name = loaded->trace.name(SliceId(i));
      EXPECT_TRUE(name == "(lost name)" || name == by_start[loaded->trace.start_ns(SliceId(i))]);
    }
  }
}

}  // namespace
}  // namespace strobe::readers
