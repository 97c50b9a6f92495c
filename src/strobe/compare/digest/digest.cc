#include "strobe/compare/digest/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/text.h"
#include "strobe/base/zstd_pack.h"
#include "strobe/compare/digest/digest_bytes.h"

namespace strobe::compare {
namespace {

using analysis::Cycle;
using analysis::CycleList;

// The version is a part of it.
constexpr std::string_view kMagic = "strobe digest 1\n";
static_assert(kMagic.size() == kDigestMagicBytes);

constexpr std::size_t kMostUnpackedBytes = 16 << 20;
constexpr std::size_t kMostFileBytes = 16 << 20;
// Of a cycle.
constexpr std::int64_t kIsCut = 1;
constexpr std::int64_t kIsWarmUp = 2;
constexpr double kBlockParts = 16;

template <class T>
std::vector<std::int64_t> as_counts(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}
template <class T>
std::vector<T> from_counts(const std::vector<std::int64_t>& values, DigestReader& reader) {
  std::vector<T> converted;
  converted.reserve(values.size());
  for (const std::int64_t value : values) {
    if (static_cast<std::uint64_t>(value) > std::numeric_limits<T>::max()) reader.damage();
    converted.push_back(static_cast<T>(value));
  }
  return converted;
}

// "step " and 17 of "step 17". Without a number: the whole name, and nothing.
struct NumberedName {
  std::string_view prefix;
  std::optional<std::uint64_t> number;
};

NumberedName split_number(std::string_view name) {
  constexpr std::size_t kMostDigits = 15;
  std::size_t digits = 0;
  while (digits < name.size() && digits < kMostDigits && is_digit(name[name.size() - digits - 1])) {
    ++digits;
  }
  while (digits > 1 && name[name.size() - digits] == '0') --digits;
  if (digits == 0) return {name, {}};
  std::uint64_t number = 0;
  for (const char digit : name.substr(name.size() - digits)) {
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return {name.substr(0, name.size() - digits), number};
}

// Names count up: each as the distance from the number after the last one.
void put_names(DigestWriter& writer, const std::vector<Cycle>& cycles) {
  std::uint64_t expected = 0;
  for (const Cycle& cycle : cycles) {
    const NumberedName name = split_number(cycle.name);
    writer.text(name.prefix);
    writer.flag(name.number.has_value());
    if (!name.number) continue;
    writer.signed_number(static_cast<std::int64_t>(*name.number - expected));
    expected = *name.number + 1;
  }
}

void take_names(DigestReader& reader, std::vector<Cycle>& cycles) {
  std::int64_t expected = 0;
  for (Cycle& cycle : cycles) {
    cycle.name = reader.text();
    if (!reader.flag()) continue;
    const std::int64_t number = expected + reader.signed_number();
    if (number < 0 || number >= kMostTime) return reader.damage();
    cycle.name += std::to_string(number);
    expected = number + 1;
  }
}

template <class Value>
std::vector<std::int64_t> cycle_counts(const std::vector<Cycle>& cycles, Value&& value) {
  std::vector<std::int64_t> counts;
  for (const Cycle& cycle : cycles) counts.push_back(static_cast<std::int64_t>(value(cycle)));
  return counts;
}

void put_cycles(DigestWriter& writer, const CycleList& list, std::int64_t origin_ns) {
  writer.word(list.method);
  writer.word(list.confidence);
  writer.word(list.clock);
  writer.text(list.marker);
  writer.text(list.process);
  writer.flag(list.inner.has_value());
  if (list.inner) {
    writer.number(list.inner->kernels);
    writer.real(list.inner->match);
  }
  const std::vector<Cycle>& cycles = list.cycles;
  writer.number(cycles.size());
  std::int64_t end_ns = cycles.front().interval.start_ns;
  writer.signed_number(end_ns - origin_ns);
  writer.counts(cycle_counts(cycles, [&](const Cycle& cycle) {
    const std::int64_t gap_ns = cycle.interval.start_ns - end_ns;
    end_ns = cycle.interval.end_ns;
    return gap_ns;
  }));
  writer.counts(
      cycle_counts(cycles, [](const Cycle& cycle) { return cycle.interval.length_ns(); }));
  writer.counts(cycle_counts(cycles, [](const Cycle& cycle) { return cycle.type; }));
  writer.counts(cycle_counts(cycles, [](const Cycle& cycle) {
    return (cycle.has_inferred_border ? kIsCut : 0) | (cycle.is_warm_up ? kIsWarmUp : 0);
  }));
  put_names(writer, cycles);
}

void take_intervals(DigestReader& reader, std::int64_t start_ns, std::vector<Cycle>& cycles) {
  const auto gaps_ns = reader.counts(cycles.size());
  const auto lengths_ns = reader.counts(cycles.size());
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    start_ns += gaps_ns[i];
    cycles[i].interval = {start_ns, start_ns + lengths_ns[i]};
    start_ns = cycles[i].interval.end_ns;
    if (start_ns >= kMostMoment) return reader.damage();
  }
}

CycleList take_cycles(DigestReader& reader, std::int64_t origin_ns) {
  CycleList list;
  list.method = reader.word(analysis::CycleMethod::kWholeTrace);
  list.confidence = reader.word(analysis::CycleConfidence::kHigh);
  list.clock = reader.word(analysis::CycleClock::kDevice);
  list.marker = reader.text();
  list.process = reader.text();
  if (reader.flag()) {
    const std::size_t kernels = reader.number();
    list.inner = analysis::InnerPeriod{.kernels = kernels, .match = reader.real()};
  }
  list.cycles.resize(reader.length());
  if (list.cycles.empty()) reader.damage();
  take_intervals(reader, origin_ns + reader.signed_number(), list.cycles);
  const auto types = reader.counts(list.cycles.size());
  const auto flags = reader.counts(list.cycles.size());
  for (std::size_t i = 0; i < list.cycles.size(); ++i) {
    if (types[i] > static_cast<std::int64_t>(analysis::CycleType::kLong)) reader.damage();
    list.cycles[i].type = static_cast<analysis::CycleType>(types[i]);
    list.cycles[i].has_inferred_border = (flags[i] & kIsCut) != 0;
    list.cycles[i].is_warm_up = (flags[i] & kIsWarmUp) != 0;
  }
  take_names(reader, list.cycles);
  return list;
}

void put_function(DigestWriter& writer, const FunctionCycles& function) {
  writer.text(function.key.name);
  writer.word(function.key.kind);
  writer.text(function.key.device);
  writer.flag(function.is_operator);
  writer.number(static_cast<std::uint64_t>(std::llround(function.blocks * kBlockParts)));
  const auto calls = writer.counts(as_counts(function.calls));
  const auto time_ns = writer.times(function.time_ns);
  writer.times(function.covered_ns, time_ns);
  writer.flag(!function.copied_bytes.empty());
  if (!function.copied_bytes.empty()) writer.counts(function.copied_bytes);
  writer.flag(!function.launched_ns.empty());
  if (function.launched_ns.empty()) return;
  writer.counts(as_counts(function.launched_calls), calls);
  writer.times(function.launched_ns, time_ns);
}

FunctionCycles take_function(DigestReader& reader, std::size_t cycles) {
  FunctionCycles function;
  function.key.name = reader.text();
  function.key.kind = reader.word(FunctionKind::kOverhead);
  function.key.device = reader.text();
  function.is_operator = reader.flag();
  function.blocks = static_cast<double>(reader.time()) / kBlockParts;
  const auto calls = reader.counts(cycles);
  function.calls = from_counts<std::uint32_t>(calls, reader);
  function.time_ns = reader.times(cycles);
  function.covered_ns = reader.times(cycles, function.time_ns);
  if (reader.flag()) function.copied_bytes = reader.counts(cycles);
  if (!reader.flag()) return function;
  function.launched_calls = from_counts<std::uint32_t>(reader.counts(cycles, calls), reader);
  function.launched_ns = reader.times(cycles, function.time_ns);
  return function;
}

void put_device(DigestWriter& writer, const DeviceCycles& device) {
  writer.text(device.device);
  writer.text(device.chip);
  const auto busy_ns = writer.times(device.busy_ns);
  writer.counts(as_counts(device.slices));
  writer.counts(as_counts(device.is_partial));
  writer.flag(!device.launched_ns.empty());
  if (!device.launched_ns.empty()) writer.times(device.launched_ns, busy_ns);
  writer.number(static_cast<std::uint64_t>(device.overhang_ns));
  writer.flag(device.outlasts_cycles);
}

DeviceCycles take_device(DigestReader& reader, std::size_t cycles) {
  DeviceCycles device;
  device.device = reader.text();
  device.chip = reader.text();
  device.busy_ns = reader.times(cycles);
  device.slices = from_counts<std::uint64_t>(reader.counts(cycles), reader);
  for (const std::int64_t partial : reader.counts(cycles)) {
    device.is_partial.push_back(partial != 0);
  }
  if (reader.flag()) device.launched_ns = reader.times(cycles, device.busy_ns);
  device.overhang_ns = reader.time();
  device.outlasts_cycles = reader.flag();
  return device;
}

bool is_bits(const SeriesCycles& series) {
  return series.info.role == device::MetricRole::kThrottleReasons;
}

void put_series(DigestWriter& writer, const SeriesCycles& series) {
  writer.text(series.device);
  writer.text(series.metric);
  writer.word(series.time_base);
  writer.number(series.samples);
  writer.number(series.samples_in_cycles);
  writer.real(series.period_ns);
  writer.real(series.recording_mean);
  writer.real(series.recording_median);
  if (is_bits(series)) {
    writer.exact_means(series.mean);
    writer.exact_means(series.busy_mean);
  } else {
    writer.means(series.busy_mean, writer.means(series.mean));
  }
  writer.flag(!series.sample_of.empty());
  if (!series.sample_of.empty()) writer.counts(as_counts(series.sample_of));
}

SeriesCycles take_series(DigestReader& reader, std::size_t cycles) {
  SeriesCycles series;
  series.device = reader.text();
  series.metric = reader.text();
  series.info = device::metric_info(series.metric, series.device);
  series.time_base = reader.word(TimeBase::kNoOverlap);
  series.samples = reader.number();
  series.samples_in_cycles = reader.number();
  series.period_ns = reader.real();
  series.recording_mean = reader.real();
  series.recording_median = reader.real();
  if (is_bits(series)) {
    series.mean = reader.exact_means(cycles);
    series.busy_mean = reader.exact_means(cycles);
  } else {
    series.mean = reader.means(cycles);
    series.busy_mean = reader.means(cycles, series.mean);
  }
  if (reader.flag()) series.sample_of = from_counts<std::size_t>(reader.counts(cycles), reader);
  return series;
}

void put_idle(DigestWriter& writer, const IdleCycles& idle) {
  writer.word(idle.cause.kind);
  writer.text(idle.cause.name);
  writer.text(idle.cause.inside);
  writer.times(idle.idle_ns);
}

IdleCycles take_idle(DigestReader& reader, std::size_t cycles) {
  IdleCycles idle;
  idle.cause.kind = reader.word(analysis::IdleKind::kLaunched);
  idle.cause.name = reader.text();
  idle.cause.inside = reader.text();
  idle.idle_ns = reader.times(cycles);
  return idle;
}

void put_launches(DigestWriter& writer, const LaunchCycles& launches) {
  writer.text(launches.device);
  writer.means(launches.median_delay_ns);
  writer.means(launches.mean_queue);
}

LaunchCycles take_launches(DigestReader& reader, std::size_t cycles) {
  LaunchCycles launches;
  launches.device = reader.text();
  launches.median_delay_ns = reader.means(cycles);
  launches.mean_queue = reader.means(cycles);
  for (std::size_t i = 0; i < cycles; ++i) {  // a cycle has both or none
    if (std::isnan(launches.median_delay_ns[i]) != std::isnan(launches.mean_queue[i])) {
      reader.damage();
    }
  }
  return launches;
}

template <class Row, class Put>
void put_list(DigestWriter& writer, const std::vector<Row>& rows, Put&& put) {
  writer.number(rows.size());
  for (const Row& row : rows) put(writer, row);
}

template <class Take>
auto take_list(DigestReader& reader, Take&& take) {
  std::vector<decltype(take())> rows;
  const std::size_t length = reader.length();
  for (std::size_t i = 0; i < length && !reader.is_damaged(); ++i) rows.push_back(take());
  return rows;
}

// The rows with the most time, in their order.
template <class Row, class Time>
std::vector<Row> largest(const std::vector<Row>& rows, std::size_t most, Time&& time_of) {
  if (rows.size() <= most) return rows;
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [&](std::size_t place) { return time_of(rows[place]); });
  places.resize(most);
  std::ranges::sort(places);
  std::vector<Row> kept;
  for (const std::size_t place : places) kept.push_back(rows[place]);
  return kept;
}

std::int64_t total_ns(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::vector<std::string> remarks_with(const RankMeasure& measure, std::size_t functions,
                                      std::size_t idle) {
  std::vector<std::string> remarks = measure.remarks;
  const std::size_t fewer_functions = measure.functions.size() - functions;
  const std::size_t fewer_idle = measure.idle.size() - idle;
  if (fewer_functions + fewer_idle == 0) return remarks;
  remarks.push_back(fmt::format(
      "the digest has the largest {} of {} functions and the largest {} of {} causes of idle time",
      functions, measure.functions.size(), idle, measure.idle.size()));
  return remarks;
}

void put_rank(DigestWriter& writer, const RankMeasure& measure, const DigestLimits& limits) {
  writer.signed_number(measure.rank);
  writer.text(measure.path);
  writer.signed_number(measure.origin_ns);
  put_cycles(writer, measure.cycles, measure.origin_ns);
  const auto functions =
      largest(measure.functions, limits.most_functions, [](const FunctionCycles& function) {
        return total_ns(function.time_ns) + total_ns(function.launched_ns);
      });
  const auto idle = largest(measure.idle, limits.most_idle_causes,
                            [](const IdleCycles& cause) { return total_ns(cause.idle_ns); });
  put_list(writer, functions, put_function);
  put_list(writer, measure.devices, put_device);
  put_list(writer, measure.series, put_series);
  put_list(writer, idle, put_idle);
  put_list(writer, measure.launches, put_launches);
  put_list(writer, remarks_with(measure, functions.size(), idle.size()),
           [](DigestWriter& to, const std::string& remark) { to.text(remark); });
  writer.flag(measure.has_frames);
}

RankMeasure take_rank(DigestReader& reader) {
  RankMeasure measure;
  measure.rank = static_cast<std::int32_t>(reader.signed_number());
  measure.path = reader.text();
  measure.origin_ns = reader.moment();
  measure.cycles = take_cycles(reader, measure.origin_ns);
  const std::size_t cycles = measure.cycles.cycles.size();
  measure.functions = take_list(reader, [&] { return take_function(reader, cycles); });
  measure.devices = take_list(reader, [&] { return take_device(reader, cycles); });
  measure.series = take_list(reader, [&] { return take_series(reader, cycles); });
  measure.idle = take_list(reader, [&] { return take_idle(reader, cycles); });
  measure.launches = take_list(reader, [&] { return take_launches(reader, cycles); });
  measure.remarks = take_list(reader, [&] { return reader.text(); });
  measure.has_frames = reader.flag();
  return measure;
}

Error damaged() {
  return {.code = ErrorCode::kMalformed,
          .what = "the digest is damaged",
          .where = "",
          .hint = "write it again with `strobe compare RUN --digest FILE`"};
}

}  // namespace

std::string measures_of(const SideFacts& side, const DigestLimits& limits) {
  DigestWriter writer;
  writer.text(side.label);
  writer.text(side.path);
  writer.text(side.folder);
  put_list(writer, side.ranks,
           [&](DigestWriter& to, const RankMeasure& measure) { put_rank(to, measure, limits); });
  return writer.bytes();
}

Result<std::string> pack_digest(const SideFacts& side, const DigestLimits& limits) {
  for (const RankMeasure& measure : side.ranks) {
    if (!measure.cycles.cycles.empty()) continue;
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "there are no cycles, so there is nothing to compare",
                 .where = measure.path,
                 .hint = ""};
  }
  const std::string content = measures_of(side, limits);
  if (content.size() > kMostUnpackedBytes) {
    return Error{.code = ErrorCode::kUnsupported,
                 .what = "the run has too many cycles and functions for a digest",
                 .where = side.path,
                 .hint = "compare the runs themselves"};
  }
  return std::string(kMagic) + pack_zstd(content);
}

