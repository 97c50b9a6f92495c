#include "strobe/bench/results/tuned_shapes.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/bench/results/csv_rows.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;

enum Field : std::size_t {
  kCase,
  kDim0,
  kDim1,
  kBlockX,
  kBlockY,
  kWarps,
  kStages,
  kDevice,
  kSharedBytes,
  kFieldCount_,
};
constexpr std::array<std::string_view, kFieldCount_> kNames = {
    "case",      "dim0",       "dim1",   "xblock",      "yblock",
    "num_warps", "num_stages", "device", "shared_bytes"};

constexpr Field kNeeded[] = {kCase, kDim0, kDim1, kBlockX, kBlockY, kWarps, kStages};

class TuningReader {
 public:
  explicit TuningReader(CsvRows& rows) : rows_(rows) {}

  TunedShapes read() {
    while (rows_.next()) read_row();
    read_.remarks = rows_.take_remarks();
    return std::move(read_);
  }

 private:
  std::string_view field(Field field) const { return rows_.field(field); }
  void remark(Field column, std::string_view trouble) { rows_.remark(column, trouble); }

  // False: the row cannot be used, and a remark says why.
  bool read_number(Field from, std::int64_t least, std::int64_t& into) {
    const auto number = parse_whole_number(field(from));
    if (number && *number >= least && *number <= kLargest) {
      into = *number;
      return true;
    }
    remark(from, "is no number that can stand here; the row is left out");
    return false;
  }

  void read_row() {
    if (field(kCase).empty()) return remark(kCase, "names no case; the row is left out");
    TunedShape tuned = {.device = sanitize_utf8(field(kDevice)),
                        .case_id = sanitize_utf8(field(kCase)),
                        .shape = {}};
    std::int64_t dim0 = 0;
    std::int64_t dim1 = 0;
    const bool is_usable =
        read_number(kDim0, 0, dim0) && read_number(kDim1, 0, dim1) &&
        read_number(kBlockX, 1, tuned.block_x) && read_number(kBlockY, 1, tuned.block_y) &&
        read_number(kWarps, 1, tuned.warps) && read_number(kStages, 0, tuned.stages) &&
        (field(kSharedBytes).empty() || read_number(kSharedBytes, 0, tuned.shared_bytes));
    if (!is_usable) return;
    tuned.shape = {{dim0, dim1}};
    read_.shapes.push_back(std::move(tuned));
  }

  CsvRows& rows_;
  TunedShapes read_;
};

}  // namespace

bool looks_like_tuned_shapes(std::string_view head) {
  const CsvRows rows(head, kNames);
  return std::ranges::all_of(kNeeded, [&](Field field) { return rows.has(field); });
}

Result<TunedShapes> parse_tuned_shapes(std::string_view csv, std::string_view name) {
  CsvRows rows(csv, kNames);
  for (const Field needed : kNeeded) {
    if (rows.has(needed)) continue;
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("its first line names no column '{}'", kNames[needed]),
                 .where = std::string(name),
                 .hint = ""};
  }
  TunedShapes read = TuningReader(rows).read();
  if (!read.shapes.empty()) return read;
  return Error{.code = ErrorCode::kTooLittleData,
               .what = read.remarks.empty()
                           ? "it has no rows"
                           : fmt::format("none of its rows can be used: {}", read.remarks.front()),
               .where = std::string(name),
               .hint = ""};
}

}  // namespace strobe::bench
