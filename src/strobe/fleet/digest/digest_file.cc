#include "strobe/fleet/digest/digest_file.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/zstd_pack.h"
#include "strobe/compare/digest/digest_bytes.h"

namespace strobe::fleet {
namespace {

using compare::DigestReader;
using compare::DigestWriter;
using compare::kMostTime;

// The version is a part of it.
constexpr std::string_view kMagic = "strobe fleet 02\n";
// Of a rank's first moment: 73 years since 1970, so that differences between ranks cannot overflow.
constexpr std::int64_t kMostOrigin = std::int64_t{1} << 61;
constexpr std::size_t kMostContentBytes = 64 << 20;
constexpr std::size_t kMostPackedBytes = 64 << 20;

using Column = std::vector<std::int64_t>;

template <class Row, class Value>
Column column_of(const std::vector<Row>& rows, Value&& value) {
  Column column;
  column.reserve(rows.size());
  for (const Row& row : rows) column.push_back(static_cast<std::int64_t>(value(row)));
  return column;
}

// Intervals by start: the distances between starts, and the lengths. `origin_ns` is not after them.
template <class Row, class Get>
void put_intervals(DigestWriter& writer, const std::vector<Row>& rows, std::int64_t origin_ns,
                   Get&& interval_of) {
  std::int64_t before_ns = origin_ns;
  writer.counts(column_of(rows, [&](const Row& row) {
    const std::int64_t start_ns = interval_of(row).start_ns;
    return start_ns - std::exchange(before_ns, start_ns);
  }));
  writer.counts(column_of(rows, [&](const Row& row) { return interval_of(row).length_ns(); }));
}

std::vector<Interval> take_intervals(DigestReader& reader, std::int64_t origin_ns,
                                     std::size_t rows) {
  const Column distances_ns = reader.counts(rows);
  const Column lengths_ns = reader.counts(rows);
  std::vector<Interval> intervals;
  if (reader.is_damaged()) return intervals;
  std::int64_t start_ns = origin_ns;
  for (std::size_t row = 0; row < rows; ++row) {
    start_ns += distances_ns[row];
    if (start_ns - origin_ns >= kMostTime) {
      reader.damage();
      return {};
    }
    intervals.push_back({start_ns, start_ns + lengths_ns[row]});
  }
  return intervals;
}

bool are_disjoint(std::span<const Interval> intervals) {
  return std::ranges::adjacent_find(intervals, [](const Interval& a, const Interval& b) {
           return b.start_ns < a.end_ns;
         }) == intervals.end();
}

void put_set(DigestWriter& writer, const IntervalSet& set, std::int64_t origin_ns) {
  writer.number(set.size());
  put_intervals(writer, set, origin_ns, [](const Interval& interval) { return interval; });
}

IntervalSet take_set(DigestReader& reader, std::int64_t origin_ns) {
  IntervalSet set = take_intervals(reader, origin_ns, reader.length());
  if (!are_disjoint(set)) reader.damage();
  return set;
}

void put_steps(DigestWriter& writer, const std::vector<DigestStep>& steps, std::int64_t origin_ns) {
  writer.number(steps.size());
  put_intervals(writer, steps, origin_ns, [](const DigestStep& step) { return step.interval; });
  writer.counts(column_of(steps, [](const DigestStep& step) { return step.kernels; }));
  for (const DigestStep& step : steps) writer.text(step.name);
}

std::vector<DigestStep> take_steps(DigestReader& reader, std::int64_t origin_ns) {
  const std::size_t rows = reader.length();
  const auto intervals = take_intervals(reader, origin_ns, rows);
  const Column kernels = reader.counts(rows);
  std::vector<DigestStep> steps;
  if (intervals.empty() || !are_disjoint(intervals)) reader.damage();
  for (std::size_t row = 0; row < rows && !reader.is_damaged(); ++row) {
    steps.push_back({reader.text(), intervals[row], static_cast<std::uint64_t>(kernels[row])});
  }
  return steps;
}

void put_groups(DigestWriter& writer, const std::vector<RankGroup>& groups) {
  writer.number(groups.size());
  for (const RankGroup& group : groups) {
    writer.text(group.name);
    writer.text(group.purpose);
    writer.number(group.ranks.size());
    for (const std::int32_t rank : group.ranks) writer.signed_number(rank);
    writer.number(group.size);
    writer.number(group.place);
  }
}

std::int32_t take_rank_number(DigestReader& reader) {
  const std::int64_t number = reader.signed_number();
  if (number >= std::numeric_limits<std::int32_t>::min() &&
      number <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<std::int32_t>(number);
  }
  reader.damage();
  return 0;
}

std::vector<RankGroup> take_groups(DigestReader& reader) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::vector<RankGroup> groups;
  const std::size_t rows = reader.length();
  for (std::size_t row = 0; row < rows && !reader.is_damaged(); ++row) {
    RankGroup& group = groups.emplace_back();
    group.name = reader.text();
    group.purpose = reader.text();
    const std::size_t ranks = reader.length();
    for (std::size_t i = 0; i < ranks && !reader.is_damaged(); ++i) {
      group.ranks.push_back(take_rank_number(reader));
    }
    group.size = static_cast<std::uint32_t>(reader.number(kMost));
    group.place = static_cast<std::uint32_t>(reader.number(kMost));
  }
  return groups;
}

void put_calls(DigestWriter& writer, const std::vector<ExchangeCall>& calls,
               std::int64_t origin_ns) {
  writer.number(calls.size());
  put_intervals(writer, calls, origin_ns, [](const ExchangeCall& call) { return call.interval; });
  const auto put = [&](auto&& value) { writer.counts(column_of(calls, value)); };
  put([](const ExchangeCall& call) { return call.group; });
  put([](const ExchangeCall& call) { return call.element; });
  put([](const ExchangeCall& call) { return call.kind; });
  put([](const ExchangeCall& call) { return call.on_host; });
  put([](const ExchangeCall& call) { return call.bytes; });
  put([](const ExchangeCall& call) { return call.peer + 1; });
  // Sequences count up in each group.
  std::vector<std::int64_t> next;
  for (const ExchangeCall& call : calls) {
    next.resize(std::max<std::size_t>(next.size(), call.group + 1), 0);
    writer.signed_number(call.sequence - std::exchange(next[call.group], call.sequence + 1));
  }
}

template <class T>
T below(std::int64_t value, std::size_t end, DigestReader& reader) {
  if (static_cast<std::uint64_t>(value) >= end) reader.damage();
  return static_cast<T>(value);
}

std::vector<ExchangeCall> take_calls(DigestReader& reader, const RankDigest& digest,
                                     std::int64_t origin_ns) {
  const std::size_t rows = reader.length();
  const auto intervals = take_intervals(reader, origin_ns, rows);
  const Column groups = reader.counts(rows);
  const Column elements = reader.counts(rows);
  const Column kinds = reader.counts(rows);
  const Column places = reader.counts(rows);
  const Column bytes = reader.counts(rows);
  const Column peers = reader.counts(rows);
  std::vector<ExchangeCall> calls;
  std::vector<std::int64_t> next(digest.groups.size(), 0);
  for (std::size_t row = 0; row < rows && !reader.is_damaged(); ++row) {
    ExchangeCall call;
    call.interval = intervals[row];
    call.group = below<std::uint32_t>(groups[row], digest.groups.size(), reader);
    call.element = below<std::uint32_t>(elements[row], digest.elements.size(), reader);
    call.kind =
        below<ExchangeKind>(kinds[row], static_cast<std::size_t>(ExchangeKind::kOther) + 1, reader);
    call.on_host = below<std::size_t>(places[row], 2, reader) == 1;
    call.bytes = static_cast<std::uint64_t>(bytes[row]);
    call.peer = below<std::int32_t>(peers[row], std::size_t{1} << 31, reader) - 1;
    if (reader.is_damaged()) break;
    call.sequence = next[call.group] + reader.signed_number();
    if (call.sequence < kNoSequence || call.sequence >= kMostTime) reader.damage();
    next[call.group] = call.sequence + 1;
    calls.push_back(call);
  }
  return calls;
}

// The device may have begun before the call, by its clock.
void put_pipeline(DigestWriter& writer, const std::vector<PipelineOperation>& pipeline,
                  std::int64_t origin_ns) {
  writer.number(pipeline.size());
  put_intervals(writer, pipeline, origin_ns, [](const PipelineOperation& operation) {
    return Interval{operation.called_ns, operation.called_ns + operation.interval.length_ns()};
  });
  const auto put = [&](auto&& value) { writer.counts(column_of(pipeline, value)); };
  put([](const PipelineOperation& operation) { return operation.what.type; });
  put([](const PipelineOperation& operation) { return operation.what.chunk + 1; });
  put([](const PipelineOperation& operation) { return operation.what.global_chunk + 1; });
  for (const PipelineOperation& operation : pipeline) {
    writer.signed_number(operation.interval.start_ns - operation.called_ns);
  }
}

std::vector<PipelineOperation> take_pipeline(DigestReader& reader, std::int64_t origin_ns) {
  const std::size_t rows = reader.length();
  const auto intervals = take_intervals(reader, origin_ns, rows);
  const Column types = reader.counts(rows);
  const Column chunks = reader.counts(rows);
  const Column global_chunks = reader.counts(rows);
  std::vector<PipelineOperation> pipeline;
  for (std::size_t row = 0; row < rows && !reader.is_damaged(); ++row) {
    constexpr std::size_t kMostChunks = std::size_t{1} << 31;
    PipelineOperation operation;
    operation.what.type =
        below<OpType>(types[row], static_cast<std::size_t>(OpType::kCount_), reader);
    operation.what.chunk = below<std::int32_t>(chunks[row], kMostChunks, reader) - 1;
    operation.what.global_chunk = below<std::int32_t>(global_chunks[row], kMostChunks, reader) - 1;
    operation.called_ns = intervals[row].start_ns;
    const std::int64_t late_ns = reader.signed_number();
    operation.interval = {intervals[row].start_ns + late_ns, intervals[row].end_ns + late_ns};
    pipeline.push_back(operation);
  }
  return pipeline;
}

std::int64_t origin_of(const RankDigest& digest) {
  std::int64_t origin_ns = digest.steps.front().interval.start_ns;
  if (!digest.calls.empty()) {
    origin_ns = std::min(origin_ns, digest.calls.front().interval.start_ns);
  }
  for (const IntervalSet* set : {&digest.compute, &digest.copy, &digest.input, &digest.operators}) {
    if (!set->empty()) origin_ns = std::min(origin_ns, set->front().start_ns);
  }
  if (!digest.pipeline.empty()) {
    origin_ns = std::min(origin_ns, digest.pipeline.front().called_ns);
  }
  return origin_ns;
}

// All times fit into columns.
bool can_be_written(const RankDigest& digest) {
  if (digest.steps.empty()) return false;
  const std::int64_t origin_ns = origin_of(digest);
  const auto fits = [&](const Interval& interval) {
    return interval.start_ns - origin_ns < kMostTime && interval.length_ns() < kMostTime;
  };
  const bool calls_fit = std::ranges::all_of(digest.calls, [&](const ExchangeCall& call) {
    return fits(call.interval) && call.bytes < static_cast<std::uint64_t>(kMostTime) &&
           call.sequence < kMostTime;
  });
  const bool pipeline_fits =
      std::ranges::all_of(digest.pipeline, [&](const PipelineOperation& operation) {
        const std::int64_t late_ns = operation.interval.start_ns - operation.called_ns;
        return operation.called_ns - origin_ns < kMostTime && fits(operation.interval) &&
               late_ns > -kMostTime && late_ns < kMostTime;
      });
  return origin_ns > -kMostOrigin && origin_ns < kMostOrigin && calls_fit && pipeline_fits &&
         std::ranges::all_of(digest.steps,
                             [&](const DigestStep& step) { return fits(step.interval); });
}

Error damaged_digest() {
  return {.code = ErrorCode::kMalformed,
          .what = "the digest of a rank is damaged",
          .where = "",
          .hint = "remove it: it is made again from the rank's trace"};
}

}  // namespace

