#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/bench/results/csv_rows.h"
#include "strobe/bench/results/ratio_grid.h"

namespace strobe::bench {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
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

class GridReader {
 public:
  explicit GridReader(CsvRows& rows) : rows_(rows) {}

  RatioGrids read() {
    while (rows_.next()) {
      ++read_.rows;
      read_row();
    }
    read_.remarks = rows_.take_remarks();
    return std::move(read_);
  }

 private:
  std::string_view field(Field field) const { return rows_.field(field); }
  std::string text(Field f) const { return sanitize_utf8(field(f)); }
  void remark(Field column, std::string_view trouble) { rows_.remark(column, trouble); }

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
    const std::string_view word = rows_.has(kStatus) ? field(kStatus) : "ok";
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

  CsvRows& rows_;
  RatioGrids read_;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, GridMetric,
                      std::string>,
           std::size_t>
      index_;
  std::set<std::tuple<std::size_t, std::int64_t, std::int64_t>> seen_;
};

}  // namespace

bool looks_like_ratio_grids(std::string_view head) {
  const CsvRows rows(head, kNames);
  return std::ranges::all_of(kNeeded, [&](Field field) { return rows.has(field); });
}

Result<RatioGrids> parse_ratio_grids(std::string_view csv, std::string_view name) {
  CsvRows rows(csv, kNames);
  for (const Field needed : kNeeded) {
    if (rows.has(needed)) continue;
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("its first line names no column '{}'", kNames[needed]),
                 .where = std::string(name),
                 .hint = fmt::format("tables of ratios have the columns {}",
                                     fmt::join(kNames.begin(), kNames.begin() + kDType, ","))};
  }
  RatioGrids read = GridReader(rows).read();
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
