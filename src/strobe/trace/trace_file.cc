#include "strobe/trace/trace_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/trace/trace_facts.h"
#include "strobe/trace/trace_file_layout.h"

namespace strobe {
namespace {

using namespace trace_file;  // NOLINT(google-build-using-namespace): this file speaks its words

Error unusable(std::string what) { return {ErrorCode::kMalformed, std::move(what), {}, {}}; }
Error inconsistent(std::string_view what) {
  return unusable("the trace file contradicts itself: " + std::string(what));
}

}  // namespace

// Not in an anonymous namespace: TraceFileReader, a friend of Trace, has a member of it.
namespace trace_file {

// Checks header and table; then gives access to the sections by number.
class Sections {
 public:
  static Result<Sections> of(std::span<const char> bytes, Checksums checksums) {
    Sections sections;
    sections.bytes_ = bytes;
    if (bytes.size() < kFirstOffset) return unusable("too short for a trace file");
    std::memcpy(&sections.header_, bytes.data(), sizeof(Header));
    const Header& header = sections.header_;
    if (header.magic != kMagic) return unusable("not a trace file");
    if (header.endian_mark != kEndianMark || header.version != kVersion ||
        header.schema != schema_of_this_build() || header.section_count != kSectionCount) {
      return unusable("the trace file was written by another version of strobe");
    }
    if (header.file_bytes != bytes.size()) return unusable("the trace file was cut short");
    std::memcpy(sections.table_.data(), bytes.data() + sizeof(Header), sizeof(sections.table_));
    std::uint64_t offset = kFirstOffset;
    for (const Section& section : sections.table_) {
      if (section.offset != offset || section.bytes > bytes.size() - offset) {
        return inconsistent("its table of sections");
      }
      offset += padded(section.bytes);
      if (offset > bytes.size()) return inconsistent("its table of sections");
    }
    if (offset != bytes.size()) return inconsistent("bytes after its last section");
    if (checksums == Checksums::kVerified && !sections.checksums_hold()) {
      return unusable("the trace file is damaged");
    }
    return sections;
  }

  const ContentHash& source() const { return header_.source; }

  std::span<const char> operator[](std::size_t number) const {
    return bytes_.subspan(table_[number].offset, table_[number].bytes);
  }
  // False if the section is not a whole number of values.
  template <class T>
  bool get(std::size_t number, std::span<const T>& values) const {
    const std::span<const char> bytes = (*this)[number];
    values = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    return bytes.size() % sizeof(T) == 0;
  }

 private:
  bool checksums_hold() const {
    std::vector<char> front(bytes_.begin(), bytes_.begin() + kFirstOffset);
    Header header = header_;
    header.checksum = 0;
    std::memcpy(front.data(), &header, sizeof header);
    if (checksum_of(front, kSectionCount) != header_.checksum) return false;
    for (std::size_t number = 0; number < table_.size(); ++number) {
      const Section& section = table_[number];
      const auto covered = bytes_.subspan(section.offset, padded(section.bytes));
      if (checksum_of(covered, number) != section.checksum) return false;
    }
    return true;
  }

