#include "strobe/bench/results/cell_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"

namespace strobe::bench {
namespace {

template <class Value>
struct Word {
  Value value;
  std::string_view name;
};

constexpr Word<CellStatus> kStatusWords[] = {{CellStatus::kOk, "ok"},
                                             {CellStatus::kOom, "oom"},
                                             {CellStatus::kOomPredicted, "oom_predicted"},
                                             {CellStatus::kUnsupported, "unsupported"},
                                             {CellStatus::kError, "error"},
                                             {CellStatus::kTimeout, "timeout"},
                                             {CellStatus::kWrong, "wrong"},
                                             {CellStatus::kMissing, "missing"}};
constexpr Word<CellFlag> kFlagWords[] = {{CellFlag::kNoisy, "noisy"},
                                         {CellFlag::kThrottled, "throttled"},
                                         {CellFlag::kSameKernels, "same_kernels"},
                                         {CellFlag::kNearFloor, "near_floor"},
                                         {CellFlag::kHostBound, "host_bound"},
                                         {CellFlag::kFellBack, "fell_back"},
                                         {CellFlag::kMathDiffers, "math_differs"},
                                         {CellFlag::kUnrepeatable, "unrepeatable"}};
constexpr Word<Lack> kLackWords[] = {{Lack::kCounters, "counters"}, {Lack::kApi, "api"}};
constexpr Word<TimeMode> kModeWords[] = {{TimeMode::kDevice, "device"},
                                         {TimeMode::kGraph, "graph"},
                                         {TimeMode::kCall, "call"},
                                         {TimeMode::kActivity, "activity"},
                                         {TimeMode::kCpu, "cpu"}};
constexpr Word<FlushKind> kFlushWords[] = {{FlushKind::kCold, "cold"},
                                           {FlushKind::kColdDirty, "cold-dirty"},
                                           {FlushKind::kRotate, "rotate"},
                                           {FlushKind::kHot, "hot"}};

template <class Value, std::size_t N>
std::string_view name_in(const Word<Value> (&words)[N], Value value) {
  for (const auto& word : words) {
    if (word.value == value) return word.name;
  }
  return "";
}

template <class Value, std::size_t N>
std::optional<Value> value_in(const Word<Value> (&words)[N], std::string_view name) {
  for (const auto& word : words) {
    if (word.name == name) return word.value;
  }
  return std::nullopt;
}

template <class Value, std::size_t N>
std::string all_words(const Word<Value> (&words)[N]) {
  std::string names;
  for (const auto& word : words) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", word.name);
  }
  return names;
}

}  // namespace

std::string_view status_name(CellStatus status) { return name_in(kStatusWords, status); }

Result<CellStatus> parse_status(std::string_view name) {
  if (const auto status = value_in(kStatusWords, name)) return *status;
  return Error{.code = ErrorCode::kMalformed,
               .what = fmt::format("'{}' is not a status of a cell", name),
               .where = "",
               .hint = fmt::format("one of {}", all_words(kStatusWords))};
}

std::string_view flag_name(CellFlag flag) { return name_in(kFlagWords, flag); }
std::optional<CellFlag> find_flag(std::string_view name) { return value_in(kFlagWords, name); }

std::string_view lack_name(Lack lack) { return name_in(kLackWords, lack); }
std::optional<Lack> find_lack(std::string_view name) { return value_in(kLackWords, name); }

std::string lack_text(Lack lack, std::string_view why) {
  return fmt::format("{}: {}", lack == Lack::kCounters ? "not counted" : "no API calls", why);
}

std::vector<std::string> CellRecord::all_notes() const {
  std::vector<std::string> all = notes;
  for (const auto& [lack, why] : lacks) all.push_back(lack_text(lack, why));
  return all;
}

std::string_view mode_name(TimeMode mode) { return name_in(kModeWords, mode); }

Result<TimeMode> parse_mode(std::string_view name) {
  if (const auto mode = value_in(kModeWords, name)) return *mode;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("'{}' is not a time mode", name),
               .where = "",
               .hint = fmt::format("one of {}", all_words(kModeWords))};
}

std::string_view flush_name(FlushKind kind) { return name_in(kFlushWords, kind); }

Result<FlushKind> parse_flush(std::string_view name) {
  if (const auto kind = value_in(kFlushWords, name)) return *kind;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("unknown cache state '{}'", name),
               .where = "--l2",
               .hint = fmt::format("one of {}", all_words(kFlushWords))};
}

const TimeSummary* CellRecord::time(TimeMode mode) const {
  const auto found = times.find(mode);
  return found == times.end() ? nullptr : &found->second;
}

const TimeSummary* CellRecord::headline() const {
  for (const TimeMode mode : kHeadlineModes) {
    if (const TimeSummary* const summary = time(mode)) return summary;
  }
  return nullptr;
}

const TimeSummary* CellRecord::usable_time() const {
  const TimeSummary* const summary = ran_through(status) ? headline() : nullptr;
  return summary != nullptr && summary->p50 > 0 ? summary : nullptr;
}

const TimeSummary* time_of(const CellRecord& record, std::optional<TimeMode> mode) {
  return mode ? record.time(*mode) : record.headline();
}

Roofs Roofs::over(const CellRecord& record) const {
  if (!is_of_host) return *this;
  const bool ran_on_host = record.time(TimeMode::kCpu) != nullptr;
  if (ran_on_host != *is_of_host) return {};
  Roofs roofs = *this;
  if (!ran_on_host && record.cell.dtype == DType::kF32) roofs.gemm_tflops.reset();
  return roofs;
}

bool CellRecord::is_of_products() const {
  const CaseInfo* const info = find_case(cell.case_id);
  return info != nullptr && info->kind != CaseKind::kRows;
}

bool CellRecord::has_masked_half() const {
  const CaseInfo* const info = find_case(cell.case_id);
  return info != nullptr && info->kind == CaseKind::kAttention;
}

bool CellRecord::has(CellFlag flag) const { return std::ranges::find(flags, flag) != flags.end(); }

void CellRecord::set(CellFlag flag) {
  if (!has(flag)) flags.push_back(flag);
}

}  // namespace strobe::bench
