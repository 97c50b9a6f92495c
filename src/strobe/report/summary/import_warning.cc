#include "strobe/report/summary/import_warning.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/report/render/format.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

std::string first_place(const ImportReport::Line& line) {
  if (line.examples.empty()) return {};
  const std::string_view first = line.count == 1 ? "" : "first ";
  return fmt::format(" ({}at byte {})", first, line.examples[0].byte_offset);
}

std::string damage(const ImportReport::Line& line) {
  if (line.examples.empty() || line.examples[0].detail.empty()) return "is damaged";
  return fmt::format("is damaged: {}", line.examples[0].detail);
}

std::string ending(const ImportReport::Line& line) {
  if (line.examples.empty()) return "is cut off";
  const ImportExample& example = line.examples[0];
  return fmt::format("ends {} (byte {})",
                     example.detail.empty() ? "inside the trace" : example.detail,
                     example.byte_offset);
}

std::string skipped(ImportIssue issue, const ImportReport::Line& line) {
  const std::uint64_t count = line.count;
  switch (issue) {
    case ImportIssue::kMalformedEvent:
      return counted(count, "entry is not a JSON object", "entries are not JSON objects");
    case ImportIssue::kUnknownPhase:
      return counted(count, "event has an unknown phase", "events have an unknown phase");
    case ImportIssue::kMissingTime:
      return counted(count, "event has no time", "events have no time");
    case ImportIssue::kUnmatchedEnd:
      return counted(count, "end has no beginning", "ends have no beginning");
    case ImportIssue::kMalformedEntry:
      return counted(count, "entry does not belong there", "entries do not belong there");
    case ImportIssue::kDuplicateEventArray:
      return counted(count, "further array of events", "further arrays of events");
    default:
      return {};
  }
}

// What a recording lacks.
std::vector<std::string> recording_losses(const ImportReport& report) {
  std::vector<std::string> losses;
  const auto add = [&](ImportIssue issue, auto text_of) {
    if (report[issue].count > 0) losses.push_back(text_of(report[issue].count));
  };
  add(ImportIssue::kUnfinishedRecording, [](std::uint64_t) {
    return std::string("is not finished: its process was killed or still runs");
  });
  add(ImportIssue::kDamagedChunk,
      [](std::uint64_t count) { return "has " + counted(count, "damaged part"); });
  add(ImportIssue::kDroppedRecords, [](std::uint64_t count) {
    return "lacks " + counted(count, "record") + " that the tracing library dropped";
  });
  add(ImportIssue::kDiskFull,
      [](std::uint64_t count) { return "lacks " + counted(count, "row") + ": the disk was full"; });
  if (const ImportReport::Line& log = report[ImportIssue::kUnreadLog]; log.count > 0) {
    const std::string name = log.examples.empty() ? "a log" : log.examples[0].detail;
    losses.push_back("lacks the rows that are still in '" + name + "' beside it");
  }
  if (const ImportReport::Line& failed = report[ImportIssue::kSourceFailed]; failed.count > 0) {
    const std::string why = failed.examples.empty() ? "" : ": " + failed.examples[0].detail;
    losses.push_back("was not recorded as a whole" + why);
  }
  return losses;
}

// Events that were recognised before they were dropped.
bool counts_as_event(ImportIssue issue) {
  return issue == ImportIssue::kUnknownPhase || issue == ImportIssue::kMissingTime ||
         issue == ImportIssue::kUnmatchedEnd;
}

std::string severity_text(ImportSeverity severity) {
  switch (severity) {
    case ImportSeverity::kInfo:
      return "seen";
    case ImportSeverity::kRepaired:
      return "repaired";
    case ImportSeverity::kLost:
      return "lost";
  }
  return "";
}

}  // namespace

