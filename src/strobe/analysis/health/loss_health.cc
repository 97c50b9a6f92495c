#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "strobe/analysis/health/health_rules.h"
#include "strobe/base/sqlite_log.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

// A thousandth of the events: below, what was lost is one event here and there, such as an end
// whose beginning was before the recording.
constexpr double kMatteringEvents = 0.001;

HealthVerdict verdict_of_events(std::uint64_t count, std::uint64_t of) {
  const bool matters =
      of == 0 || static_cast<double>(count) >= kMatteringEvents * static_cast<double>(of);
  return matters ? HealthVerdict::kUsable : HealthVerdict::kComplete;
}

std::string_view how_it_ends(const ImportReport& import) {
  if (import[ImportIssue::kUnfinishedRecording].count > 0) {
    return "the recorded process was killed or still runs";
  }
  if (import[ImportIssue::kBadCompressedData].count > 0) return "the file is damaged";
  return "the file is cut off";
}

// Device work may come last in a file, so the cut explains why there is none.
MaybeRemark trace_cut_off(const HealthEvidence& e) {
  if (!e.import.is_cut_off()) return {};
  std::string consequence;
  if (e.works.empty()) {
    consequence = fmt::format("no {} work is left, and nothing here tells how busy the {} was",
                              e.device, e.device);
  } else {
    std::int64_t last_ns = 0;
    for (const JudgedWork& work : e.works) {
      last_ns = std::max(last_ns, e.since_start_ns(e.trace.end_ns(work.slice)));
    }
    const std::int64_t rest_ns = std::max<std::int64_t>(0, e.trace.extent().length_ns() - last_ns);
    consequence =
        fmt::format("the last {} work ends {} before the end: idle time after it cannot be trusted",
                    e.device, duration_text(rest_ns));
  }
  return HealthRemark{
      .code = "trace_cut_off",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("{}, so a part of the trace is missing", how_it_ends(e.import)),
      .consequence = std::move(consequence),
      .advice = "record again and let the profiler finish writing, or copy the file again"};
}

MaybeRemark records_dropped(const HealthEvidence& e) {
  const std::uint64_t count = e.import[ImportIssue::kDroppedRecords].count;
  if (count == 0) return {};
  const std::uint64_t of = count + e.works.size();
  return HealthRemark{
      .code = "records_dropped",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("the device's tracing library dropped {}",
                          part_of_text(count, of, "records")),
      .consequence = fmt::format("times on the {} are too low, and idle time is too high, by what "
                                 "they would have shown",
                                 e.device),
      .advice = "record fewer activities, or a shorter time",
      .count = count,
      .of = of};
}

MaybeRemark rows_not_written(const HealthEvidence& e) {
  const std::uint64_t count = e.import[ImportIssue::kDiskFull].count;
  if (count == 0) return {};
  const std::uint64_t of = count + e.import.event_count;
  return HealthRemark{.code = "disk_full",
                      .verdict = HealthVerdict::kUsable,
                      .seen = fmt::format("{} were not written because the disk was full",
                                          part_of_text(count, of, "rows")),
                      .consequence = "what happened from then on is missing",
                      .advice = "record to a disk with more room",
                      .count = count,
                      .of = of};
}

MaybeRemark damaged_parts(const HealthEvidence& e) {
  const std::uint64_t count = e.import[ImportIssue::kDamagedChunk].count;
  if (count == 0) return {};
  return HealthRemark{
      .code = "damaged_parts",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("{} of the file {} damaged", counted(count, "part"),
                          plural(count, "is", "are")),
      .consequence = "what they held is missing, and idle time in their place cannot be trusted",
      .advice = "copy the file again",
      .count = count};
}

MaybeRemark unread_log(const HealthEvidence& e) {
  const ImportReport::Line& line = e.import[ImportIssue::kUnreadLog];
  if (line.count == 0) return {};
  const std::string name = line.examples.empty() ? "" : " ('" + line.examples.front().detail + "')";
  return HealthRemark{
      .code = "unread_log",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("the last rows of the database are still in a log beside it{}, which "
                          "strobe does not read",
                          name),
      .consequence = "what they hold is missing",
      .advice = std::string(sqlite::kHowToMergeLog),
      .count = line.count};
}

MaybeRemark source_failed(const HealthEvidence& e) {
  const ImportReport::Line& line = e.import[ImportIssue::kSourceFailed];
  if (line.count == 0) return {};
  const bool is_known = !line.examples.empty() && !line.examples.front().detail.empty();
  return HealthRemark{.code = "source_failed",
                      .verdict = HealthVerdict::kUsable,
                      .seen = "a part of the recording failed" +
                              (is_known ? ": " + line.examples.front().detail : std::string()),
                      .consequence = "what it would have shown is missing",
                      .count = line.count};
}

