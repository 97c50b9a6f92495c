#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostRowRemarks = 20;
constexpr std::size_t kMostQuotedBytes = 40;

class GridReader {
 public:
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
    kNoisy,
    kFieldCount_,
  };
  static constexpr std::array<std::string_view, kFieldCount_> kNames = {
      "version", "device", "case",  "baseline", "contender", "metric",
      "dim0",    "dim1",   "value", "status",   "dtype",     "noisy"};
  static constexpr Field kNeeded[] = {kCase, kMetric, kDim0, kDim1, kValue};

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
    remark(f, "is not a size; the row is left out");
    return std::nullopt;
  }

  void read_row() {
    const auto metric = find_metric(field(kMetric));
    if (!metric) return remark(kMetric, "is not a metric that strobe knows; the row is left out");
    if (field(kCase).empty()) return remark(kCase, "has no case; the row is left out");
    const auto dim0 = size(kDim0);
    const auto dim1 = dim0 ? size(kDim1) : std::nullopt;
    if (!dim1) return;
    GridCell cell = {.dim0 = *dim0, .dim1 = *dim1};
    read_value(cell);
    const std::size_t grid = grid_for(*metric);
    if (!seen_.emplace(grid, *dim0, *dim1).second) {
      return remark(kDim0, "occurs a second time with its dim1; the row is left out");
    }
    read_.grids[grid].cells.push_back(cell);
  }

  void read_value(GridCell& cell) {
    const std::string_view word = rows_.has(kStatus) ? field(kStatus) : "ok";
    if (word == "value_error") {  // a spreadsheet's #VALUE!: an operand was missing
      cell.status = CellStatus::kMissing;
      return;
    }
    cell.ran_same_kernels = word == "same_kernels";
    if (!cell.ran_same_kernels && !word.empty()) {
      const Result<CellStatus> status = parse_status(word);
      if (!status) {
        remark(kStatus, "is not a status; the cell counts as missing");
        cell.status = CellStatus::kMissing;
        return;
      }
      cell.status = *status;
    }
    if (!ran_through(cell.status)) return;
    const std::optional<double> value = parse_number(field(kValue));
    if (value && *value > 0) {
      cell.value = *value;
      cell.is_noisy = read_noise();
      return;
    }
    if (cell.status == CellStatus::kOk) {
      remark(kValue, "is not a positive number; the cell counts as missing");
      cell.status = CellStatus::kMissing;
    }
    cell.ran_same_kernels = false;
  }

  bool read_noise() {
    const std::string_view word = field(kNoisy);
    if (!word.empty() && word != "true" && word != "false") {
      remark(kNoisy, "is neither true nor false; the cell counts as not noisy");
    }
    return word == "true";
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

class TuningReader {
 public:
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
  static constexpr std::array<std::string_view, kFieldCount_> kNames = {
      "case",      "dim0",       "dim1",   "xblock",      "yblock",
      "num_warps", "num_stages", "device", "shared_bytes"};

  static constexpr Field kNeeded[] = {kCase, kDim0, kDim1, kBlockX, kBlockY, kWarps, kStages};

  explicit TuningReader(CsvRows& rows) : rows_(rows) {}

  TunedShapes read() {
    while (rows_.next()) read_row();
    read_.remarks = rows_.take_remarks();
    return std::move(read_);
  }

 private:
  std::string_view field(Field field) const { return rows_.field(field); }
  void remark(Field column, std::string_view trouble) { rows_.remark(column, trouble); }

  // False: the row cannot be used; a remark says why.
  bool read_number(Field from, std::int64_t least, std::int64_t& into) {
    const auto number = parse_whole_number(field(from));
    if (number && *number >= least && *number <= kLargestAxis) {
      into = *number;
      return true;
    }
    remark(from, "is not a valid number; the row is left out");
    return false;
  }

  void read_row() {
    if (field(kCase).empty()) return remark(kCase, "has no case; the row is left out");
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

// Reader::kNames are the known columns, Reader::kNeeded the required ones.
template <class Reader>
bool has_columns(std::string_view head) {
  const CsvRows rows(head.substr(0, head.find('\n')), Reader::kNames);
  return std::ranges::all_of(Reader::kNeeded, [&](std::size_t column) { return rows.has(column); });
}

template <class Reader>
Result<void> check_columns(const CsvRows& rows, std::string_view name, std::string hint) {
  for (const std::size_t needed : Reader::kNeeded) {
    if (rows.has(needed)) continue;
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("its first line has no column '{}'", Reader::kNames[needed]),
                 .where = std::string(name),
                 .hint = std::move(hint)};
  }
  return {};
}

}  // namespace

CsvRows::CsvRows(std::string_view csv, std::span<const std::string_view> names)
    : names_(names), records_(csv) {
  if (records_.next_line()) records_.split_line();
  const std::vector<std::string> header = records_.fields();
  for (const std::string_view name : names_) {
    const auto found = std::ranges::find(header, name);
    columns_.push_back(found == header.end()
                           ? std::nullopt
                           : std::optional(static_cast<std::size_t>(found - header.begin())));
  }
}

// A record is one line: no field of these tables holds a line end.
bool CsvRows::next() {
  while (records_.next_line()) {
    if (records_.text().find_first_not_of(" \t") == std::string_view::npos) continue;
    records_.split_line();
    fields_ = records_.fields();
    return true;
  }
  return false;
}

std::string_view CsvRows::field(std::size_t column) const {
  const std::optional<std::size_t> at = columns_[column];
  return at && *at < fields_.size() ? std::string_view(fields_[*at]) : std::string_view();
}

void CsvRows::remark(std::size_t column, std::string_view trouble) {
  if (++remark_count_ > kMostRowRemarks) return;
  remarks_.push_back(fmt::format("line {}, column '{}': '{}' {}", records_.line(), names_[column],
                                 excerpt(field(column), kMostQuotedBytes), trouble));
}

std::vector<std::string> CsvRows::take_remarks() {
  if (remark_count_ > kMostRowRemarks) {
    remarks_.push_back(fmt::format("{} more like these", remark_count_ - kMostRowRemarks));
  }
  return std::exchange(remarks_, {});
}

bool looks_like_ratio_grids(std::string_view head) { return has_columns<GridReader>(head); }

Result<RatioGrids> parse_ratio_grids(std::string_view csv, std::string_view name) {
  CsvRows rows(csv, GridReader::kNames);
  STROBE_TRY_VOID(check_columns<GridReader>(
      rows, name,
      fmt::format("tables of ratios have the columns {}",
                  fmt::join(GridReader::kNames.begin(),
                            GridReader::kNames.begin() + GridReader::kDType, ","))));
  RatioGrids read = GridReader(rows).read();
  if (!read.grids.empty()) return read;
  return Error{.code = ErrorCode::kTooLittleData,
               .what = read.rows == 0 ? "it has no rows"
                                      : fmt::format("none of its {} rows can be used: {}",
                                                    read.rows, read.remarks.front()),
               .where = std::string(name),
               .hint = ""};
}

bool looks_like_tuned_shapes(std::string_view head) { return has_columns<TuningReader>(head); }

Result<TunedShapes> parse_tuned_shapes(std::string_view csv, std::string_view name) {
  CsvRows rows(csv, TuningReader::kNames);
  STROBE_TRY_VOID(check_columns<TuningReader>(rows, name, ""));
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
