#include "strobe/readers/metrics_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_scan.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kFirstBytes = 64 << 10;
constexpr std::string_view kColumns[] = {"ts_us", "device", "metric", "value"};
constexpr std::string_view kHint = "its first line names the columns: ts_us,device,metric,value";

// What was wrong with lines: per kind of trouble the first line and how many more there are.
class Remarks {
 public:
  explicit Remarks(std::string_view outcome) : outcome_(outcome) {}

  void add(std::string_view trouble, std::size_t line, std::string_view text) {
    Entry& entry = entries_[trouble];
    if (entry.count++ == 0) entry = {line, std::string(text), 1};
  }
  void write_to(std::vector<std::string>& remarks) const {
    for (const auto& [trouble, entry] : entries_) {
      remarks.push_back(fmt::format("line {}: '{}' {}; {} line{} {}", entry.line, entry.text,
                                    trouble, entry.count, entry.count == 1 ? "" : "s", outcome_));
    }
  }

 private:
  struct Entry {
    std::size_t line = 0;
    std::string text;
    std::size_t count = 0;
  };
  std::string_view outcome_;
  std::map<std::string_view, Entry> entries_;
};

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the doubled quotes out of a quoted field, in place: `begin` is behind its opening quote.
// Null if the line ends before the field does; else one past its closing quote.
char* unquote(char* begin, char* end, std::string_view& field) {
  char* out = begin;
  for (char* p = begin; p < end; ++p) {
    if (*p == '"' && (p + 1 == end || p[1] != '"')) {
      field = {begin, static_cast<std::size_t>(out - begin)};
      return p + 1;
    }
    if (*p == '"') ++p;
    *out++ = *p;
  }
  return nullptr;
}

// False if a quote is left open.
bool split_line(char* p, char* end, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    char* field = p;
    while (field < end && (*field == ' ' || *field == '\t')) ++field;
    if (field < end && *field == '"') {
      p = unquote(field + 1, end, fields.emplace_back());
      if (p == nullptr) return false;
      p = std::find(p, end, ',');
    } else {
      p = std::find(field, end, ',');
      fields.push_back(trimmed({field, static_cast<std::size_t>(p - field)}));
    }
    if (p == end) return true;
    ++p;
  }
}

std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  constexpr std::int64_t kTooLarge = std::numeric_limits<std::int64_t>::max();
  std::int64_t time_ns = json::kNoNumber;
  if (text.empty() || json::read_thousandths(text.data(), time_ns) != text.data() + text.size()) {
    return std::nullopt;
  }
  if (time_ns == json::kNoNumber || time_ns == kTooLarge || time_ns == -kTooLarge) {
    return std::nullopt;
  }
  return time_ns;
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.empty() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

struct Sample {
  std::int64_t time_ns = 0;
  double value = 0;
  std::size_t line = 0;
};

struct Gathered {
  std::string device;
  std::string metric;
  std::vector<Sample> samples;  // in the file's order
};

class CsvReader {
 public:
  // `text` is followed by simd::kSimdPadding zeros.
  explicit CsvReader(std::span<char> text, std::string name)
      : begin_(text.data()), end_(begin_ + text.size()), name_(std::move(name)) {
    if (std::string_view(begin_, text.size()).starts_with("\xEF\xBB\xBF")) begin_ += 3;
  }

