#include "strobe/fleet/replay/operation_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/csv.h"
#include "strobe/base/file.h"
#include "strobe/base/text.h"

namespace strobe::fleet {
namespace {

enum class Field : std::uint8_t {
  kDataRank,
  kStage,
  kRank,
  kStep,
  kType,
  kStart,
  kDuration,
  kSequence,
  kChunk,
  kGlobalChunk,
  kCount_
};
constexpr std::size_t kFields = static_cast<std::size_t>(Field::kCount_);
constexpr std::array<std::string_view, kFields> kFieldNames = {
    "dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc", "gmc"};

using Columns = std::array<std::size_t, kFields>;  // places in a record

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

Columns columns_of(CsvRecords& header) {
  Columns columns;
  columns.fill(kAbsent);
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto* name = std::ranges::find(kFieldNames, header.field(i));
    if (name == kFieldNames.end()) continue;
    std::size_t& column = columns[static_cast<std::size_t>(name - kFieldNames.begin())];
    if (column == kAbsent) column = i;
  }
  return columns;
}

Error damaged(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kMalformed,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<Columns> checked_columns(CsvRecords& header, const std::string& file) {
  const Columns columns = columns_of(header);
  const auto absent = std::ranges::find(columns, kAbsent);
  if (absent == columns.end()) return columns;
  return damaged(fmt::format("line {} has no column '{}'", header.line(),
                             kFieldNames[static_cast<std::size_t>(absent - columns.begin())]),
                 file,
                 fmt::format("its first line names the columns: {}", fmt::join(kFieldNames, ",")));
}

// The names of all kinds of operations.
std::string known_types() {
  std::vector<std::string_view> names;
  for (int i = 0; i < static_cast<int>(OpType::kCount_); ++i) {
    names.push_back(name_of(static_cast<OpType>(i)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

class RowReader {
 public:
  RowReader(CsvRecords& records, const Columns& columns, const std::string& file)
      : records_(records), columns_(columns), file_(file) {
    least_fields_ = std::ranges::max(columns) + 1;
  }

  Result<void> read(OperationRow& row) {
    if (records_.is_broken()) return fault("a quote is never closed");
    if (records_.size() < least_fields_) {
      return fault(records_.is_last_cut() ? "the table ends inside it"
                                          : "it ends before its last column");
    }
    row.line = records_.line();
    Operation& operation = row.operation;
    const bool is_good =
        whole(Field::kDataRank, 0, row.data_rank) && whole(Field::kRank, 0, row.rank) &&
        whole(Field::kStep, 0, row.step) && whole(Field::kStage, 0, operation.stage) &&
        type(operation.type) && whole(Field::kSequence, 0, operation.sequence) &&
        whole(Field::kChunk, -1, operation.chunk) &&
        whole(Field::kGlobalChunk, -1, operation.global_chunk) &&
        seconds(Field::kStart, row.start_s) && seconds(Field::kDuration, row.duration_s);
    if (is_good) return {};
    Error error = fault(fmt::format("{} is '{}', {}", kFieldNames[static_cast<std::size_t>(bad_)],
                                    excerpt(text(bad_)), why_));
    if (bad_ == Field::kType) error.hint = fmt::format("known are: {}", known_types());
    return error;
  }

 private:
  std::string_view text(Field field) {
    return records_.field(columns_[static_cast<std::size_t>(field)]);
  }
  Error fault(std::string_view what) const {
    return damaged(fmt::format("line {}: {}", records_.line(), what), file_,
                   "repair this line, or write the table again");
  }

  bool refuse(Field field, std::string_view why) {
    bad_ = field;
    why_ = why;
    return false;
  }
  template <class Whole>
  bool whole(Field field, std::int64_t least, Whole& value) {
    constexpr std::int64_t kMost = sizeof(Whole) > 4 ? std::int64_t{1} << 53 : 1 << 24;
    const auto number = parse_whole_number(text(field));
    if (!number) return refuse(field, "which is no whole number");
    if (*number < least) return refuse(field, "which is too small");
    if (*number > kMost) return refuse(field, "which is too large");
    value = static_cast<Whole>(*number);
    return true;
  }
  bool seconds(Field field, double& value) {
    const auto number = parse_number(text(field));
    if (!number) return refuse(field, "which is no number of seconds");
    constexpr double kMost_s = 1e12;
    if (std::abs(*number) > kMost_s) return refuse(field, "which is too large");
    value = *number;
    return true;
  }
  bool type(OpType& value) {
    const auto known = op_type(text(Field::kType));
    if (!known) return refuse(Field::kType, "which is no known operation");
    value = *known;
    return true;
  }

  CsvRecords& records_;
  const Columns& columns_;
  const std::string& file_;
  std::size_t least_fields_ = 0;
  Field bad_ = Field::kCount_;
  std::string_view why_;
};

Result<std::vector<OperationRow>> read_rows(ByteStream& stream, const std::string& file) {
  CsvRecords records(stream);
  const bool has_header = records.next();
  if (!has_header && records.damage()) return *records.damage();
  if (!has_header) {
    return damaged(
        "the table is empty", file,
        fmt::format("its first line names the columns: {}", fmt::join(kFieldNames, ",")));
  }
  STROBE_TRY(const Columns columns, checked_columns(records, file));
  std::vector<OperationRow> rows;
  RowReader reader(records, columns, file);
  while (records.next()) {
    if (records.text().empty()) continue;
    STROBE_TRY_VOID(reader.read(rows.emplace_back()));
  }
  if (records.damage()) {
    return damaged(records.damage()->what, fmt::format("{}, {}", file, records.damage()->where),
                   "copy or write the table again");
  }
  if (!rows.empty()) return rows;
  return Error{.code = ErrorCode::kTooLittleData,
               .what = "the table has no operations, only the names of its columns",
               .where = file,
               .hint = "record at least one step"};
}

template <class Value>
std::vector<Value> unique_values(const std::vector<OperationRow>& rows,
                                 Value OperationRow::*member) {
  std::vector<Value> values;
  for (const OperationRow& row : rows) {
    if (values.empty() || values.back() != row.*member) values.push_back(row.*member);
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

template <class Value>
std::size_t place_of(const std::vector<Value>& sorted, Value value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

// Type, stage and sequence as one number: what an operation is called.
std::uint64_t key_of(const Operation& operation) {
  return static_cast<std::uint64_t>(operation.sequence) << 32 |
         static_cast<std::uint64_t>(operation.stage) << 4 |
         static_cast<std::uint64_t>(operation.type);
}

// Brings the rows of a table, which may be in any order, into columns without holes.
class TableBuilder {
 public:
  TableBuilder(const std::vector<OperationRow>& rows, const std::string& file)
      : rows_(rows), file_(file) {}

  Result<OperationTable> build() {
    table_.steps = unique_values(rows_, &OperationRow::step);
    table_.data_ranks = unique_values(rows_, &OperationRow::data_rank);
    if (table_.lanes() > rows_.size()) return absent_rank();
    STROBE_TRY_VOID(find_operations());
    STROBE_TRY_VOID(find_sizes());
    STROBE_TRY_VOID(count_operations());
    STROBE_TRY_VOID(fill_times());
    return std::move(table_);
  }

 private:
  std::size_t lane_of(const OperationRow& row) const {
    return place_of(table_.steps, row.step) * table_.data_ranks.size() +
           place_of(table_.data_ranks, row.data_rank);
  }
  std::string lane_name(std::size_t lane) const {
    const std::size_t width = table_.data_ranks.size();
    return fmt::format("step {}, dp_rank {}", table_.steps[lane / width],
                       table_.data_ranks[lane % width]);
  }

  static std::string line_of(const OperationRow& row) {
    return row.line > 0 ? fmt::format("line {}: ", row.line) : "";
  }

  Error incomplete(std::string what) const {
    return {.code = ErrorCode::kTooLittleData,
            .what = std::move(what),
            .where = file_,
            .hint = "leave out incomplete steps: every dp_rank has the same operations in each"};
  }

  Error absent_rank() const {
    std::set<std::size_t> seen;
    for (const OperationRow& row : rows_) seen.insert(lane_of(row));
    std::size_t lane = 0;
    while (seen.contains(lane)) ++lane;
    return incomplete(fmt::format("{} has no operations", lane_name(lane)));
  }

  Result<void> find_operations() {
    std::vector<const OperationRow*> first;
    for (const OperationRow& row : rows_) {
      if (row.step == table_.steps.front() && row.data_rank == table_.data_ranks.front()) {
        first.push_back(&row);
      }
    }
    if (first.empty()) return incomplete(fmt::format("{} has no operations", lane_name(0)));
    std::ranges::sort(first, {}, [](const OperationRow* row) {
      return std::tuple(row->start_s, key_of(row->operation), row->line);
    });
    for (const OperationRow* row : first) {
      const bool is_new =
          places_.try_emplace(key_of(row->operation), table_.operations.size()).second;
      if (!is_new) return twice(*row);
      table_.operations.push_back(row->operation);
    }
    return {};
  }

  Result<void> find_sizes() {
    std::set<std::int32_t> stages;
    std::int32_t chunks = 0;
    std::int32_t passes = 0;
    for (const Operation& operation : table_.operations) {
      stages.insert(operation.stage);
      if (!is_pass(operation.type)) continue;
      if (operation.chunk < 0 || operation.global_chunk < 0) {
        return damaged(
            fmt::format("{} does not say to which model chunk it belongs", name_of(operation)),
            file_, "write its mc and gmc, which count from 0");
      }
      chunks = std::max(chunks, operation.chunk + 1);
      ++passes;
    }
    if (chunks > passes) {
      return damaged(fmt::format("mc is {}, but a step of all stages has {}", chunks - 1,
                                 counted(static_cast<std::uint64_t>(passes), "pass", "passes")),
                     file_, "count the model chunks of a stage from 0");
    }
    std::int32_t next = 0;
    for (const std::int32_t stage : stages) {
      if (stage != next++) return incomplete(fmt::format("stage {} has no operations", next - 1));
    }
    table_.sizes = {.data_parallel = static_cast<std::int32_t>(table_.data_ranks.size()),
                    .stages = next,
                    .chunks = chunks};
    return {};
  }

  static bool is_pass(OpType type) {
    return type == OpType::kForwardCompute || type == OpType::kBackwardCompute;
  }

  // Every operation once in every lane, before there is memory for all.
  Result<void> count_operations() {
    std::vector<std::size_t> counts(table_.lanes());
    for (const OperationRow& row : rows_) {
      const auto found = places_.find(key_of(row.operation));
      if (found == places_.end()) return unexpected(row);
      cells_.push_back({.lane = lane_of(row), .place = found->second});
      ++counts[cells_.back().lane];
    }
    for (std::size_t lane = 0; lane < counts.size(); ++lane) {
      if (counts[lane] < table_.operations.size()) return absent_operation(lane);
    }
    return {};
  }

  Error unexpected(const OperationRow& row) const {
    return damaged(fmt::format("{}{} is not among the operations of {}, as which all others are "
                               "replayed",
                               line_of(row), name_of(row.operation), lane_name(0)),
                   file_, "leave out steps that do something else");
  }
  Error twice(const OperationRow& row) const {
    return damaged(fmt::format("{}{} occurs twice in {}", line_of(row), name_of(row.operation),
                               lane_name(lane_of(row))),
                   file_, "seq_id numbers the operations of one kind in a stage and step");
  }
  Error absent_operation(std::size_t lane) const {
    std::set<std::uint64_t> seen;
    for (const OperationRow& row : rows_) {
      if (lane_of(row) == lane) seen.insert(key_of(row.operation));
    }
    const auto absent = std::ranges::find_if(table_.operations, [&](const Operation& operation) {
      return !seen.contains(key_of(operation));
    });
    return incomplete(fmt::format("{} has no {}", lane_name(lane), name_of(*absent)));
  }

  Result<void> fill_times() {
    const std::size_t lanes = table_.lanes();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    table_.start_s.assign(table_.operations.size() * lanes, kNone);
    table_.end_s.resize(table_.start_s.size());
    table_.worker_ranks.resize(static_cast<std::size_t>(table_.sizes.stages) *
                               table_.data_ranks.size());
    const std::size_t ranks = table_.data_ranks.size();
    std::vector<double> zeros_s(table_.steps.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double& zero_s = zeros_s[cells_[i].lane / ranks];
      zero_s = std::min(zero_s, rows_[i].start_s);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const OperationRow& row = rows_[i];
      const auto [lane, place] = cells_[i];
      const std::size_t cell = place * lanes + lane;
      if (!std::isnan(table_.start_s[cell])) return twice(row);
      table_.start_s[cell] = row.start_s - zeros_s[lane / ranks];
      table_.end_s[cell] = table_.start_s[cell] + row.duration_s;
      table_.worker_ranks[static_cast<std::size_t>(row.operation.stage) * ranks + lane % ranks] =
          row.rank;
    }
    return {};
  }

  const std::vector<OperationRow>& rows_;
  const std::string& file_;
  OperationTable table_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // of operations, by key

  // Where a row goes.
  struct Cell {
    std::size_t lane = 0;
    std::size_t place = 0;  // of its operation
  };
  std::vector<Cell> cells_;  // parallel to the rows
};

// "ops-ST" of "ops-ST.csv.gz".
std::string stem_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

// The study writes sizes as "dp_size: 32".
void add_study_facts(const std::filesystem::path& path, OperationTable& table) {
  const std::string stem = stem_of(path);
  const std::string job = stem.substr(stem.find('-') + 1);  // all of it without a '-'
  constexpr std::uint64_t kMostBytes = 1 << 16;
  const auto text =
      read_text((path.parent_path() / fmt::format("meta-{}.yaml", job)).string(), kMostBytes);
  if (!text) return;
  std::string_view left = *text;
  while (!left.empty()) {
    const std::string_view line = take_line(left);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "trial_name" && !value.empty()) table.name = excerpt(value);
    const auto number = parse_whole_number(value);
    if (!number || *number < 1 || *number > std::numeric_limits<std::int32_t>::max()) continue;
    const auto size = static_cast<std::int32_t>(*number);
    if (key == "tp_size") table.sizes.tensor_parallel = size;
    if (key == "dsp_size") table.sizes.sequence_parallel = size;
    if (key == "world_size") table.sizes.devices = size;
  }
}

}  // namespace

std::string name_of(const Operation& operation) {
  return fmt::format("{}_{}_{}", name_of(operation.type), operation.sequence, operation.stage);
}

Result<OperationTable> make_operation_table(const std::vector<OperationRow>& rows,
                                            const std::string& source) {
  return TableBuilder(rows, source).build();
}

std::string csv_of(const OperationTable& table) {
  std::string csv = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,gmc\n";
  const std::size_t width = table.data_ranks.size();
  for (std::size_t i = 0; i < table.start_s.size(); ++i) {
    const Operation& operation = table.operations[i / table.lanes()];
    const std::size_t lane = i % table.lanes();
    const std::size_t worker = static_cast<std::size_t>(operation.stage) * width + lane % width;
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{}\n",
                   table.data_ranks[lane % width], operation.stage, table.worker_ranks[worker],
                   table.steps[lane / width], name_of(operation.type), table.start_s[i],
                   table.end_s[i] - table.start_s[i], operation.sequence, operation.chunk,
                   operation.global_chunk);
  }
  return csv;
}

bool is_operation_table(std::string_view text) {
  CsvRecords records(text.substr(0, text.find('\n')));
  return records.next() && std::ranges::count(columns_of(records), kAbsent) <
                               static_cast<std::ptrdiff_t>(kFields / 2);
}

Result<OperationTable> parse_operation_table(ByteStream& stream, const std::string& file) {
  STROBE_TRY(const std::vector<OperationRow> rows, read_rows(stream, file));
  return make_operation_table(rows, file);
}

Result<OperationTable> read_operation_table(const std::string& path) {
  STROBE_TRY(File file, File::open(path));
  STROBE_TRY(auto stream, open_stream(std::move(file)));
  stream = prefetch(std::move(stream));
  return read_operation_table(*stream, path);
}

Result<OperationTable> read_operation_table(ByteStream& csv, const std::string& path) {
  STROBE_TRY(OperationTable table, parse_operation_table(csv, path));
  table.name = stem_of(path);
  add_study_facts(path, table);
  return table;
}

}  // namespace strobe::fleet