MaybeRemark events_skipped(const HealthEvidence& e) {
  std::uint64_t count = 0;
  for (const ImportIssue issue : {ImportIssue::kMalformedEvent, ImportIssue::kUnknownPhase,
                                  ImportIssue::kMissingTime, ImportIssue::kUnmatchedEnd}) {
    count += e.import[issue].count;
  }
  const std::uint64_t arrays = e.import[ImportIssue::kDuplicateEventArray].count;
  if (count + arrays == 0) return {};
  // What is no event at all is not counted as one.
  const std::uint64_t of =
      std::max(e.import.event_count + e.import[ImportIssue::kMalformedEvent].count, count);
  std::vector<std::string> seen;
  if (count > 0) {
    seen.push_back(fmt::format("{} could not be read", part_of_text(count, of, "events")));
  }
  if (arrays > 0) {
    seen.push_back(fmt::format("{} skipped", counted(arrays, "further array of events was",
                                                     "further arrays of events were")));
  }
  return HealthRemark{
      .code = "events_skipped",
      .verdict = arrays > 0 ? HealthVerdict::kUsable : verdict_of_events(count, of),
      .seen = fmt::format("{}", fmt::join(seen, ", and ")),
      .consequence = "what they said is missing; the end of the report lists them by reason",
      .count = count,
      .of = of};
}

MaybeRemark impossible_durations(const HealthEvidence& e) {
  const std::uint64_t count =
      e.import[ImportIssue::kNegativeDuration].count + e.import[ImportIssue::kAbsurdTime].count;
  if (count == 0) return {};
  const std::uint64_t of = std::max<std::uint64_t>(count, e.trace.slice_count());
  return HealthRemark{
      .code = "impossible_durations",
      .verdict = verdict_of_events(count, of),
      .seen = fmt::format("{} {} before {}, or after years", part_of_text(count, of, "slices"),
                          plural(count, "ends", "end"), plural(count, "it starts", "they start")),
      .consequence = "they count as 0: sums of their names are too low, and a clock was wrong",
      .count = count,
      .of = of};
}

MaybeRemark unfinished_slices(const HealthEvidence& e) {
  const std::uint64_t count = e.unfinished_slices;
  if (count == 0) return {};
  const std::uint64_t of = e.trace.slice_count();
  const bool matters = e.unfinished_steps > 0 ||
                       static_cast<double>(count) >= kMatteringShare * static_cast<double>(of);
  const std::string steps =
      e.unfinished_steps == 0 ? ""
                              : fmt::format(", among them {}", counted(e.unfinished_steps, "step"));
  return HealthRemark{
      .code = "unfinished_slices",
      .verdict = matters ? HealthVerdict::kUsable : HealthVerdict::kComplete,
      .seen = fmt::format("{} never {}{}", part_of_text(count, of, "slices"),
                          plural(count, "ends", "end"), steps),
      .consequence = fmt::format("{} counted to the end of the trace, which may be too much or too "
                                 "little",
                                 plural(count, "it is", "they are")),
      .advice = "stop the profiler before the program exits",
      .count = count,
      .of = of};
}

// Where writers stop, as far as they are known: a million events in a file of JSON, and powers of
// two in buffers. That a whole trace ends exactly there by itself is very unlikely.
constexpr std::array<std::uint64_t, 3> kWriterLimits = {1'000'000, std::uint64_t{1} << 20,
                                                        std::uint64_t{1} << 21};

std::uint64_t metadata_events(const ImportReport& import) {
  std::uint64_t count = 0;
  for (const auto& [key, events] : import.events) count += key.first == 'M' ? events : 0;
  return count;
}

MaybeRemark event_limit(const HealthEvidence& e) {
  struct Count {
    std::uint64_t count;
    std::string_view what;
  };
  const std::uint64_t metadata = std::min(e.import.event_count, metadata_events(e.import));
  const Count counts[] = {
      {e.import.event_count, "events"},
      {e.import.event_count - metadata, "events beside its metadata"},
      {e.trace.slice_count(), "slices"},
      {e.works.size(), kWorkWords},
  };
  for (const Count& one : counts) {
    if (std::ranges::find(kWriterLimits, one.count) == kWriterLimits.end()) continue;
    return HealthRemark{
        .code = "event_limit",
        .verdict = HealthVerdict::kUsable,
        .seen = fmt::format("the trace holds exactly {} {}, a number at which writers stop",
                            count_text(one.count), one.what),
        .consequence =
            "what came after them is most likely missing: times at the end, and numbers "
            "of calls, are too low",
        .advice = "record a shorter time, or raise the writer's limit",
        .count = one.count};
  }
  return {};
}

constexpr std::array kLossRules = {
    trace_cut_off, records_dropped, rows_not_written,     damaged_parts,     unread_log,
    source_failed, events_skipped,  impossible_durations, unfinished_slices, event_limit};

}  // namespace

std::span<const HealthRule> loss_health_rules() { return kLossRules; }

}  // namespace strobe::analysis
