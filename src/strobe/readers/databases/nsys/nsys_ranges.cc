#include "strobe/readers/databases/nsys/nsys_ranges.h"

#include <array>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/readers/dialect.h"
#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/recording_names.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kNsysRanges = "NVTX_EVENTS";

constexpr std::int64_t kNoNsysSequence = -1;

// What the name of a range says about its slices.
struct NsysRangeText {
  StringId name;
  CategoryId category;
  ArgsId args;  // without what a single range has besides
  std::int64_t sequence_number = kNoNsysSequence;
  bool sequence_is_payload = false;
  SliceKind kind = SliceKind::kAnnotation;
  std::uint8_t flags = kNoFlags;
};

class NsysRanges {
 public:
  explicit NsysRanges(NsysFile& file)
      : file_(file),
        sink_(file.sink),
        texts_(file.texts),
        has_types_(file.tables.has(kNsysRanges, "eventType")) {
    find_values();
  }

  // Domains and categories may be named after their ranges.
  bool add_all() {
    if (has_types_ && has_names()) {
      file_.tables.read_first(kNsysRanges, kColumns,
                              [&](const sqlite::TableRows& row) { take_name(row); });
    }
    return file_.tables.read(kNsysRanges, kColumns,
                             [&](const sqlite::TableRows& row) { add(row); });
  }

 private:
  // Types of events, which the export explains in a table of its own, if at all.
  enum EventType : std::int64_t {
    kCategoryName = 33,
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kImportedMark = 65,
    kImportedPushPop = 70,
    kImportedStartEnd = 71,
    kDomain = 75,
    kDomainEnd = 76,
  };

  enum Column : std::size_t {
    kStart,
    kEnd,
    kType,
    kThread,
    kText,
    kTextId,
    kInDomain,
    kInCategory,
    kUnsigned64,
    kSigned64,
    kDouble,
    kUnsigned32,
    kSigned32,
    kFloat,
    kJson,
    kJsonId,
  };
  static constexpr auto kColumns = std::to_array<std::string_view>(
      {"start", "end", "eventType", "globalTid", "text", "textId", "domainId", "category",
       "uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue",
       "jsonText", "jsonTextId"});

  using DomainCategory = std::pair<std::int64_t, std::int64_t>;

  void find_values() {
    for (std::size_t column = kUnsigned64; column <= kJsonId; ++column) {
      if (file_.tables.has(kNsysRanges, kColumns[column])) {
        value_columns_.push_back(column);
      }
    }
  }

  // PERF: most tables have none, and the types alone are read faster.
  bool has_names() const {
    bool has = false;
    file_.tables.read_first(kNsysRanges, std::array<std::string_view, 1>{"eventType"},
                            [&](const sqlite::TableRows& row) {
                              const std::int64_t type = row.integer(0);
                              has |=
                                  type == kCategoryName || type == kThreadName || type == kDomain;
                            });
    return has;
  }

  void take_name(const sqlite::TableRows& row) {
    switch (row.integer(kType)) {
      case kDomain:
        domains_[row.integer(kInDomain)] = text_of(row);
        break;
      case kCategoryName:
        categories_[{row.integer(kInDomain), row.integer(kInCategory)}] = text_of(row);
        break;
      case kThreadName:
        sink_.tracks.name_thread(GlobalId::of(row.integer(kThread)).thread_id(), text_of(row));
        break;
      default:
        break;
    }
  }

  void add(const sqlite::TableRows& row) {
    const std::int64_t type = has_types_ ? row.integer(kType) : kPushPop;
    switch (type) {
      case kPushPop:
      case kImportedPushPop:
        add_range(row, file_.thread(row, kThread));
        break;
      case kStartEnd:
      case kImportedStartEnd:
        add_range(row, beside_threads(GlobalId::of(row.integer(kThread))));
        break;
      case kMark:
      case kImportedMark:
        add_mark(row);
        break;
      case kCategoryName:
      case kThreadName:
      case kDomain:
      case kDomainEnd:
        break;
      default:
        file_.tables.left_out.add(fmt::format("{} of type {}", kNsysRanges, type), 1);
        break;
    }
  }

  void add_range(const sqlite::TableRows& row, TrackId track) {
    const NsysRangeText text = find_text(row);
    TraceBuilder::SliceRow slice;
    slice.name = text.name;
    slice.track = track;
    slice.category = text.category;
    slice.kind = text.kind;
    slice.flags = text.flags;
    slice.args = args_of(row, text);
    const SliceId id(sink_.builder.slice_count());
    if (!file_.add(slice, row, kStart, kEnd, kNsysRanges)) return;
    const std::int64_t sequence =
        text.sequence_is_payload ? row.integer(kUnsigned64) : text.sequence_number;
    if (sequence == kNoNsysSequence) return;
    add_sequence(id, sequence, (text.flags & kBackwardWork) != 0);
  }

  void add_sequence(SliceId slice, std::int64_t number, bool is_backward) {
    SequenceVectors& sequences = sink_.builder.sequences();
    sequences.slices.push_back(slice);
    sequences.sequence_numbers.push_back(number);
    // The export does not say which thread ran the forward pass, only that another one did.
    sequences.forward_threads.push_back(is_backward ? 1 : 0);
    if (sequences.size() == NsysFile::kPackedAtOnce) sink_.builder.pack_sequences();
  }