  std::span<const char> bytes_;
  Header header_;
  std::array<Section, kSectionCount> table_;
};

}  // namespace trace_file

namespace {

std::optional<StringPool> strings_in(const Sections& sections) {
  std::span<const std::uint64_t> ends;
  std::span<const StringPool::Slot> slots;
  if (!sections.get(kTextEnds, ends) || !sections.get(kTextSlots, slots)) return std::nullopt;
  if (ends.size() >= StringId::kNone) return std::nullopt;
  const std::span<const char> bytes = sections[kTextBytes];
  std::vector<std::string_view> texts;
  texts.reserve(ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > bytes.size()) return std::nullopt;
    texts.emplace_back(bytes.data() + begin, end - begin);
    begin = end;
  }
  return StringPool::restore(std::move(texts), {slots.begin(), slots.end()});
}

std::optional<ArgsStore> args_in(const Sections& sections) {
  std::span<const ArgsBlock> records;
  if (!sections.get(kArgsBlocks, records)) return std::nullopt;
  const std::span<const char> bytes = sections[kArgsBytes];
  std::vector<ArgsStore::Block> blocks;
  blocks.reserve(records.size());
  std::uint64_t packed_begin = 0;
  std::uint32_t first = 0;
  for (const ArgsBlock& record : records) {
    if (record.packed_end < packed_begin || record.packed_end > bytes.size()) return std::nullopt;
    blocks.push_back(
        {first, record.raw_bytes, bytes.subspan(packed_begin, record.packed_end - packed_begin)});
    packed_begin = record.packed_end;
    first = record.text_end;
  }
  return ArgsStore::borrow(std::move(blocks), first);
}

// Checks that columns from a file, which are not packed, cannot lead to reads out of bounds. Each
// check is one pass without branches, which compilers turn into vector instructions.

template <class Tag, class Rep>
bool ids_are_below(std::size_t rows, const Column<Id<Tag, Rep>>& ids) {
  Rep highest = 0;
  for (const auto id : ids.unpacked()) highest = std::max(highest, id.value);
  return ids.empty() || highest < rows;
}

// The invalid id is allowed: adding one gives 0.
template <class Tag, class Rep>
bool ids_are_below_or_invalid(std::size_t rows, const Column<Id<Tag, Rep>>& ids) {
  Rep highest = 0;
  for (const auto id : ids.unpacked()) {
    highest = std::max(highest, static_cast<Rep>(id.value + 1));
  }
  return highest <= rows;
}

template <class Enum>
bool values_are_at_most(Enum last, const Column<Enum>& values) {
  std::uint8_t highest = 0;
  for (const Enum value : values.unpacked()) {
    highest = std::max(highest, static_cast<std::uint8_t>(value));
  }
  return highest <= static_cast<std::uint8_t>(last);
}

// No time is so large that adding two of them overflows.
bool times_are_sane(const Column<std::int64_t>& times_ns) {
  constexpr auto kFarthest = std::uint64_t{1} << 62;
  std::uint64_t farthest = 0;
  for (const std::int64_t time_ns : times_ns.unpacked()) {
    farthest |= static_cast<std::uint64_t>(time_ns ^ (time_ns >> 63));
  }
  return farthest < kFarthest;
}

bool durations_are_sane(const Column<std::int64_t>& durations_ns) {
  std::uint64_t bits = 0;
  for (const std::int64_t duration_ns : durations_ns.unpacked())
    bits |= static_cast<std::uint64_t>(duration_ns);
  return bits < std::uint64_t{1} << 62;
}

template <class T>
bool is_ascending(const Column<T>& values) {
  return std::ranges::is_sorted(values.unpacked());
}

}  // namespace

// Builds a Trace over a mapped file, without trusting its content.
class TraceFileReader {
 public:
  explicit TraceFileReader(const Sections& sections) : sections_(sections) {}

  Result<TraceFile> read(std::shared_ptr<const void> keeper) && {
    if (!borrow_columns()) return inconsistent("the length of a column");
    std::optional<StringPool> strings = strings_in(sections_);
    if (!strings) return inconsistent("its texts");
    trace_.strings_ = *std::move(strings);
    std::optional<ArgsStore> args = args_in(sections_);
    if (!args) return inconsistent("its arguments");
    trace_.args_ = *std::move(args);
    std::optional<Facts> facts = decode_facts(sections_[kFacts]);
    if (!facts) return inconsistent("its facts");
    trace_.metadata_ = std::move(facts->metadata);
    trace_.tracks_ = std::move(facts->tracks);
    trace_.categories_ = std::move(facts->categories);
    trace_.extent_ = facts->extent;
    trace_.memory_.owners_are_known = facts->memory_owners_are_known;
    if (!tables_have_rows()) return inconsistent("tables with rows of unequal length");
    if (!ids_lead_somewhere()) return inconsistent("an id that names nothing");
    if (!values_are_sane()) return inconsistent("an impossible value");
    trace_.mapping_ = std::move(keeper);
    return TraceFile{std::move(trace_), std::move(facts->report), sections_.source()};
  }

 private:
  bool borrow_columns() {
    std::size_t number = 0;
    const auto borrow = [&]<class T>(Column<T>& column) {
      std::span<const T> values;
      const bool is_whole = sections_.get(number++, values);
      column = Column<T>::borrow(values);
      return is_whole;
    };
    return std::apply(
        [&](auto&... columns) { return (borrow(columns) && ...); },
        all_columns(trace_.slices_, trace_.nesting_hints_, trace_.sequences_, trace_.instants_,
                    trace_.flows_, trace_.counters_, trace_.memory_));
  }