std::string content_of(const RankDigest& digest) {
  DigestWriter writer;
  const std::int64_t origin_ns = origin_of(digest);
  writer.signed_number(digest.rank);
  writer.text(digest.file);
  writer.text(digest.host);
  writer.text(digest.fingerprint);
  writer.text(digest.damage);
  writer.flag(digest.stage.has_value());
  if (digest.stage) writer.signed_number(*digest.stage);
  writer.signed_number(origin_ns);
  put_steps(writer, digest.steps, origin_ns);
  writer.flag(digest.steps_are_found);
  put_groups(writer, digest.groups);
  writer.number(digest.elements.size());
  for (const std::string& element : digest.elements) writer.text(element);
  put_calls(writer, digest.calls, origin_ns);
  put_set(writer, digest.compute, origin_ns);
  put_set(writer, digest.copy, origin_ns);
  put_set(writer, digest.input, origin_ns);
  put_set(writer, digest.operators, origin_ns);
  put_pipeline(writer, digest.pipeline, origin_ns);
  return writer.bytes();
}

Result<RankDigest> read_content(std::string_view content) {
  DigestReader reader(content);
  RankDigest digest;
  digest.rank = take_rank_number(reader);
  digest.file = reader.text();
  digest.host = reader.text();
  digest.fingerprint = reader.text();
  digest.damage = reader.text();
  if (reader.flag()) digest.stage = take_rank_number(reader);
  const std::int64_t origin_ns = reader.moment();
  if (origin_ns <= -kMostOrigin || origin_ns >= kMostOrigin) reader.damage();
  digest.steps = take_steps(reader, origin_ns);
  digest.steps_are_found = reader.flag();
  digest.groups = take_groups(reader);
  const std::size_t elements = reader.length();
  for (std::size_t i = 0; i < elements && !reader.is_damaged(); ++i) {
    digest.elements.push_back(reader.text());
  }
  digest.calls = take_calls(reader, digest, origin_ns);
  digest.compute = take_set(reader, origin_ns);
  digest.copy = take_set(reader, origin_ns);
  digest.input = take_set(reader, origin_ns);
  digest.operators = take_set(reader, origin_ns);
  digest.pipeline = take_pipeline(reader, origin_ns);
  if (reader.is_damaged() || !reader.is_at_end()) return damaged_digest();
  return digest;
}

