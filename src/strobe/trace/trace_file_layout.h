#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "strobe/base/hash.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::trace_file {

inline constexpr std::array<char, 8> kMagic = {'\x89', 'S', 'T', 'R', 'O', 'B', 'E', '\n'};
inline constexpr std::uint32_t kEndianMark = 0x01020304u;
inline constexpr std::uint32_t kVersion = 2;  // incremented when a layout or a meaning changes
inline constexpr std::size_t kAlignment = 64;

// It is followed by the table of sections, and then by the sections in its order. Every part starts
// at a multiple of kAlignment; the bytes between are zero and belong to the checksum of the part
// before.
struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t endian_mark = kEndianMark;
  std::uint32_t version = kVersion;
  std::uint64_t file_bytes = 0;
  std::uint32_t section_count = 0;
  std::uint32_t reserved = 0;
  std::uint64_t schema = 0;  // schema_of_this_build()
  ContentHash source;
  std::uint64_t checksum = 0;  // of this header with 0 here, and of the table
};
static_assert(sizeof(Header) == kAlignment);

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // seeded with the section's number
};
static_assert(sizeof(Section) == 24);

// A block of the ArgsStore. It starts where the previous one ends.
struct ArgsBlock {
  std::uint64_t raw_bytes = 0;
  std::uint64_t packed_end = 0;  // in kArgsBytes
  std::uint32_t text_end = 0;    // ArgsId after its last text
  std::uint32_t reserved = 0;
};
static_assert(sizeof(ArgsBlock) == 24);

// The columns of all tables; section N is column N. Works for both sides of a Trace.
auto all_columns(auto& slices, auto& hints, auto& sequences, auto& instants, auto& flows,
                 auto& counters, auto& memory) {
  return std::tuple_cat(columns_of(slices), columns_of(hints), columns_of(sequences),
                        columns_of(instants), columns_of(flows), columns_of(counters),
                        columns_of(memory));
}
inline auto all_columns(const Trace& trace) {
  return all_columns(trace.slices(), trace.nesting_hints(), trace.sequences(), trace.instants(),
                     trace.flows(), trace.counters(), trace.memory());
}

using ColumnTuple = decltype(all_columns(std::declval<const Trace&>()));
inline constexpr std::size_t kColumns = std::tuple_size_v<ColumnTuple>;

// The sections after the columns.
enum SectionNumber : std::size_t {
  kTextEnds = kColumns,  // of each string, in kTextBytes
  kTextBytes,
  kTextSlots,  // StringPool::Slot
  kArgsBlocks,
  kArgsBytes,
  kFacts,  // all small data: see trace_facts.h
  kSectionCount,
};

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}
inline constexpr std::size_t kFirstOffset =
    sizeof(Header) + padded(kSectionCount * sizeof(Section));

// A fingerprint of what the version number does not cover: which columns there are and how wide,
// and how many kinds and issues the enums have.
constexpr std::uint64_t schema_of_this_build() {
  std::uint64_t schema = kFnvStart;
  const auto mix = [&](std::uint64_t value) { schema = fnv1a(schema, value); };
  const auto mix_columns = [&]<class... Columns>(const std::tuple<Columns...>*) {
    (mix(sizeof(typename std::remove_cvref_t<Columns>::value_type)), ...);
  };
  mix_columns(static_cast<const ColumnTuple*>(nullptr));
  mix(sizeof(StringPool::Slot));
  mix(kSliceKinds);
  mix(static_cast<std::uint64_t>(ImportIssue::kCount_));
  return schema;
}

}  // namespace strobe::trace_file
