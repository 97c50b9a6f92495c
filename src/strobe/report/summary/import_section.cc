#include <algorithm>

#include "strobe/report/render/format.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

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

Section import_section(const SummaryInput& input, bool verbose) {
  Section section;
  section.key = "import";
  section.is_remark = true;
  section.title = "What the input lost or had repaired";
  section.table.columns = {
      {.key = "rank",
       .header = "trace",
       .type = ColumnType::kName,
       .for_tools = input.ranks.size() < 2,
       .importance = 4},
      {.key = "outcome", .header = "", .type = ColumnType::kText, .importance = 5},
      {.key = "count", .header = "times", .type = ColumnType::kCount, .importance = 6},
      {.key = "issue", .header = "", .type = ColumnType::kText, .for_tools = true},
      {.key = "sentence", .header = "what", .type = ColumnType::kText, .importance = 9},
      {.key = "first_byte", .header = "first at byte", .type = ColumnType::kCount, .importance = 3},
      {.key = "first_example", .header = "example", .type = ColumnType::kName, .importance = 1}};
  for (const RankInput& rank : input.ranks) {
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
