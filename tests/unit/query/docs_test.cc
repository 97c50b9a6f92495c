#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "strobe/query/query.h"

// docs/query.md lists every table and column; STROBE_UPDATE_GOLDEN=1 writes the list.
namespace strobe::query {
namespace {

constexpr const char* kPage = STROBE_SOURCE_DIR "/docs/query.md";
constexpr std::string_view kBegin = "<!-- tables: begin -->\n";
constexpr std::string_view kEnd = "<!-- tables: end -->\n";

std::string tables_as_markdown() {
  std::string text;
  for (const SchemaTable& table : schema()) {
    text += fmt::format(
        "\n### `{}`\n\nRows: {}.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n",
        table.name, table.meaning);
    for (const SchemaColumn& column : table.columns) {
      if (column.name == "run" || column.name == "rank") continue;  // in the text above the tables
      text += fmt::format("| `{}` | {} | {} | {} |\n", column.name, column.type, column.unit,
                          column.meaning);
    }
  }
  return text + "\n";
}

TEST(QueryDocsTest, the_page_lists_every_table_and_column) {
  std::ostringstream read;
  read << std::ifstream(kPage).rdbuf();
  const std::string page = read.str();
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos);
  const std::size_t first = begin + kBegin.size();
  if (std::getenv("STROBE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kPage) << page.substr(0, first) << tables_as_markdown() << page.substr(end);
    return;
  }
  EXPECT_EQ(page.substr(first, end - first), tables_as_markdown());
}

}  // namespace
}  // namespace strobe::query