bool begins_like_digest(std::string_view first_bytes) {
  return first_bytes.starts_with(kMagic.substr(0, kMagic.find_last_of(' ') + 1));
}

Result<SideFacts> unpack_digest(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = begins_like_digest(bytes) ? "the digest is of another version of strobe"
                                                   : "this is no digest",
                 .where = "",
                 .hint = "write it again with `strobe compare RUN --digest FILE`"};
  }
  const auto content = unpacked_text(bytes.substr(kMagic.size()), kMostUnpackedBytes);
  if (!content) return damaged();
  return read_measures(*content);
}

Result<SideFacts> read_measures(std::string_view content) {
  DigestReader reader(content);
  SideFacts side;
  side.label = reader.text();
  side.path = reader.text();
  side.folder = reader.text();
  side.ranks = take_list(reader, [&] { return take_rank(reader); });
  if (reader.is_damaged() || !reader.is_at_end() || side.ranks.empty()) return damaged();
  return side;
}

Result<SideFacts> read_digest(const std::string& path) {
  STROBE_TRY(const File file, File::open(path));
  std::string bytes(std::min<std::uint64_t>(file.size_bytes(), kMostFileBytes), '\0');
  STROBE_TRY(const std::size_t read, in_file(file.read_at(0, bytes), path));
  bytes.resize(read);
  return in_file(unpack_digest(bytes), path);
}

bool is_digest_file(const std::string& path) {
  if (!stamp_of(path)) return false;  // not a folder or a pipe
  const auto file = File::open(path);
  std::array<char, kDigestMagicBytes> first = {};
  if (!file || !file->is_seekable()) return false;
  const auto read = file->read_at(0, first);
  return read && begins_like_digest({first.data(), *read});
}

}  // namespace strobe::compare
