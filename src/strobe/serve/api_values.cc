#include "strobe/serve/api_values.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace strobe::serve {
namespace {

constexpr std::int64_t kMostNs = std::int64_t{1} << 53;  // exact in a double
constexpr std::int64_t kMostColumns = 8192;
constexpr std::uint32_t kNoIndex = 0xFFFFFFFFu;

Error no_such(std::string_view parameter, std::string_view noun, std::int64_t id) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("the trace has no {} {}", noun, id),
          .where = std::string(parameter),
          .hint = "ids change with the file; load the timeline again"};
}

bool is_below(std::int64_t id, std::size_t count) {
  return id >= 0 && static_cast<std::uint64_t>(id) < count;
}

std::int64_t since_clock(std::int64_t origin_ns, std::int64_t time_ns) {
  std::int64_t sum_ns = 0;
  if (!__builtin_add_overflow(origin_ns, time_ns, &sum_ns)) return sum_ns;
  return time_ns < 0 ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
}

template <class AnId>
Result<std::optional<std::vector<AnId>>> ids_of(const Query& query, std::string_view parameter,
                                                std::string_view noun, std::size_t count) {
  STROBE_TRY(const auto numbers, query.integers(parameter));
  if (!numbers) return std::optional<std::vector<AnId>>();
  std::vector<AnId> ids;
  for (const std::int64_t number : *numbers) {
    if (!is_below(number, count)) return no_such(parameter, noun, number);
    ids.push_back(AnId(static_cast<std::size_t>(number)));
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return std::optional(std::move(ids));
}

}  // namespace

int kind_code(SliceKind kind, bool communicates) {
  if (communicates) return 5;
  switch (kind) {
    case SliceKind::kOther:
      return 0;
    case SliceKind::kStep:
      return 1;
    case SliceKind::kOperator:
    case SliceKind::kOperatorPhase:
    case SliceKind::kPythonOp:
      return 2;
    case SliceKind::kUserRange:
    case SliceKind::kAnnotation:
    case SliceKind::kForward:
    case SliceKind::kBackward:
    case SliceKind::kOptimizer:
    case SliceKind::kDynamicLaunch:
    case SliceKind::kStaticLaunch:
      return 3;
    case SliceKind::kDataLoader:
      return 4;
    case SliceKind::kCommunication:
      return 5;
    case SliceKind::kPythonCall:
      return 6;
    case SliceKind::kRuntimeCall:
      return 7;
    case SliceKind::kOverhead:
    case SliceKind::kSync:
    case SliceKind::kProfiler:
      return 8;
    case SliceKind::kKernel:
      return 9;
    case SliceKind::kMemcpy:
      return 10;
    case SliceKind::kMemset:
      return 11;
    case SliceKind::kDeviceAnnotation:
      return 12;
    case SliceKind::kCondition:
      return 13;
  }
  return 0;
}

std::string_view word_of(TrackKind kind) {
  switch (kind) {
    case TrackKind::kHostThread:
      return "host";
    case TrackKind::kDeviceStream:
      return "device";
    case TrackKind::kAsync:
      return "async";
    case TrackKind::kOther:
      break;
  }
  return "other";
}

Result<Interval> window_since(const Query& query, std::int64_t origin_ns) {
  STROBE_TRY(const std::int64_t start_ns, query.integer("start_ns", -kMostNs, kMostNs));
  STROBE_TRY(const std::int64_t end_ns, query.integer("end_ns", -kMostNs, kMostNs));
  if (end_ns <= start_ns) {
    return Error{
        .code = ErrorCode::kInvalidArgument,
        .what = fmt::format("the window is empty: 'end_ns' ({}) must be above 'start_ns' ({})",
                            end_ns, start_ns),
        .where = "end_ns",
        .hint = "see docs/api.md"};
  }
  return Interval{since_clock(origin_ns, start_ns), since_clock(origin_ns, end_ns)};
}

Result<Interval> window_of(const Query& query, const OpenTrace& open) {
  return window_since(query, open.timeline().extent().start_ns);
}

Result<std::uint32_t> columns_of(const Query& query, std::optional<std::int64_t> otherwise) {
  STROBE_TRY(const std::int64_t columns,
             otherwise ? query.integer_or("columns", *otherwise, 1, kMostColumns)
                       : query.integer("columns", 1, kMostColumns));
  return static_cast<std::uint32_t>(columns);
}

Result<std::optional<std::vector<TrackId>>> tracks_of(const Query& query, const OpenTrace& open) {
  return ids_of<TrackId>(query, "tracks", "track", open.trace().tracks().size());
}

Result<std::optional<std::vector<SliceId>>> slices_of(const Query& query, const OpenTrace& open) {
  return ids_of<SliceId>(query, "slices", "slice", open.trace().slice_count());
}

Result<SliceId> slice_of(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const std::int64_t id, query.integer("slice", 0, kMostNs));
  if (!is_below(id, open.trace().slice_count())) return no_such("slice", "slice", id);
  return SliceId(static_cast<std::size_t>(id));
}

Result<std::size_t> counter_of(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const std::int64_t id, query.integer("counter", 0, kMostNs));
  if (!is_below(id, open.counters().size())) return no_such("counter", "counter", id);
  return static_cast<std::size_t>(id);
}

void write_slice(const OpenTrace& open, SliceId slice, JsonWriter& json) {
  const Trace& trace = open.trace();
  json.member("slice", slice.value)
      .member("name", trace.name(slice))
      .member("track", trace.slices().tracks[slice.index()].value)
      .member("row", open.timeline().row_of(slice).row)
      .member("start_ns", since_origin(open, trace.start_ns(slice)))
      .member("duration_ns", trace.duration_ns(slice));
}

NameTable::NameTable(const StringPool& strings)
    : strings_(strings), indices_(strings.size(), kNoIndex) {}

std::uint32_t NameTable::index_of(StringId name) {
  std::uint32_t& index = indices_[name.index()];
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
  }
  return index;
}

void NameTable::write(JsonWriter& json) const {
  json.begin_array();
  for (const StringId name : names_) json.value(strings_[name]);
  json.end_array();
}

void NumberList::separate() {
  if (text_.back() != '[') text_ += ',';
}

void NumberList::add(std::int64_t number) {
  separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text_.append(digits, end);
}

void NumberList::begin_list() {
  separate();
  text_ += '[';
}

void NumberList::end_list() { text_ += ']'; }

std::string_view NumberList::json() {
  text_ += ']';
  return text_;
}

}  // namespace strobe::serve
