#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_write.h"
#include "strobe/base/result.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/query.h"

// Shared by several answers of the API.
namespace strobe::serve {

// The number of a kind in docs/api.md; a collective is communication, whatever runs it.
int kind_code(SliceKind kind, bool communicates);
inline int kind_code(const Trace& trace, SliceId slice) {
  return kind_code(trace.kind(slice), (trace.slices().flags[slice.index()] & kCommunicates) != 0);
}
inline int kind_code(const analysis::Look& look) { return kind_code(look.kind, look.communicates); }
std::string_view word_of(TrackKind kind);

// Times of the API begin at 0, times of the trace at any value of its clock.
inline std::int64_t since_origin(const OpenTrace& open, std::int64_t time_ns) {
  return time_ns - open.timeline().extent().start_ns;
}

// start_ns to end_ns, as times of a clock on which those of the API begin at `origin_ns`; never
// empty.
Result<Interval> window_since(const Query& query, std::int64_t origin_ns);
// The same, as times of the trace.
Result<Interval> window_of(const Query& query, const OpenTrace& open);
Result<std::uint32_t> columns_of(const Query& query, std::optional<std::int64_t> otherwise = {});
Result<std::optional<std::vector<TrackId>>> tracks_of(const Query& query, const OpenTrace& open);
Result<std::optional<std::vector<SliceId>>> slices_of(const Query& query, const OpenTrace& open);
Result<SliceId> slice_of(const Query& query, const OpenTrace& open);
Result<std::size_t> counter_of(const Query& query, const OpenTrace& open);

// slice, name, track, row, start_ns and duration_ns.
void write_slice(const OpenTrace& open, SliceId slice, JsonWriter& json);

// The `names` of an answer: each text once; others refer to it by index.
class NameTable {
 public:
  explicit NameTable(const StringPool& strings);
  std::uint32_t index_of(StringId name);
  void write(JsonWriter& json) const;

 private:
  const StringPool& strings_;
  std::vector<std::uint32_t> indices_;  // per string
  std::vector<StringId> names_;
};

// An array of many whole numbers, or of lists of them; faster than writing values one by one.
class NumberList {
 public:
  void add(std::int64_t number);
  void begin_list();
  void end_list();
  std::string_view json();

 private:
  void separate();
  std::string text_ = "[";
};

}  // namespace strobe::serve