Result<std::string> pack_rank_digest(const RankDigest& digest) {
  const auto too_large = [&](std::string what) {
    return Error{.code = ErrorCode::kUnsupported,
                 .what = std::move(what),
                 .where = digest.file,
                 .hint = "record fewer steps"};
  };
  if (!can_be_written(digest)) return too_large("the times of the trace are too far apart");
  const std::string content = content_of(digest);
  if (content.size() > kMostContentBytes) {
    return too_large("the trace has too many kernels and exchanges for a digest");
  }
  return std::string(kMagic) + pack_zstd(content, PackEffort::kQuick);
}

bool begins_like_rank_digest(std::string_view first_bytes) {
  return first_bytes.starts_with(kMagic.substr(0, kMagic.find_last_of(' ') + 1));
}

Result<RankDigest> unpack_rank_digest(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    Error error = damaged_digest();
    error.what = begins_like_rank_digest(bytes)
                     ? "the digest of a rank is of another version of strobe"
                     : "this is no digest of a rank";
    return error;
  }
  const auto content = unpacked_text(bytes.substr(kMagic.size()), kMostContentBytes);
  if (!content) return damaged_digest();
  return read_content(*content);
}

Result<RankDigest> read_rank_digest(const std::string& path) {
  STROBE_TRY(const File file, File::open(path));
  std::string bytes(std::min<std::uint64_t>(file.size_bytes(), kMostPackedBytes), '\0');
  STROBE_TRY(const std::size_t read, in_file(file.read_at(0, bytes), path));
  bytes.resize(read);
  return in_file(unpack_rank_digest(bytes), path);
}

}  // namespace strobe::fleet
