#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strobe {

// Possible errors of a trace. Nothing is dropped silently: every reason has a count and its first
// examples.
enum class ImportIssue : std::uint8_t {
  // Lost
  kTruncatedFile,        // the text ends inside the trace (a killed job)
  kMalformedEvent,       // an element that is not a JSON object, skipped up to the next one
  kUnknownPhase,         // an unsupported phase letter
  kMissingTime,          // an event that needs a `ts` and has none
  kUnmatchedEnd,         // an E or e without its beginning
  kBadCompressedData,    // the compressed stream is damaged from here on
  kDuplicateEventArray,  // a second traceEvents member
  kDamagedChunk,         // a part of a recording whose checksum or rows are wrong
  kDroppedRecords,       // the device's tracing library had no room
  kDiskFull,             // rows of a recording that were not written
  kSourceFailed,         // a part of the recording failed, or another tool was in its way
  kUnfinishedRecording,  // its process was killed, or still runs
  kLostState,            // a packet that refers to lost ones
  kDamagedRest,          // the bytes are not of this format from here on
  kMalformedEntry,       // an element of a list that is not what belongs there
  kUnreadLog,            // rows of a database that are still in a log beside it
  // Repaired
  kUnmatchedBegin,        // a B or b without its end: ends with the trace
  kNegativeDuration,      // becomes 0
  kAbsurdTime,            // a duration longer than any trace: becomes 0
  kBadString,             // control characters, bad escapes or bad UTF-8 in a name, replaced
  kBadNumber,             // not a number: a duration becomes 0, a counter's value is left out
  kWideCorrelation,       // a correlation id over 32 bits: the launch link is left out
  kDuplicateCorrelation,  // several runtime calls with one id: the last one wins
  kTooManyCategories,     // more categories than CategoryId has ids: the last ones share one
  kLostName,              // a name whose chunk is damaged
  kUnknownAction,         // a word for an event or a state that strobe does not know
  // Only worth knowing
  kMissingCategory,
  kOrphanDeviceWork,  // device work whose runtime call was not recorded
  kNoEvents,
  kSourceMissing,   // a part that could not be recorded on this machine
  kWholeGraphs,     // graphs that were recorded as one block each
  kDeviceError,     // the device reported an error during the recording
  kRecorderRemark,  // what the recorder noted besides
  kUnreadEvents,    // events of kinds that strobe does not read
  kUnreadFiles,     // files beside the trace that strobe does not read
  kCount_,
};

enum class ImportSeverity : std::uint8_t { kInfo, kRepaired, kLost };

ImportSeverity severity_of(ImportIssue issue);
std::string_view word_of(ImportIssue issue);      // "malformed_event": JSON key
std::string_view sentence_of(ImportIssue issue);  // "not a JSON object; skipped"

struct ImportExample {
  std::uint64_t byte_offset = 0;  // in the uncompressed text
  std::string detail;             // may be empty
};

// What happened to the input. A reader returns it together with the Trace.
class ImportReport {
 public:
  static constexpr std::size_t kExamplesKept = 3;

  struct Line {
    std::uint64_t count = 0;
    std::vector<ImportExample> examples;  // the first ones, by offset
  };

  void add(ImportIssue issue, std::uint64_t byte_offset, std::string_view detail = {});
  void add_many(ImportIssue issue, std::uint64_t count);
  // Appends the report of a later part of the same input.
  void append(const ImportReport& later);

  const Line& operator[](ImportIssue issue) const {
    return lines_[static_cast<std::size_t>(issue)];
  }
  bool lost_something() const;
  // The file ends, or can no longer be unpacked, before the trace does: what came later is missing.
  bool is_cut_off() const;
  bool is_clean() const;  // neither lost nor repaired anything

  // Events seen, by phase letter and category ("" when the event has none).
  std::map<std::pair<char, std::string>, std::uint64_t> events;
  std::uint64_t event_count = 0;
  std::uint64_t file_bytes = 0;  // on disk
  std::uint64_t text_bytes = 0;  // uncompressed

 private:
  std::array<Line, static_cast<std::size_t>(ImportIssue::kCount_)> lines_;
};

}  // namespace strobe
