#include "strobe/readers/metric_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/csv.h"
#include "strobe/base/file.h"
#include "strobe/base/json_scan.h"
#include "strobe/base/text.h"
#include "strobe/device/metric_info.h"
#include "strobe/readers/recording/recording_facts.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kMetricsNames[] = {"metrics.csv", "metrics.csv.gz", "metrics.csv.zst"};
constexpr std::string_view kColumns[] = {"ts_us", "device", "metric", "value"};
constexpr std::string_view kMetricsHint =
    "its first line names the columns: ts_us,device,metric,value";

// Problems of lines: per kind of problem the first line and how many more there are.
class LineRemarks {
 public:
  explicit LineRemarks(std::string_view outcome) : outcome_(outcome) {}

  void add(std::string_view trouble, std::size_t line, std::string_view text) {
    Entry& entry = entries_[trouble];
    if (entry.count++ == 0) entry = {line, std::string(text), 1};
  }
  void write_to(std::vector<std::string>& remarks) const {
    for (const auto& [trouble, entry] : entries_) {
      remarks.push_back(fmt::format("line {}: '{}' {}; {} {}", entry.line, entry.text, trouble,
                                    counted(entry.count, "line"), outcome_));
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

// Of two values for one time, the later one counts: false if it has replaced the one before.
bool append(MetricSeries& series, std::int64_t time_ns, double value) {
  if (!series.times_ns.empty() && series.times_ns.back() == time_ns) {
    series.values.back() = value;
    return false;
  }
  series.times_ns.push_back(time_ns);
  series.values.push_back(value);
  return true;
}

// `text` is in the padded buffer of its record, unless it had quotes inside.
std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  if (text.find('"') != std::string_view::npos) return std::nullopt;
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
  return parse_number(text);
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

class MetricsCsv {
 public:
  explicit MetricsCsv(CsvRecords& lines) : lines_(&lines) {}

  Result<MetricsRead> read() {
    bool has_lines = false;
    bool has_header = false;
    while (lines_->next_line()) {
      has_lines = true;
      // A truncated line may end inside a number, which would then be read as a smaller one.
      if (lines_->damage() && lines_->is_last_cut()) break;
      if (trimmed(lines_->text()).empty()) continue;
      lines_->split_line();
      if (!has_header) {
        STROBE_TRY_VOID(read_header());
        has_header = true;
      } else if (lines_->is_broken()) {
        lose("opens a quote and does not close it", lines_->text().substr(0, 40));
      } else {
        read_sample();
      }
    }
    if (lines_->damage() && !has_lines) return *lines_->damage();
    MetricsRead read = finish(has_header);
    if (lines_->damage()) {
      read.remarks.push_back(lines_->damage()->what + "; the part before it is kept");
    }
    return read;
  }

 private:
  void lose(std::string_view trouble, std::string_view text) {
    lost_.add(trouble, lines_->line(), text);
  }

  Result<void> read_header() {
    const std::vector<std::string> header = lines_->fields();
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      const auto found = std::ranges::find(header, kColumns[i]);
      if (found == header.end()) {
        return Error{ErrorCode::kMalformed,
                     fmt::format("line {} has no column '{}'", lines_->line(), kColumns[i]), "",
                     std::string(kMetricsHint)};
      }
      columns_[i] = static_cast<std::size_t>(found - header.begin());
    }
    needed_fields_ = *std::ranges::max_element(columns_) + 1;
    return {};
  }

  void read_sample() {
    if (lines_->size() < needed_fields_) {
      lose("ends before its last column", lines_->field(lines_->size() - 1));
      return;
    }
    const std::string_view time_text = lines_->field(columns_[0]);
    const std::string_view device = lines_->field(columns_[1]);
    const std::string_view metric = lines_->field(columns_[2]);
    const std::string_view value_text = lines_->field(columns_[3]);
    const std::optional<std::int64_t> time_ns = nanoseconds_of(time_text);
    const std::optional<double> value = number_of(value_text);
    if (!time_ns) {
      lose("is not a time in microseconds", time_text);
    } else if (!value) {
      lose("is not a number", value_text);
    } else if (device.empty() || metric.empty()) {
      lose("names no device or no metric", device.empty() ? metric : device);
    } else {
      gathered_of(device, metric).samples.push_back({*time_ns, *value, lines_->line()});
    }
  }

  Gathered& gathered_of(std::string_view device, std::string_view metric) {
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
      if (!append(series, sample.time_ns, sample.value)) {
        repeated_.add("has a second value for its time", sample.line, series.metric);
      }
    }
    samples = {};
    return series;
  }

  CsvRecords* lines_;
  std::size_t columns_[std::size(kColumns)] = {};
  std::size_t needed_fields_ = 0;
  std::string key_;
  std::unordered_map<std::string, std::size_t> rows_;
  std::vector<Gathered> gathered_;
  LineRemarks lost_{"left out"};
  LineRemarks repeated_{"replaced by the last one"};
};

Result<MetricsRead> read_metrics(ByteStream& stream) {
  CsvRecords lines(stream);
  return MetricsCsv(lines).read();
}

}  // namespace

