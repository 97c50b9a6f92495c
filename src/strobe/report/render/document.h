#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/table_options.h"

// A report as data: what it says, not what it looks like. Renderers turn it into text, markdown,
// CSV or JSON; keys are the words that tools may rely on.
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
  kWrong,    // its values are not the reference's: struck out
  kMissing,  // OOM, ERR, n/a
};
struct Measure {  // a number as it was written, and what else is known of it
  std::string text;
  std::optional<double> value = {};
  Mark mark = Mark::kPlain;
  std::optional<double> percent = {};  // of 100: how a heat map colours it
  std::string title = {};              // an interval, a reason
  std::string word = {};               // what tools read instead of the text: "near_floor"
};
using Cell = std::variant<Absent, Text, Count, Bytes, Duration, Share, Measure>;

enum class ColumnType : std::uint8_t {
  kText,  // our words
  kName,  // words of the trace: shortened like code where room is short
  kCount,
  kBytes,
  kDuration,
  kShare,
  kNumber,  // Text that is a number with its unit, already written
  kBar,     // a Share, drawn; tools do not see it
};

struct Column {
  std::string key;     // snake_case with its unit: "host_total_ns"
  std::string header;  // for people; '\n' makes a second line
  ColumnType type = ColumnType::kText;
  std::string share_of = {};     // shares and bars: the whole, in words
  bool balanced = false;         // its shares add up to 1, and are rounded so that they still do
  bool for_tools = false;        // too much for a page: JSON and CSV only
  std::size_t least_width = 20;  // text and names: narrower than this they say nothing
  int importance = 1;            // the least important columns go first when a page is too narrow
};

enum class RowStyle : std::uint8_t { kPlain, kDetail, kTotal, kChanged };

struct Row {
  std::vector<Cell> cells;  // one per column
  RowStyle style = RowStyle::kPlain;
  std::size_t indent = 0;   // levels below the row it belongs to
  bool for_people = false;  // tools find it in a table of its own
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::size_t rows_left_out = 0;
  std::string left_out;  // "41 more, 3.20 ms of host time"
  // The first column names the rows, its header both axes. No column leaves, however narrow a page
  // is: half a grid would be none.
  bool is_grid = false;
};

// A claim, what was seen that speaks for and against it, and what to do.
struct Argument {
  std::string claim;
  std::vector<std::string> in_favour;
  std::vector<std::string> against;
  std::string advice;
};

// For JSON: what a table stands on, behind its key.
struct ToolData {
  std::string key;
  std::vector<std::string> items;  // each is JSON
  bool is_list = true;             // else the one item is the value
};

struct Section {
  std::string key;  // "operators"
  std::string title;
  std::string lead;  // one sentence: how to read the table
  std::vector<Argument> arguments;
  std::vector<std::string> points;   // sentences of equal weight, one below the other
  std::vector<std::string> picture;  // lines drawn with ASCII characters, shown as they are
  Table table;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<ToolData> data;
  std::string svg;  // a picture of an HTML page; the lead is its caption
  bool for_tools = false;
  bool is_remark = false;  // no table of a CSV: about the report, or the sum of another table
  bool is_csv_only = false;
};

struct Fact {
  std::string key;
  std::string label;
  Cell value;
  std::string remark;    // for people, behind the value
  bool is_long = false;  // its value is wrapped rather than cut
};

struct Document {
  std::string schema;  // "strobe.summary"
  int version = 1;
  std::string title;                 // "strobe bench: run7"
  std::string headline;              // the verdict in a word or two, where there is room for one
  std::string answer;                // "slower": the verdict for a style sheet
  std::vector<std::string> verdict;  // what it all comes to, in sentences; before anything else
  std::vector<Fact> facts;
  std::vector<analysis::Finding> findings;  // most important first
  std::size_t findings_on_page = 3;         // tools get all
  std::optional<analysis::TimeUnit> unit;   // of every duration; tools get nanoseconds
  std::vector<Section> sections;
  std::vector<ToolData> data;
};

// Nothing to show, not even a sentence.
bool is_empty(const Section& section);
// People read it: in a terminal, on paper.
bool is_on_page(const Section& section);
// Grids may share a key: for tools they are a list.
bool has_grids(const Document& document);

// Text for people; absent is "-", a measure has its mark: "=100.03%", "~545.92%~". Balanced columns
// are rounded as a whole, by table_texts.
std::string cell_text(const Cell& cell, std::optional<analysis::TimeUnit> unit = {});

// A picture for HTML pages; an empty section where there is none.
Section figure_section(std::string title, std::string caption, std::string svg);

// Every cell of a table as text for people.
std::vector<std::vector<std::string>> table_texts(const Table& table,
                                                  std::optional<analysis::TimeUnit> unit = {});

// Columns of a page of words: neither for tools alone nor drawn.
bool is_shown(const Column& column);

// Which column the rows' indents move: the first of names.
std::size_t name_column(const Table& table);

}  // namespace strobe::report
