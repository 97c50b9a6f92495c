#include "strobe/bench/results/ratio_grid_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "strobe/base/file_text.h"
#include "strobe/base/json_text.h"
#include "strobe/base/whole_number.h"
#include "strobe/bench/results/ratio_grid.h"

namespace strobe::bench {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMostRemarks = 20;
constexpr std::size_t kMostQuotedBytes = 40;
constexpr std::int64_t kLargestAxis = std::int64_t{1} << 40;

enum Field : std::size_t {
  kVersion,
  kDevice,
  kCase,
  kBaseline,
  kContender,
  kMetric,
  kDim0,
  kDim1,
  kValue,
  kStatus,
  kDType,
  kFieldCount_,
};
constexpr std::array<std::string_view, kFieldCount_> kNames = {
    "version", "device", "case",  "baseline", "contender", "metric",
    "dim0",    "dim1",   "value", "status",   "dtype"};
constexpr Field kNeeded[] = {kCase, kMetric, kDim0, kDim1, kValue};

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

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

bool has_needed(const Columns& columns) {
  return std::ranges::all_of(kNeeded, [&](Field field) { return columns[field].has_value(); });
}

class GridReader {
 public:
  explicit GridReader(const Columns& columns) : columns_(columns) {}

  RatioGrids read(std::string_view rows) {
    while (!rows.empty()) {
      const std::string_view text = take_csv_line(rows);
      ++line_;
      if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
      ++read_.rows;
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
  std::string text(Field f) const { return sanitize_utf8(field(f)); }

  void remark(Field column, std::string_view trouble) {
    if (++remarks_ > kMostRemarks) return;
    read_.remarks.push_back(fmt::format("line {}, column '{}': {} {}", line_, kNames[column],
                                        quoted_field(field(column)), trouble));
  }

  std::optional<std::int64_t> size(Field f) {
    const auto number = parse_whole_number(field(f));
    if (number && *number >= 0 && *number <= kLargestAxis) return number;
    remark(f, "is no size; the row is left out");
    return std::nullopt;
  }

  void read_row() {
    const auto metric = find_metric(field(kMetric));
    if (!metric) return remark(kMetric, "is no metric strobe knows; the row is left out");
    if (field(kCase).empty()) return remark(kCase, "names no case; the row is left out");
    const auto dim0 = size(kDim0);
    const auto dim1 = dim0 ? size(kDim1) : std::nullopt;
    if (!dim1) return;
    GridCell cell = {.dim0 = *dim0, .dim1 = *dim1};
    read_value(cell);
    const std::size_t grid = grid_for(*metric);
    if (!seen_.emplace(grid, *dim0, *dim1).second) {
      return remark(kDim0, "stands there a second time with its dim1; the row is left out");
    }
    read_.grids[grid].cells.push_back(cell);
  }

  void read_value(GridCell& cell) {
    const std::string_view word = columns_[kStatus] ? field(kStatus) : "ok";
    if (word == "value_error") {  // the seed's #VALUE!: an operand was missing
      cell.status = CellStatus::kMissing;
      return;
    }
    cell.ran_same_kernels = word == "same_kernels";
    if (!cell.ran_same_kernels && !word.empty()) {
      const Result<CellStatus> status = parse_status(word);
      if (!status) {
        remark(kStatus, "is no status; the cell counts as missing");
        cell.status = CellStatus::kMissing;
        return;
      }
      cell.status = *status;
    }
    if (cell.status != CellStatus::kOk && cell.status != CellStatus::kWrong) return;
    const std::optional<double> value = parse_number(field(kValue));
    if (value && std::isfinite(*value) && *value > 0) {
      cell.value = *value;
      return;
    }
    if (cell.status == CellStatus::kOk) {
      remark(kValue, "is no positive number; the cell counts as missing");
      cell.status = CellStatus::kMissing;
    }
    cell.ran_same_kernels = false;
  }

  std::size_t grid_for(GridMetric metric) {
    auto key = std::tuple(text(kVersion), text(kDevice), text(kCase), text(kBaseline),
                          text(kContender), metric, text(kDType));
    const auto [found, is_new] = index_.emplace(std::move(key), read_.grids.size());
    if (is_new) {
      read_.grids.push_back({.version = text(kVersion),
                             .device = text(kDevice),
                             .case_id = text(kCase),
                             .baseline = text(kBaseline),
                             .contender = text(kContender),
                             .metric = metric,
                             .dtype = text(kDType)});
    }
    return found->second;
  }

  Columns columns_;
  RatioGrids read_;
  std::vector<std::string> fields_;
  std::size_t line_ = 1;
  std::size_t remarks_ = 0;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, GridMetric,
                      std::string>,
           std::size_t>
      index_;
  std::set<std::tuple<std::size_t, std::int64_t, std::int64_t>> seen_;
};

}  // namespace

std::string_view take_csv_line(std::string_view& left) {
  if (left.starts_with("\xEF\xBB\xBF")) left.remove_prefix(3);
  const std::size_t end = std::min(left.find('\n'), left.size());
  std::string_view line = left.substr(0, end);
  left.remove_prefix(std::min(end + 1, left.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_inside && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      is_inside = !is_inside;
    } else if (c == ',' && !is_inside) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string quoted_field(std::string_view text) {
  std::string out = sanitize_utf8(text.substr(0, kMostQuotedBytes));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return fmt::format("'{}{}'", out, text.size() > kMostQuotedBytes ? "..." : "");
}

bool looks_like_ratio_grids(std::string_view head) {
  return has_needed(columns_of(take_csv_line(head)));
}

Result<RatioGrids> parse_ratio_grids(std::string_view csv, std::string_view name) {
  const Columns columns = columns_of(take_csv_line(csv));
  for (const Field needed : kNeeded) {
    if (columns[needed]) continue;
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("its first line names no column '{}'", kNames[needed]),
                 .where = std::string(name),
                 .hint = fmt::format("tables of ratios have the columns {}",
                                     fmt::join(kNames.begin(), kNames.begin() + kDType, ","))};
  }
  RatioGrids read = GridReader(columns).read(csv);
  if (!read.grids.empty()) return read;
  return Error{.code = ErrorCode::kTooLittleData,
               .what = read.rows == 0 ? "it has no rows"
                                      : fmt::format("none of its {} rows can be used: {}",
                                                    read.rows, read.remarks.front()),
               .where = std::string(name),
               .hint = ""};
}

Result<RatioGrids> read_ratio_grids(const std::filesystem::path& path) {
  STROBE_TRY(const std::string text, read_text(path, kMostBytes));
  return parse_ratio_grids(text, path.string());
}

}  // namespace strobe::bench