  bool tables_have_rows() const {
    const std::size_t slices = trace_.slice_count();
    const NestingHints& hints = trace_.nesting_hints();
    return slices < SliceId::kNone && has_rows(trace_.slices(), slices) &&
           (hints.ends_ns.empty() || hints.ends_ns.size() == slices) &&
           (hints.owners.empty() || hints.owners.size() == slices) &&
           has_rows(trace_.sequences(), trace_.sequences().slices.size()) &&
           has_rows(trace_.instants(), trace_.instants().size()) &&
           has_rows(trace_.flows(), trace_.flows().size()) &&
           has_rows(trace_.counters(), trace_.counters().size()) &&
           has_rows(trace_.memory(), trace_.memory().size());
  }

  bool ids_lead_somewhere() const {
    const std::size_t strings = trace_.strings().size();
    const std::size_t tracks = trace_.tracks().size();
    const std::size_t categories = trace_.categories().size();
    const std::size_t args = trace_.args().size();
    const std::size_t slices = trace_.slice_count();
    const SliceColumns& s = trace_.slices();
    const InstantColumns& i = trace_.instants();
    const FlowColumns& f = trace_.flows();
    const CounterColumns& c = trace_.counters();
    const MemoryColumns& m = trace_.memory();
    const auto is_text = [&](StringId id) { return id.index() < strings; };
    const auto is_text_or_invalid = [&](StringId id) { return !id.valid() || is_text(id); };
    return ids_are_below(strings, s.names) && ids_are_below(tracks, s.tracks) &&
           ids_are_below(categories, s.categories) && ids_are_below_or_invalid(args, s.args) &&
           ids_are_below_or_invalid(slices, trace_.nesting_hints().owners) &&
           ids_are_below(slices, trace_.sequences().slices) && ids_are_below(strings, i.names) &&
           ids_are_below(tracks, i.tracks) && ids_are_below(categories, i.categories) &&
           ids_are_below_or_invalid(args, i.args) && ids_are_below(tracks, f.tracks) &&
           ids_are_below(categories, f.categories) && ids_are_below(tracks, c.tracks) &&
           ids_are_below(strings, c.names) && ids_are_below(strings, c.series) &&
           ids_are_below(tracks, m.tracks) && ids_are_below(strings, m.places) &&
           ids_are_below_or_invalid(slices, m.owners) &&
           std::all_of(trace_.categories().begin(), trace_.categories().end(),
                       [&](const Category& category) { return is_text(category.name); }) &&
           std::all_of(trace_.tracks().begin(), trace_.tracks().end(), [&](const Track& track) {
             return is_text(track.process) && is_text(track.thread) &&
                    is_text_or_invalid(track.process_name) && is_text_or_invalid(track.thread_name);
           });
  }

  bool values_are_sane() const {
    const SliceColumns& s = trace_.slices();
    return times_are_sane(s.starts_ns) && durations_are_sane(s.durations_ns) &&
           times_are_sane(trace_.nesting_hints().ends_ns) &&
           values_are_at_most(static_cast<SliceKind>(kSliceKinds - 1), s.kinds) &&
           is_ascending(trace_.sequences().slices) &&
           values_are_at_most(FlowPhase::kEnd, trace_.flows().phases) &&
           values_are_at_most(MemoryAction::kUnreserve, trace_.memory().actions) &&
           trace_.extent().start_ns <= trace_.extent().end_ns &&
           std::all_of(trace_.tracks().begin(), trace_.tracks().end(),
                       [](const Track& track) { return track.kind <= TrackKind::kOther; });
  }

  const Sections& sections_;
  Trace trace_;
};

Result<TraceFile> read_trace_file(std::shared_ptr<const void> keeper, std::span<const char> bytes,
                                  Checksums checksums) {
  STROBE_TRY(const Sections sections, Sections::of(bytes, checksums));
  return TraceFileReader(sections).read(std::move(keeper));
}

Result<TraceFile> map_trace_file(const std::string& path) {
  STROBE_TRY(const auto file, MappedFile::open(path));
  Result<TraceFile> answer = read_trace_file(file, file->bytes());
  if (answer) return answer;
  Error error = std::move(answer).error();
  error.where = path;
  return error;
}

bool is_trace_file(std::span<const char> first_bytes) {
  const auto& magic = trace_file::kMagic;
  return first_bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), first_bytes.begin());
}

}  // namespace strobe
