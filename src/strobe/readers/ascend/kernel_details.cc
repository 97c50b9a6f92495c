#include "strobe/readers/ascend/kernel_details.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/csv.h"
#include "strobe/base/json_scan.h"
#include "strobe/base/json_write.h"
#include "strobe/base/simd.h"
#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/ascend/tasks.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kAbsentColumn = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kNoDetail = "N/A";
constexpr std::uint64_t kRowsPerPulse = 1024;

std::size_t detail_column(const std::vector<std::string>& header,
                          std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(header, name);
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  }
  return kAbsentColumn;
}

// The table of the framework's profiler and that of the vendor's own name their columns apart.
struct DetailColumns {
  explicit DetailColumns(const std::vector<std::string>& header)
      : name(detail_column(header, {"Name", "Op Name"})),
        core(detail_column(header, {"Accelerator Core", "Task Type"})),
        start(detail_column(header, {"Start Time(us)", "Task Start Time(us)"})),
        duration(detail_column(header, {"Duration(us)", "Task Duration(us)"})),
        device(detail_column(header, {"Device_id", "Device_ID", "Device ID"})),
        stream(detail_column(header, {"Stream ID", "Stream Id"})) {}

  bool are_there() const {
    return name != kAbsentColumn && core != kAbsentColumn && start != kAbsentColumn &&
           duration != kAbsentColumn;
  }

  std::size_t name;
  std::size_t core;
  std::size_t start;
  std::size_t duration;
  std::size_t device;  // these two may be missing
  std::size_t stream;
};

bool is_kernel_details(const TraceInput& input) {
  const std::string_view header = input.first().substr(0, input.first().find('\n'));
  if (header.find("Duration(us)") == std::string_view::npos) return false;
  CsvRecords records(header);
  return records.next() && DetailColumns(records.fields()).are_there();
}

// Microseconds, possibly with a tab behind them; nothing if it is no number.
std::optional<std::int64_t> detail_ns(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::array<char, kLongest + simd::kSimdPadding> padded{};
  text = trimmed(text);
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  std::ranges::copy(text, padded.begin());
  std::int64_t value = json::kNoNumber;
  const char* const after = json::read_thousandths(padded.data(), value);
  const bool is_number = after == padded.data() + text.size() && value != json::kNoNumber;
  return is_number ? std::optional(value) : std::nullopt;
}

class DetailRows {
 public:
  DetailRows(CsvRecords& records, TraceSink& sink)
      : records_(records), sink_(sink), header_(records.fields()), columns_(header_) {}

  Result<void> add_all() {
    std::uint64_t rows = 0;
    for (;;) {
      offset_ += records_.text().size() + 1;
      if (!records_.next()) break;
      if (++rows % kRowsPerPulse == 0 && !sink_.pulse(kRowsPerPulse)) return sink_.why_stopped();
      if (records_.text().empty()) continue;
      const bool is_whole = records_.size() == header_.size() && !records_.is_broken();
      if (is_whole) {
        add_row();
      } else if (records_.is_last_cut()) {
        sink_.report.add(ImportIssue::kTruncatedFile, offset_, line());
        if (has_whole_times()) add_row();
      } else {
        sink_.report.add(ImportIssue::kDamagedChunk, offset_, line());
      }
    }
    if (const auto& damage = records_.damage()) {
      sink_.report.add(ImportIssue::kBadCompressedData, offset_, damage->what);
    }
    return {};
  }

 private:
  std::string line() const { return fmt::format("line {}", records_.line()); }

  // Of a row whose last value was cut.
  bool has_whole_times() const {
    return records_.size() > std::max(columns_.start, columns_.duration) + 1;
  }

  std::string_view field(std::size_t column) {
    return column < records_.size() ? records_.field(column) : std::string_view();
  }

  std::int64_t number(std::size_t column) {
    return parse_whole_number(trimmed(field(column))).value_or(0);
  }

  void add_row() {
    const auto start_ns = detail_ns(field(columns_.start));
    if (!start_ns || *start_ns >= kLatest_ns || *start_ns <= -kLatest_ns) {
      sink_.report.add(ImportIssue::kMissingTime, offset_, line());
      return;
    }
    const auto duration_ns = detail_ns(field(columns_.duration));
    if (!duration_ns) sink_.report.add(ImportIssue::kBadNumber, offset_, line());
    const auto device = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(number(columns_.device), 0, std::numeric_limits<int>::max() - 1));
    const std::string_view core = field(columns_.core);
    TraceBuilder::SliceRow row;
    row.start_ns = *start_ns;
    row.name = name_of(std::string(field(columns_.name)));
    if (core == "HCCL" || core == "COMMUNICATION") {
      row.track = collectives_of(device);
      row.category = sink_.builder.category(kCollective);
      row.kind = SliceKind::kKernel;
      row.flags = kCommunicates;
    } else {
      const NameRule rule = npu_task_rule(sink_.builder.strings()[row.name], core);
      row.track = sink_.tracks.stream(device, static_cast<std::uint64_t>(number(columns_.stream)));
      row.category = sink_.builder.category(npu_task_category(core));
      row.kind = rule.kind;
      row.flags = rule.flags;
    }
    if (sink_.keeps_args()) row.args = sink_.keep(args());
    // A sum that does not fit is a duration that cannot be.
    std::int64_t end_ns = 0;
    if (__builtin_add_overflow(*start_ns, duration_ns.value_or(0), &end_ns)) {
      end_ns = std::numeric_limits<std::int64_t>::max();
    }
    sink_.add(row, end_ns, offset_);
  }

  StringId name_of(const std::string& name) {
    const auto [found, is_new] = names_.try_emplace(name);
    if (is_new) found->second = sink_.name(device::readable_name(name));
    return found->second;
  }

  TrackId collectives_of(std::int32_t device) {
    const auto [found, is_new] = collectives_.try_emplace(device);
    if (!is_new) return found->second;
    Track track;
    track.kind = TrackKind::kDeviceStream;
    track.process = sink_.builder.intern(std::to_string(device));
    track.process_number = device;
    track.thread = sink_.builder.intern("Communication");
    track.device = device;
    return found->second = sink_.builder.add_track(track);
  }

  // The columns that say something, but for those that became the slice.
  std::string args() {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const bool is_known = i == columns_.name || i == columns_.start || i == columns_.duration;
      std::string_view value = records_.field(i);
      if (is_known || value.empty() || value == kNoDetail) continue;
      // Shapes are in quotes inside of the quotes.
      if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
        value = value.substr(1, value.size() - 2);
      }
      json.member(header_[i], value);
    }
    json.end_object();
    return text;
  }

  static constexpr std::int64_t kLatest_ns = std::int64_t{1} << 62;

  CsvRecords& records_;
  TraceSink& sink_;
  std::vector<std::string> header_;
  DetailColumns columns_;
  std::uint64_t offset_ = 0;  // of the row, where lines end in one byte
  std::map<std::string, StringId> names_;
  std::map<std::int32_t, TrackId> collectives_;
};

Result<void> read_kernel_details(const TraceInput& input, TraceSink& sink) {
  STROBE_TRY(const auto stream, input.stream());
  CsvRecords records(*stream);
  if (!records.next() || !DetailColumns(records.fields()).are_there()) {
    return Error{ErrorCode::kMalformed, "the table changed while it was opened", "", ""};
  }
  sink.builder.metadata().traits = npu_traits();
  return DetailRows(records, sink).add_all();
}

}  // namespace

const FileFormat kKernelDetails{"table of an NPU's kernels", is_kernel_details,
                                read_kernel_details};

}  // namespace strobe::readers