std::string import_warning(const std::string& path, const ImportReport& report) {
  if (!report.lost_something()) return {};
  std::vector<std::string> parts;
  const auto& broken = report[ImportIssue::kBadCompressedData];
  const auto& truncated = report[ImportIssue::kTruncatedFile];
  const auto& senseless = report[ImportIssue::kDamagedRest];
  // A damaged stream also ends early; then only the damage is reported.
  if (broken.count > 0) {
    parts.push_back(damage(broken));
  } else if (truncated.count > 0) {
    parts.push_back(ending(truncated));
  } else if (senseless.count > 0) {
    parts.push_back(damage(senseless) + first_place(senseless));
  }
  for (std::string& loss : recording_losses(report)) parts.push_back(std::move(loss));
  std::vector<std::string> lost;
  std::uint64_t kept = report.event_count;
  for (const ImportIssue issue :
       {ImportIssue::kMalformedEvent, ImportIssue::kUnknownPhase, ImportIssue::kMissingTime,
        ImportIssue::kUnmatchedEnd, ImportIssue::kDuplicateEventArray,
        ImportIssue::kMalformedEntry}) {
    const auto& line = report[issue];
    if (line.count == 0) continue;
    lost.push_back(skipped(issue, line) + first_place(line));
    if (counts_as_event(issue)) kept -= std::min(kept, line.count);
  }
  if (!lost.empty()) parts.push_back(fmt::format("has unreadable data: {}", fmt::join(lost, ", ")));
  return fmt::format("'{}' {}; kept {}", path, fmt::join(parts, "; "), counted(kept, "event"));
}

Section import_section(const std::vector<RankInput>& ranks, bool verbose) {
  Section section;
  section.key = "import";
  section.is_remark = true;
  section.title = "Lost or repaired input";
  section.table.columns = {{.key = "rank",
                            .header = "trace",
                            .type = ColumnType::kName,
                            .importance = 4,
                            .for_tools = ranks.size() < 2},
                           {"outcome", "", ColumnType::kText, 5},
                           {"count", "times", ColumnType::kCount, 6},
                           tool_column("issue", ColumnType::kText),
                           {"sentence", "what", ColumnType::kText, 9},
                           {"first_byte", "first at byte", ColumnType::kCount, 3},
                           {"first_example", "example", ColumnType::kName, 1}};
  for (const RankInput& rank : ranks) {
    for (int i = 0; i < static_cast<int>(ImportIssue::kCount_); ++i) {
      const auto issue = static_cast<ImportIssue>(i);
      const ImportReport::Line& line = (*rank.import)[issue];
      const ImportSeverity severity = severity_of(issue);
      if (line.count == 0 || (severity == ImportSeverity::kInfo && !verbose)) continue;
      const ImportExample* first = line.examples.empty() ? nullptr : &line.examples.front();
      section.table.rows.push_back(
          {{Text{rank.name}, Text{severity_text(severity)}, Count{line.count},
            Text{std::string(word_of(issue))}, Text{std::string(sentence_of(issue))},
            first == nullptr ? Cell{Absent{}} : Cell{Count{first->byte_offset}},
            first == nullptr || first->detail.empty() ? Cell{Absent{}} : Cell{Text{first->detail}}},
           RowStyle::kPlain});
    }
    if (verbose) {
      const std::string bytes =
          rank.import->file_bytes == rank.import->text_bytes
              ? bytes_text(static_cast<std::int64_t>(rank.import->text_bytes))
              : bytes_text(static_cast<std::int64_t>(rank.import->text_bytes)) + " (" +
                    bytes_text(static_cast<std::int64_t>(rank.import->file_bytes)) + " on disk)";
      section.notes.push_back(rank.name + ": " + counted(rank.import->event_count, "event") +
                              " in " + bytes + ".");
      // The table has no room for all of them.
      const ImportReport::Line& unread = (*rank.import)[ImportIssue::kUnreadFiles];
      for (const ImportExample& example : unread.examples) {
        section.notes.push_back(rank.name + ": not read: " + example.detail + ".");
      }
    }
  }
  const bool has_examples =
      std::any_of(section.table.rows.begin(), section.table.rows.end(),
                  [](const Row& row) { return !std::holds_alternative<Absent>(row.cells.back()); });
  section.table.columns.back().for_tools = !has_examples;
  if (verbose) section.title = "What was read";
  return section;
}

}  // namespace strobe::report
