#include "strobe/bench/results/tuned_shapes.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/whole_number.h"
#include "strobe/bench/results/ratio_grid_csv.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostRemarks = 20;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

enum Field : std::size_t {
  kCase,
  kDim0,
  kDim1,
  kBlockX,
  kBlockY,
  kWarps,
  kStages,
  kDevice,  // from here on a file may do without
  kSharedBytes,
  kFieldCount_,
};
constexpr std::array<std::string_view, kFieldCount_> kNames = {
    "case",      "dim0",       "dim1",   "xblock",      "yblock",
    "num_warps", "num_stages", "device", "shared_bytes"};

using Columns = std::array<std::optional<std::size_t>, kFieldCount_>;

Columns columns_of(std::string_view header) {
  Columns columns;
  const std::vector<std::string> names = csv_fields(header);
  for (std::size_t field = 0; field < kFieldCount_; ++field) {
    const auto found = std::ranges::find(names, kNames[field]);
    if (found != names.end()) columns[field] = static_cast<std::size_t>(found - names.begin());
  }
  return columns;
}

class TuningReader {
 public:
  explicit TuningReader(const Columns& columns) : columns_(columns) {}

  TunedShapes read(std::string_view rows) {
    while (!rows.empty()) {
      const std::string_view text = take_csv_line(rows);
      ++line_;
      if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
      fields_ = csv_fields(text);
      read_row();
    }
    if (remarks_ > kMostRemarks) {
      read_.remarks.push_back(fmt::format("{} more like these", remarks_ - kMostRemarks));
    }
    return std::move(read_);
  }

 private:
  std::string_view field(Field field) const {
    const auto column = columns_[field];
    return column && *column < fields_.size() ? std::string_view(fields_[*column])
                                              : std::string_view();
  }

  void remark(Field column, std::string_view trouble) {
    if (++remarks_ > kMostRemarks) return;
    read_.remarks.push_back(fmt::format("line {}, column '{}': {} {}", line_, kNames[column],
                                        quoted_field(field(column)), trouble));
  }

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

  Columns columns_;
  TunedShapes read_;
  std::vector<std::string> fields_;
  std::size_t line_ = 1;
  std::size_t remarks_ = 0;
};

}  // namespace

bool looks_like_tuned_shapes(std::string_view head) {
  const Columns columns = columns_of(take_csv_line(head));
  return std::all_of(columns.begin(), columns.begin() + kDevice,
                     [](const auto& column) { return column.has_value(); });
}

Result<TunedShapes> parse_tuned_shapes(std::string_view csv, std::string_view name) {
  const Columns columns = columns_of(take_csv_line(csv));
  for (std::size_t field = 0; field < kDevice; ++field) {
    if (columns[field]) continue;
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("its first line names no column '{}'", kNames[field]),
                 .where = std::string(name),
                 .hint = ""};
  }
  TunedShapes read = TuningReader(columns).read(csv);
  if (!read.shapes.empty()) return read;
  return Error{.code = ErrorCode::kTooLittleData,
               .what = read.remarks.empty()
                           ? "it has no rows"
                           : fmt::format("none of its rows can be used: {}", read.remarks.front()),
               .where = std::string(name),
               .hint = ""};
}

}  // namespace strobe::bench