Result<MetricsRead> read_metrics_csv(const std::filesystem::path& path) {
  // If a sampler was killed at once, the run can still be compared.
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) == 0) {
    return read_metrics_bytes({}, path.string());
  }
  STROBE_TRY(File file, File::open(path));
  STROBE_TRY(const auto stream, open_stream(std::move(file)));
  return in_file(read_metrics(*stream), path.string());
}

Result<MetricsRead> read_metrics_bytes(std::string_view bytes, const std::string& name) {
  STROBE_TRY(const auto stream, open_stream(bytes));
  return in_file(read_metrics(*stream), name);
}

bool is_metrics_file(const std::filesystem::path& path) {
  return std::ranges::find(kMetricsNames, path.filename().string()) != std::end(kMetricsNames);
}

std::optional<std::filesystem::path> metrics_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const std::string_view name : kMetricsNames) {
    if (std::filesystem::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

namespace {

// The device of each process that has streams of exactly one device.
std::map<StringId, std::int32_t> devices_by_process(const Trace& trace) {
  std::map<StringId, std::int32_t> devices;
  std::set<StringId> of_several;
  for (const Track& track : trace.tracks()) {
    if (!track.device) continue;
    const auto [entry, is_new] = devices.try_emplace(track.process, *track.device);
    if (!is_new && entry->second != *track.device) of_several.insert(track.process);
  }
  for (const StringId process : of_several) devices.erase(process);
  return devices;
}

// "GPU 7": the name of a trace's device in series.
std::string device_text(const Trace& trace, std::int32_t device) {
  return trace.traits().device_label + " " + std::to_string(device);
}

MetricSeries series_of(std::string device, std::string metric,
                       std::vector<std::pair<std::int64_t, double>> samples) {
  const auto time_of = [](const auto& sample) { return sample.first; };
  std::ranges::stable_sort(samples, {}, time_of);
  MetricSeries series{std::move(device), std::move(metric), {}, {}};
  for (const auto& [time_ns, value] : samples) append(series, time_ns, value);
  return series;
}

// Samples of a counter on one track.
using TimedValues = std::vector<std::pair<std::int64_t, double>>;

// "gpu_foreign_process_usage python3 (4711)": a key is part of the name if a counter has several,
// and always if strobe recorded it, which repeats the name where there is none.
class CounterNames {
 public:
  explicit CounterNames(const Trace& trace) : trace_(trace), is_recorded_(is_recorded(trace)) {
    const CounterColumns& counters = trace.counters();
    for (std::size_t i = 0; i < counters.size() && !is_recorded_; ++i) {
      keys_of_[counters.names[i]].insert(counters.series[i]);
    }
  }

  std::string find(StringId name, StringId key) const {
    std::string metric(trace_.strings()[name]);
    const bool has_key = is_recorded_ ? key != name : keys_of_.at(name).size() > 1;
    if (has_key) metric += " " + std::string(trace_.strings()[key]);
    return metric;
  }

 private:
  const Trace& trace_;
  bool is_recorded_;
  std::map<StringId, std::set<StringId>> keys_of_;
};

// How the values of several processes make one value of the run.
struct ProcessJoin {
  explicit ProcessJoin(const device::MetricInfo& info)
      : is_shared(device::is_shared_by_processes(info.role)),
        counts_up(info.kind == device::MetricKind::kCounter) {}

  double operator()(double one, double other) const {
    return is_shared ? std::max(one, other) : one + other;
  }

  bool is_shared;
  bool counts_up;
};

// The counters of a trace by device and metric, each with its tracks.
class CounterGroups {
 public:
  explicit CounterGroups(const Trace& trace)
      : trace_(trace), is_recorded_(is_recorded(trace)), devices_(devices_by_process(trace)) {}

  std::vector<MetricSeries> series() {
    collect();
    const CounterNames names(trace_);
    std::map<std::pair<std::string, std::string>, std::vector<OnTrack>> found;
    for (auto& [key, samples] : by_track_) {
      const auto& [track, name, value_key] = key;
      if (is_of_thread(track)) continue;
      found[{device_of(track), names.find(name, value_key)}].push_back({track, std::move(samples)});
    }
    std::vector<MetricSeries> series;
    for (auto& [key, tracks] : found) {
      series.push_back(series_of(key.first, key.second, joined(key.first, key.second, tracks)));
    }
    return series;
  }

 private:
  struct OnTrack {
    TrackId track;
    TimedValues samples;
  };

  void collect() {
    const CounterColumns& counters = trace_.counters();
    for (std::size_t i = 0; i < counters.size(); ++i) {
      if (!std::isfinite(counters.values[i])) continue;
      by_track_[{counters.tracks[i], counters.names[i], counters.series[i]}].emplace_back(
          counters.times_ns[i], counters.values[i]);
      auto& last_ns = ends_ns_.try_emplace(counters.tracks[i], counters.times_ns[i]).first->second;
      last_ns = std::max(last_ns, counters.times_ns[i]);
    }
  }

  // In a recorded run, they say nothing about the run as a whole.
  bool is_of_thread(TrackId id) const {
    return is_recorded_ && trace_.tracks()[id.index()].kind == TrackKind::kHostThread;
  }

  std::string device_of(TrackId id) const {
    const Track& track = trace_.tracks()[id.index()];
    if (track.device) return device_text(trace_, *track.device);
    const auto found = devices_.find(track.process);
    const bool is_of_device = !is_recorded_ && found != devices_.end();
    return is_of_device ? device_text(trace_, found->second) : kHostDevice;
  }

  // Processes of a recorded run make one value together; other tracks with one name are parts of
  // one series.
  TimedValues joined(const std::string& device, const std::string& metric,
                     const std::vector<OnTrack>& tracks) const {
    if (is_recorded_ && tracks.size() > 1) {
      return join_processes(tracks, ProcessJoin(device::metric_info(metric, device)));
    }
    TimedValues all;
    for (const OnTrack& one : tracks) {
      all.insert(all.end(), one.samples.begin(), one.samples.end());
    }
    return all;
  }

  // A process keeps its latest value until it ends, which is its last sample of any kind; what it
  // has counted stays.
  TimedValues join_processes(const std::vector<OnTrack>& tracks, const ProcessJoin& join) const {
    std::vector<std::tuple<std::int64_t, std::size_t, double>> samples;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      for (const auto& [time_ns, value] : tracks[i].samples)
        samples.emplace_back(time_ns, i, value);
    }
    std::ranges::stable_sort(samples, {}, [](const auto& one) { return std::get<0>(one); });
    TimedValues all;
    double ended = 0;
    std::map<std::size_t, double> latest;  // by process
    const auto let_go_before = [&](std::int64_t now_ns) {
      std::erase_if(latest, [&](const auto& one) {
        const bool has_ended = ends_ns_.at(tracks[one.first].track) < now_ns;
        if (has_ended && join.counts_up) ended = join(ended, one.second);
        return has_ended;
      });
    };
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& [time_ns, process, value] = samples[i];
      latest[process] = value;
      if (i + 1 < samples.size() && std::get<0>(samples[i + 1]) == time_ns) continue;
      let_go_before(time_ns);
      double together = ended;
      for (const auto& [each, its_value] : latest) together = join(together, its_value);
      all.emplace_back(time_ns, together);
    }
    return all;
  }

  const Trace& trace_;
  bool is_recorded_;
  std::map<StringId, std::int32_t> devices_;
  std::map<std::tuple<TrackId, StringId, StringId>, TimedValues> by_track_;
  std::map<TrackId, std::int64_t> ends_ns_;  // the last sample of each track
};

}  // namespace

std::vector<MetricSeries> counter_series(const Trace& trace) {
  return CounterGroups(trace).series();
}

}  // namespace strobe::readers
