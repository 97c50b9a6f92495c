#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/health/health.h"
#include "strobe/analysis/tables/table_options.h"

// A report as data: its content, not its appearance. Renderers turn it into text, markdown, HTML,
// CSV, TSV or JSON; keys are stable names for tools.
namespace strobe::report {

struct Absent {};  // unknown, or without meaning in this row
struct Text {
  std::string text;
};
struct Count {
  std::uint64_t count = 0;
};
struct Bytes {
  std::int64_t bytes = 0;
};
struct Duration {
  std::int64_t duration_ns = 0;
};
struct Share {  // 1.0 is the whole named by its column
  double share = 0;
};
enum class Mark : std::uint8_t {
  kPlain,
  kSame,     // both sides ran the same kernels: shown with '='
  kWrong,    // its values differ from the reference: struck out
  kMissing,  // OOM, ERR, n/a
};
struct Measure {  // a formatted number, and further facts about it
  std::string text;
  std::optional<double> value = {};
  Mark mark = Mark::kPlain;
  std::optional<double> percent = {};  // of 100: decides its colour in a heat map
  std::string title = {};              // an interval, a reason
  std::string word = {};               // what tools read instead of the text: "near_floor"
};
using Cell = std::variant<Absent, Text, Count, Bytes, Duration, Share, Measure>;

enum class ColumnType : std::uint8_t {
  kText,  // our words
  kName,  // words of the trace: shortened like code if space is short
  kCount,
  kBytes,
  kDuration,
  kShare,
  kNumber,  // Text that is an already formatted number with its unit
  kBar,     // a Share, drawn; tools do not see it
};

struct Column {
  std::string key;     // snake_case with its unit: "host_total_ns"
  std::string header;  // for people; '\n' makes a second line
  ColumnType type = ColumnType::kText;
  int importance = 1;            // the least important columns are dropped first on a narrow page
  std::string share_of = {};     // shares and bars: what 1.0 means, in words
  bool balanced = false;         // its shares add up to 1, and are rounded so that they still do
  bool for_tools = false;        // too detailed for a page: JSON and CSV only
  std::size_t least_width = 20;  // text and names: useless if narrower
  bool for_people = false;       // a page only: tools find it in another column
};

inline Column tool_column(std::string key, ColumnType type) {
  return {.key = std::move(key), .header = "", .type = type, .for_tools = true};
}

enum class RowStyle : std::uint8_t { kPlain, kDetail, kTotal, kChanged };

struct Row {
  std::vector<Cell> cells;  // one per column
  RowStyle style = RowStyle::kPlain;
  std::size_t indent = 0;   // levels below the row it belongs to
  bool for_people = false;  // tools find it in a separate table
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::size_t rows_left_out = 0;
  std::string left_out;  // "41 more, 3.20 ms of host time"
  // The first column names the rows, its header both axes. No column is dropped, however narrow a
  // page is: an incomplete grid would be useless.
  bool is_grid = false;
  // Colours tell which share of something was lost, 100 % less Measure::percent; else how fast it
  // is.
  bool shows_losses = false;
};

// A claim, the evidence for and against it, and what to do.
struct Argument {
  std::string claim;
  std::vector<std::string> in_favour;
  std::vector<std::string> against;
  std::string advice;
};

// For JSON: the data behind a table, after its key.
struct ToolData {
  std::string key;
  std::vector<std::string> items;  // each is JSON
  bool is_list = true;             // otherwise the single item is the value
};

struct Section {
  std::string key;  // "operators"
  std::string title;
  std::string lead;  // one sentence: how to read the table
  std::vector<Argument> arguments;
  std::vector<std::string> points;   // sentences of equal weight, one per line
  std::vector<std::string> picture;  // lines drawn with ASCII characters, shown unchanged
  Table table;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<ToolData> data;
  std::string svg;  // a picture for an HTML page; the lead is its caption
  bool for_tools = false;
  bool is_remark = false;  // not in CSV: about the report, or the sum of another table
  bool is_csv_only = false;
};

struct Fact {
  std::string key;
  std::string label;
  Cell value;
  std::string remark;    // for people, after the value
  bool is_long = false;  // its value is wrapped rather than cut
};

struct Document {
  std::string schema;  // "strobe.summary"
  int version = 1;
  std::string title;                 // "strobe bench: run7"
  std::string subject;               // what it is about, for a page's title: "run7.json"
  std::string headline;              // the verdict in a word or two, for places with little room
  std::string answer;                // "slower": the verdict for a style sheet
  std::vector<std::string> verdict;  // the conclusion in sentences; before anything else
  // Whether the input can carry the report. Told before everything but the verdict, unless it can.
  std::optional<analysis::Health> health;
  bool shows_health_notes = false;  // tell also what is only worth knowing
  std::vector<Fact> facts;
  std::vector<analysis::Finding> findings;  // most important first
  std::size_t findings_on_page = 3;         // tools get all
  std::optional<analysis::TimeUnit> unit;   // of every duration; tools get nanoseconds
  std::vector<Section> sections;
  std::vector<ToolData> data;
};

// The remarks about the recording that a page shows: none if it is complete, unless asked for.
std::span<const analysis::HealthRemark> health_on_page(const Document& document);

// It has nothing to show, not even a sentence.
bool is_empty(const Section& section);
// Shown to people, in a terminal or on paper.
bool is_on_page(const Section& section);
// Grids may share a key, so they are a list for tools.
bool has_grids(const Document& document);

// Text for people; absent is "-", a measure has its mark: "=100.03%", "~545.92%~". Balanced columns
// are rounded as a whole, by table_texts.
std::string cell_text(const Cell& cell, std::optional<analysis::TimeUnit> unit = {});

// A picture for HTML pages; an empty section if there is none.
Section figure_section(std::string title, std::string caption, std::string svg);

// Warnings about how the numbers were measured, above the tables.
Section warning_section(std::vector<std::string> warnings);

// Every cell of a table as text for people.
std::vector<std::vector<std::string>> table_texts(const Table& table,
                                                  std::optional<analysis::TimeUnit> unit = {});

// Removes the columns without any value: on a page they would contain only dashes.
void drop_empty_columns(Table& table);

// Columns of a text page: neither for tools only nor drawn.
bool is_shown(const Column& column);
// Columns of JSON and CSV.
bool is_for_tools(const Column& column);

// Its header in one line: "compu-\ntation" is "computation".
std::string header_line(const Column& column);

// The column that row indents apply to: the first one of names.
std::size_t name_column(const Table& table);

}  // namespace strobe::report
