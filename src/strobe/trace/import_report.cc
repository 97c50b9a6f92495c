#include "strobe/trace/import_report.h"

#include <algorithm>

#include "strobe/base/check.h"

namespace strobe {
namespace {

struct IssueText {
  ImportIssue issue;
  ImportSeverity severity;
  std::string_view word;
  std::string_view sentence;
};

constexpr auto kLost = ImportSeverity::kLost;
constexpr auto kRepaired = ImportSeverity::kRepaired;
constexpr auto kInfo = ImportSeverity::kInfo;

constexpr IssueText kIssueTexts[] = {
    {ImportIssue::kTruncatedFile, kLost, "truncated_file",
     "the text ends inside the trace; kept what came before"},
    {ImportIssue::kMalformedEvent, kLost, "malformed_event", "not a JSON object; skipped"},
    {ImportIssue::kUnknownPhase, kLost, "unknown_phase", "a phase letter strobe does not know"},
    {ImportIssue::kMissingTime, kLost, "missing_time", "an event without a time; skipped"},
    {ImportIssue::kUnmatchedEnd, kLost, "unmatched_end", "an end without its beginning; skipped"},
    {ImportIssue::kBadCompressedData, kLost, "bad_compressed_data",
     "the compressed data is damaged; kept what came before"},
    {ImportIssue::kDuplicateEventArray, kLost, "duplicate_event_array",
     "a second array of events; skipped"},
    {ImportIssue::kDamagedChunk, kLost, "damaged_chunk",
     "a damaged part of the recording; kept what is around it"},
    {ImportIssue::kDroppedRecords, kLost, "dropped_records",
     "records that the device's tracing library dropped for want of room"},
    {ImportIssue::kDiskFull, kLost, "disk_full",
     "rows that were not written because the disk was full"},
    {ImportIssue::kSourceFailed, kLost, "source_failed", "a part of the recording failed"},
    {ImportIssue::kUnfinishedRecording, kLost, "unfinished_recording",
     "the recorded process was killed or still runs; what it had not written yet is missing"},
    {ImportIssue::kLostState, kLost, "lost_state",
     "a packet that refers to packets which were lost; skipped"},
    {ImportIssue::kDamagedRest, kLost, "damaged_rest",
     "the bytes make no sense from here on; kept what came before"},
    {ImportIssue::kMalformedEntry, kLost, "malformed_entry",
     "an entry of a list that does not belong there; skipped"},
    {ImportIssue::kUnreadLog, kLost, "unread_log",
     "a log with the last rows of the database, which strobe does not read"},
    {ImportIssue::kUnmatchedBegin, kRepaired, "unmatched_begin",
     "a beginning without its end; ends with the trace"},
    {ImportIssue::kNegativeDuration, kRepaired, "negative_duration",
     "a negative duration; set to 0"},
    {ImportIssue::kAbsurdTime, kRepaired, "absurd_time", "an impossible duration; set to 0"},
    {ImportIssue::kBadString, kRepaired, "bad_string",
     "control characters, escapes or UTF-8 that are not valid; replaced"},
    {ImportIssue::kBadNumber, kRepaired, "bad_number", "not a number; set to 0 or left out"},
    {ImportIssue::kWideCorrelation, kRepaired, "wide_correlation",
     "a correlation id over 32 bits; the launch is not linked"},
    {ImportIssue::kDuplicateCorrelation, kRepaired, "duplicate_correlation",
     "several runtime calls with one correlation id; the last one is linked"},
    {ImportIssue::kTooManyCategories, kRepaired, "too_many_categories",
     "a category beyond the 65,534 that a trace can hold; called \"other\""},
    {ImportIssue::kLostName, kRepaired, "lost_name",
     "a name in a damaged part of the recording; called \"(lost name)\""},
    {ImportIssue::kUnknownAction, kRepaired, "unknown_action",
     "a word for an event or a state that strobe does not know; counted as another one"},
    {ImportIssue::kMissingCategory, kInfo, "missing_category", "an event without a category"},
    {ImportIssue::kOrphanDeviceWork, kInfo, "orphan_device_work",
     "device work whose runtime call was not recorded"},
    {ImportIssue::kNoEvents, kInfo, "no_events", "the trace holds no events"},
    {ImportIssue::kSourceMissing, kInfo, "source_missing",
     "a part that could not be recorded on this machine"},
    {ImportIssue::kWholeGraphs, kInfo, "whole_graphs",
     "a graph launch recorded as one block, without its kernels"},
    {ImportIssue::kDeviceError, kInfo, "device_error",
     "the device reported an error during the recording"},
    {ImportIssue::kRecorderRemark, kInfo, "recorder_remark", "a remark of the recorder"},
    {ImportIssue::kUnreadEvents, kInfo, "unread_events",
     "an event of a kind that strobe does not read; left out"},
    {ImportIssue::kUnreadFiles, kInfo, "unread_files",
     "a file beside the trace that strobe does not read"},
};

constexpr bool is_in_order() {
  std::size_t row = 0;
  for (const IssueText& text : kIssueTexts) {
    if (static_cast<std::size_t>(text.issue) != row++) return false;
  }
  return row == static_cast<std::size_t>(ImportIssue::kCount_);
}
static_assert(is_in_order(), "the table has one row per issue, in the order of the enum");

const IssueText& text_of(ImportIssue issue) {
  STROBE_CHECK(issue < ImportIssue::kCount_, "kCount_ is not an issue");
  return kIssueTexts[static_cast<std::size_t>(issue)];
}

void keep_first(std::vector<ImportExample>& examples, ImportExample example) {
  const auto place = std::upper_bound(
      examples.begin(), examples.end(), example,
      [](const ImportExample& a, const ImportExample& b) { return a.byte_offset < b.byte_offset; });
  if (place == examples.end() && examples.size() >= ImportReport::kExamplesKept) return;
  examples.insert(place, std::move(example));
  if (examples.size() > ImportReport::kExamplesKept) examples.pop_back();
}

}  // namespace

ImportSeverity severity_of(ImportIssue issue) { return text_of(issue).severity; }
std::string_view word_of(ImportIssue issue) { return text_of(issue).word; }
std::string_view sentence_of(ImportIssue issue) { return text_of(issue).sentence; }

void ImportReport::add(ImportIssue issue, std::uint64_t byte_offset, std::string_view detail) {
  Line& line = lines_[static_cast<std::size_t>(issue)];
  ++line.count;
  if (line.examples.size() < kExamplesKept || byte_offset < line.examples.back().byte_offset) {
    keep_first(line.examples, {byte_offset, std::string(detail)});
  }
}

void ImportReport::add_many(ImportIssue issue, std::uint64_t count) {
  lines_[static_cast<std::size_t>(issue)].count += count;
}

void ImportReport::append(const ImportReport& later) {
  for (std::size_t row = 0; row < lines_.size(); ++row) {
    lines_[row].count += later.lines_[row].count;
    for (const ImportExample& example : later.lines_[row].examples) {
      keep_first(lines_[row].examples, example);
    }
  }
  for (const auto& [key, count] : later.events) events[key] += count;
  event_count += later.event_count;
  file_bytes += later.file_bytes;
  text_bytes += later.text_bytes;
}

bool ImportReport::is_cut_off() const {
  return (*this)[ImportIssue::kTruncatedFile].count > 0 ||
         (*this)[ImportIssue::kBadCompressedData].count > 0 ||
         (*this)[ImportIssue::kDamagedRest].count > 0 ||
         (*this)[ImportIssue::kUnfinishedRecording].count > 0;
}

bool ImportReport::lost_something() const {
  return std::any_of(std::begin(kIssueTexts), std::end(kIssueTexts), [&](const IssueText& text) {
    return text.severity == kLost && (*this)[text.issue].count > 0;
  });
}

bool ImportReport::is_clean() const {
  return std::all_of(std::begin(kIssueTexts), std::end(kIssueTexts), [&](const IssueText& text) {
    return text.severity == kInfo || (*this)[text.issue].count == 0;
  });
}

}  // namespace strobe
