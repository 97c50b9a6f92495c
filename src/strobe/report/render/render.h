#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strobe/report/render/document.h"

namespace strobe::report {

struct TextStyle {
  int width = 100;
  bool color = false;
  bool unicode = true;
};

// A report for a terminal. No line is wider than the style's width (at least 40): names are
// shortened, then the least important columns dropped, which a line lists; numbers stay complete.
std::string render_text(const Document& document, const TextStyle& style);

// For pull requests and wikis: names as code, numbers with units, bars left out.
std::string render_markdown(const Document& document);

// One section of such a page, after an empty line.
std::string markdown_section(const Section& section, std::optional<analysis::TimeUnit> unit = {});

// For spreadsheets and scripts: every row and column as plain numbers (nanoseconds, bytes, shares
// of 1), the keys of the JSON as header, absent cells empty, quoted as in RFC 4180 with '\n' line
// ends. One table is one CSV file; several follow each other, each after a line "# key" and
// separated by an empty line. A share "x" is followed by its base in words, "x_of". Facts,
// findings, notes and the import are not included.
std::string render_csv(const Document& document);

// For pasting into a spreadsheet: the tables shown to people, a header, then rows, separated by
// tabs; several tables have titles.
std::string render_tsv(const Document& document);

// For tools: {"schema", "version", "facts", "findings", "tables"}. Tables are keyed by section,
// rows are objects keyed by column; nanoseconds, bytes and counts are integers, shares are of 1,
// absent values are null. Keys are stable, new ones may be added; a key that changes its meaning
// raises the version. Grids, which may share a key, are a list: {"key", "title", "corner",
// "columns", "rows"}, and the cells of a row are objects.
std::string render_json(const Document& document);

std::string_view weight_word(analysis::FindingWeight weight);  // "worth_a_look"

// The web page with the document inside, as one self-contained file. Without scripts it shows the
// document as text.
std::string render_html(const Document& document);

}  // namespace strobe::report