  void add_mark(const sqlite::TableRows& row) {
    std::int64_t time_ns = 0;
    if (!read_time(row, kStart, kNsysRanges, sink_.report, time_ns)) return;
    const NsysRangeText text = find_text(row);
    file_.sink.add_instant(time_ns, text.name, file_.thread(row, kThread), text.category,
                           args_of(row, text));
  }

  TrackId beside_threads(GlobalId thread) {
    const auto [entry, is_new] = beside_.try_emplace(thread.process());
    if (is_new) entry->second = sink_.tracks.beside_threads(thread.process_id(), "ranges");
    return entry->second;
  }

  std::string_view text_of(const sqlite::TableRows& row) const {
    const std::string_view text = row.text(kText);
    return text.empty() && !row.is_null(kTextId) ? file_.texts.text_of(row.integer(kTextId)) : text;
  }

  // PERF: with PyTorch's operators, every range has a text of its own.
  NsysRangeText find_text(const sqlite::TableRows& row) {
    if (const std::string_view text = row.text(kText); !text.empty()) return make_text(text);
    if (row.is_null(kTextId)) return make_text({});
    return texts_.find(row.integer(kTextId), sink_.report,
                       [&](std::string_view text) { return make_text(text); });
  }

  NsysRangeText make_text(std::string_view words) {
    const RecordedName name = parse_recorded_name(words);
    NsysRangeText text = plain_text(name);
    text.sequence_number = name.sequence_number.value_or(kNoNsysSequence);
    text.sequence_is_payload = name.sequence_is_payload;
    text.args = keep(name, {});
    return text;
  }

  const NsysRangeText& plain_text(const RecordedName& name) {
    const StringId id = sink_.name(name.plain);
    const std::uint64_t key = std::uint64_t{id.value} << 1 | (name.is_operator ? 1u : 0u);
    const auto [entry, is_new] = plain_texts_.try_emplace(key);
    if (is_new) {
      const std::string_view category = name.is_operator ? "cpu_op" : "user_annotation";
      const NameRule rule = kKinetoDialect.name_rule(
          name.is_operator ? SliceKind::kOperator : SliceKind::kAnnotation, category, name.plain);
      NsysRangeText& text = entry->second;
      text.name = id;
      text.category = sink_.builder.category(category);
      text.kind = rule.kind;
      text.flags = rule.flags;
    }
    return entry->second;
  }

  ArgsId args_of(const sqlite::TableRows& row, const NsysRangeText& text) {
    if (!sink_.keeps_args()) return {};
    RangeDetails details;
    const std::int64_t domain = row.integer(kInDomain);
    const std::int64_t category = row.integer(kInCategory);
    if (domain != 0) details.domain = name_in(domains_, domain);
    if (category != 0) details.category = name_in(categories_, DomainCategory{domain, category});
    const bool has_payload = read_payload(row, details);
    if (!has_payload && details.domain.empty() && details.category.empty()) return text.args;
    const bool tells_more = has_payload || text.args.valid();
    if (tells_more) return keep(parse_recorded_name(text_of(row)), details);
    const auto [entry, is_new] = detailed_args_.try_emplace(DomainCategory{domain, category});
    if (is_new) entry->second = keep({}, details);
    return entry->second;
  }

  template <class Names, class Key>
  static std::string_view name_in(const Names& names, const Key& key) {
    const auto found = names.find(key);
    return found == names.end() ? std::string_view() : found->second;
  }

  // A range has one value at most.
  bool read_payload(const sqlite::TableRows& row, RangeDetails& details) const {
    for (const std::size_t column : value_columns_) {
      if (row.is_null(column)) continue;
      take_payload(row, column, details);
      return true;
    }
    return false;
  }

  void take_payload(const sqlite::TableRows& row, std::size_t column, RangeDetails& details) const {
    switch (column) {
      case kUnsigned64:
      case kUnsigned32:
        details.payload_type = wire::PayloadType::kUnsigned;
        details.payload = static_cast<std::uint64_t>(row.integer(column));
        break;
      case kSigned64:
      case kSigned32:
        details.payload_type = wire::PayloadType::kSigned;
        details.payload = static_cast<std::uint64_t>(row.integer(column));
        break;
      case kDouble:
      case kFloat:
        details.payload_type = wire::PayloadType::kReal;
        details.payload = std::bit_cast<std::uint64_t>(row.real(column));
        break;
      case kJson:
        details.payload_text = row.text(column);
        break;
      default:
        details.payload_text = file_.texts.text_of(row.integer(column));
        break;
    }
  }

  ArgsId keep(const RecordedName& name, const RangeDetails& details) {
    if (!sink_.keeps_args()) return {};
    write_range_args(name, details, scratch_);
    return sink_.keep(scratch_);
  }

  NsysFile& file_;
  TraceSink& sink_;
  PerText<NsysRangeText> texts_;
  bool has_types_;
  std::unordered_map<std::uint64_t, NsysRangeText> plain_texts_;  // by name and is_operator
  std::vector<std::size_t> value_columns_;
  std::map<std::int64_t, std::string> domains_;
  std::map<DomainCategory, std::string> categories_;
  std::map<DomainCategory, ArgsId> detailed_args_;  // of names without more
  std::unordered_map<std::uint64_t, TrackId> beside_;
  std::string scratch_;
};

}  // namespace

bool add_nsys_ranges(NsysFile& file) {
  return !file.tables.has(kNsysRanges) || NsysRanges(file).add_all();
}

}  // namespace strobe::readers