  Result<MetricsRead> read() {
    bool has_header = false;
    for (char* p = begin_; p < end_;) {
      ++line_;
      char* const newline =
          static_cast<char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p)));
      char* const next = newline == nullptr ? end_ : newline + 1;
      char* line_end = newline == nullptr ? end_ : newline;
      if (line_end > p && line_end[-1] == '\r') --line_end;
      const std::string_view line(p, static_cast<std::size_t>(line_end - p));
      if (!trimmed(line).empty()) {
        const bool is_whole = split_line(p, line_end, fields_);
        if (!has_header) {
          STROBE_TRY_VOID(read_header());
          has_header = true;
        } else if (!is_whole) {
          lost_.add("opens a quote and does not close it", line_, line.substr(0, 40));
        } else {
          read_sample();
        }
      }
      p = next;
    }
    return finish(has_header);
  }

 private:
  Result<void> read_header() {
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      const auto found = std::ranges::find(fields_, kColumns[i]);
      if (found == fields_.end()) {
        return Error{ErrorCode::kMalformed,
                     fmt::format("line {} has no column '{}'", line_, kColumns[i]), name_,
                     std::string(kHint)};
      }
      columns_[i] = static_cast<std::size_t>(found - fields_.begin());
    }
    needed_fields_ = *std::ranges::max_element(columns_) + 1;
    return {};
  }

  void read_sample() {
    if (fields_.size() < needed_fields_) {
      lost_.add("ends before its last column", line_, fields_.back());
      return;
    }
    const auto [time_text, device, metric, value_text] = std::tuple(
        fields_[columns_[0]], fields_[columns_[1]], fields_[columns_[2]], fields_[columns_[3]]);
    const std::optional<std::int64_t> time_ns = nanoseconds_of(time_text);
    const std::optional<double> value = number_of(value_text);
    if (!time_ns) {
      lost_.add("is no time in microseconds", line_, time_text);
    } else if (!value) {
      lost_.add("is no number", line_, value_text);
    } else if (device.empty() || metric.empty()) {
      lost_.add("names no device or no metric", line_, device.empty() ? metric : device);
    } else {
      series_of(device, metric).samples.push_back({*time_ns, *value, line_});
    }
  }

  Gathered& series_of(std::string_view device, std::string_view metric) {
    key_.assign(device);
    key_ += '\n';
    key_ += metric;
    const auto [entry, is_new] = rows_.try_emplace(key_, gathered_.size());
    if (is_new) gathered_.push_back({std::string(device), std::string(metric), {}});
    return gathered_[entry->second];
  }

  MetricsRead finish(bool has_header) {
    MetricsRead read;
    if (!has_header) {
      read.remarks.push_back("the file is empty: no samples");
    } else if (gathered_.empty()) {
      read.remarks.push_back("the file has no samples that can be used");
    }
    std::ranges::sort(gathered_, {},
                      [](const Gathered& one) { return std::tie(one.device, one.metric); });
    for (Gathered& one : gathered_) read.series.push_back(in_order(one));
    lost_.write_to(read.remarks);
    repeated_.write_to(read.remarks);
    return read;
  }

  MetricSeries in_order(Gathered& gathered) {
    std::vector<Sample>& samples = gathered.samples;
    if (!std::ranges::is_sorted(samples, {}, &Sample::time_ns)) {
      std::ranges::stable_sort(samples, {}, &Sample::time_ns);
    }
    MetricSeries series{std::move(gathered.device), std::move(gathered.metric), {}, {}};
    series.times_ns.reserve(samples.size());
    series.values.reserve(samples.size());
    for (const Sample& sample : samples) {
      if (!series.times_ns.empty() && series.times_ns.back() == sample.time_ns) {
        repeated_.add("has a second value for its time", sample.line, series.metric);
        series.values.back() = sample.value;
        continue;
      }
      series.times_ns.push_back(sample.time_ns);
      series.values.push_back(sample.value);
    }
    samples = {};
    return series;
  }

  char* begin_;
  char* end_;
  std::string name_;
  std::size_t line_ = 0;
  std::vector<std::string_view> fields_;
  std::size_t columns_[std::size(kColumns)] = {};
  std::size_t needed_fields_ = 0;
  std::string key_;
  std::unordered_map<std::string, std::size_t> rows_;
  std::vector<Gathered> gathered_;
  Remarks lost_{"left out"};
  Remarks repeated_{"replaced by the last one"};
};

Result<MetricsRead> read_stream(ByteStream& stream, const std::string& name) {
  std::string text;
  std::optional<Error> damage;
  while (!damage) {
    const std::size_t before = text.size();
    text.resize(std::max(kFirstBytes, 2 * before));
    const Result<std::size_t> bytes = stream.read({text.data() + before, text.size() - before});
    text.resize(before + (bytes ? *bytes : 0));
    if (bytes && *bytes == 0) break;
    if (!bytes) damage = bytes.error();
  }
  if (damage && text.empty()) {
    damage->where = name;
    return *damage;
  }
  // The line that breaks off may end inside a number, which would read as a smaller one.
  if (damage) text.resize(text.rfind('\n') + 1);
  const std::size_t bytes = text.size();
  text.append(simd::kSimdPadding, '\0');
  STROBE_TRY(MetricsRead read, CsvReader({text.data(), bytes}, name).read());
  if (damage) read.remarks.push_back(damage->what + "; what stands before is kept");
  return read;
}

}  // namespace

Result<MetricsRead> read_metrics_csv(const std::filesystem::path& path) {
  // A sampler that was killed at once leaves a run that is still worth comparing.
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) == 0) {
    return read_metrics_bytes({}, path.string());
  }
  STROBE_TRY(File file, File::open(path));
  STROBE_TRY(const auto stream, open_stream(std::move(file)));
  return read_stream(*stream, path.string());
}

Result<MetricsRead> read_metrics_bytes(std::string_view bytes, const std::string& name) {
  STROBE_TRY(const auto stream, open_stream(bytes));
  return read_stream(*stream, name);
}

}  // namespace strobe::readers
