#include "strobe/readers/recording/recording_samples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/readers/recording/clock_limits.h"
#include "strobe/readers/recording/text_names.h"

namespace strobe::readers {

std::optional<std::int32_t> WantedSamples::device(std::int32_t index) const {
  if (keeps_device_numbers) return index;
  const auto found = devices_by_index.find(index);
  if (found == devices_by_index.end()) return std::nullopt;
  return found->second;
}

namespace {

using wire::ChunkKind;
using wire::SeriesOf;

constexpr std::string_view kMetrics = "metrics";

// A value is a whole number times a power of ten.
struct Scale {
  double factor = 1;
  double divisor = 1;

  double operator()(std::int64_t value) const {
    return static_cast<double>(value) * factor / divisor;
  }
};

Scale scale_of(const SeriesDefinition& series) {
  constexpr std::int64_t kMost = 30;
  const std::int64_t power =
      std::clamp(static_cast<std::int64_t>(series[wire::kSeriesScale]), -kMost, kMost);
  // 1234 with -3 is 1.234, which only a division gives exactly.
  return power >= 0 ? Scale{std::pow(10, power), 1} : Scale{1, std::pow(10, -power)};
}

// A series of the file as counters of the trace.
struct CounterSeries {
  bool is_wanted = false;
  TrackId track;
  StringId name;
  StringId key;
  Scale scale;
  std::optional<std::int32_t> limited_device;  // its values are the reasons of clock limits
};

class SampledCounters {
 public:
  SampledCounters(const RecordedFile& file, const WantedSamples& wanted, TraceSink& sink)
      : file_(file), wanted_(wanted), sink_(sink), series_(file.segments().size()) {}

  bool add_all() {
    const auto add_block = [&](const DecodedRows& rows) {
      for (std::size_t row = 0; row < rows.rows; ++row) add(rows, row);
      return sink_.pulse(rows.rows);
    };
    if (!file_.for_each_block(ChunkKind::kSamples, sink_.report, add_block)) return false;
    for (auto& [device, samples] : limits_) add_clock_limits(device, std::move(samples), sink_);
    return true;
  }

 private:
  void add(const DecodedRows& rows, std::size_t row) {
    const CounterSeries* series = find(rows.segment, rows.at(wire::kSampleSeries, row));
    if (series == nullptr || !series->is_wanted) return;
    const std::int64_t time_ns = rows.time(wire::kSampleTime, row);
    const auto value = static_cast<std::int64_t>(rows.at(wire::kSampleValue, row));
    CounterVectors& counters = sink_.builder.counters();
    counters.times_ns.push_back(time_ns);
    counters.tracks.push_back(series->track);
    counters.names.push_back(series->name);
    counters.series.push_back(series->key);
    counters.values.push_back(series->scale(value));
    if (!series->limited_device) return;
    limits_[*series->limited_device].push_back({time_ns, static_cast<std::uint64_t>(value)});
  }

  // Null if its definition is lost.
  const CounterSeries* find(std::uint32_t segment, std::uint64_t number) {
    std::vector<CounterSeries>& series = series_[segment];
    if (series.empty()) {
      for (const SeriesDefinition& one : file_.segments()[segment].series) {
        series.push_back(one.is_known ? series_of(segment, one) : CounterSeries());
      }
    }
    return number < series.size() ? &series[number] : nullptr;
  }

  CounterSeries series_of(std::uint32_t segment, const SeriesDefinition& definition) {
    const auto metric = file_.segments()[segment].text(definition[wire::kSeriesMetric]);
    const auto key = file_.segments()[segment].text(definition[wire::kSeriesKey]);
    CounterSeries series;
    const std::optional<TrackId> track = metric ? track_of(definition) : std::nullopt;
    if (!track) return series;
    series.is_wanted = true;
    series.track = *track;
    series.name = sink_.name(*metric);
    series.key = key && !key->empty() ? sink_.name(*key) : series.name;
    series.scale = scale_of(definition);
    if (*metric == kClockLimitMetric) series.limited_device = device_of(definition);
    return series;
  }

  std::optional<std::int32_t> device_of(const SeriesDefinition& series) const {
    const std::uint64_t index = series[wire::kSeriesNumber];
    if (series[wire::kSeriesOf] != static_cast<std::uint64_t>(SeriesOf::kDevice) ||
        index > std::numeric_limits<std::int32_t>::max()) {
      return std::nullopt;
    }
    return wanted_.device(static_cast<std::int32_t>(index));
  }

  // Nothing if the trace does not want the series.
  std::optional<TrackId> track_of(const SeriesDefinition& series) {
    const auto number = static_cast<std::int64_t>(series[wire::kSeriesNumber]);
    switch (static_cast<SeriesOf>(series[wire::kSeriesOf])) {
      case SeriesOf::kMachine:
        return sink_.tracks.about_machine(kMetrics);
      case SeriesOf::kDevice: {
        const std::optional<std::int32_t> device = device_of(series);
        if (!device) return std::nullopt;
        return sink_.tracks.about_device(*device, kMetrics);
      }
      case SeriesOf::kProcess:
        if (!wanted_.wants_process(number)) return std::nullopt;
        return sink_.tracks.about_process(number, kMetrics);
      case SeriesOf::kThread:
        if (!wanted_.wants_process(number)) return std::nullopt;
        return sink_.tracks.thread(number, static_cast<std::int64_t>(series[wire::kSeriesThread]));
    }
    return std::nullopt;
  }

  const RecordedFile& file_;
  const WantedSamples& wanted_;
  TraceSink& sink_;
  std::vector<std::vector<CounterSeries>> series_;  // by segment
  std::map<std::int32_t, std::vector<ClockLimitSample>> limits_;
};

// "waits: python3 (4711) runs"
std::string wait_name(std::string_view other_name, std::uint64_t other_process) {
  if (other_process == 0) return "waits for a core";
  if (other_name.empty()) return fmt::format("waits: process {} runs", other_process);
  return fmt::format("waits: {} ({}) runs", other_name, other_process);
}

}  // namespace

bool add_samples(const RecordedFile& file, const WantedSamples& wanted, TraceSink& sink) {
  return SampledCounters(file, wanted, sink).add_all();
}

bool add_core_waits(const RecordedFile& file, const WantedSamples& wanted, TraceSink& sink) {
  std::map<std::pair<std::uint64_t, std::string_view>, StringId> names;
  const auto add_block = [&](const DecodedRows& rows) {
    const RecordedSegment& segment = file.segments()[rows.segment];
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const auto process = static_cast<std::int64_t>(rows.at(wire::kWaitProcess, row));
      if (!wanted.wants_process(process)) continue;
      const std::uint64_t other = rows.at(wire::kWaitOtherProcess, row);
      const std::string_view other_name =
          segment.text(rows.at(wire::kWaitOtherName, row)).value_or(std::string_view());
      const auto [name, is_new] = names.try_emplace({other, other_name}, StringId());
      if (is_new) name->second = sink.name(wait_name(other_name, other));
      sink.builder.add_slice(
          {.start_ns = rows.time(wire::kWaitStart, row),
           .duration_ns = rows.time(wire::kWaitDuration, row),
           .name = name->second,
           .track = sink.tracks.about_process(
               process, fmt::format("{} waits for a core", rows.at(wire::kWaitThread, row))),
           .category = sink.builder.category("condition"),
           .kind = SliceKind::kCondition,
           .args = {}});
    }
    return sink.pulse(rows.rows);
  };
  return file.for_each_block(ChunkKind::kWaits, sink.report, add_block);
}

}  // namespace strobe::readers
