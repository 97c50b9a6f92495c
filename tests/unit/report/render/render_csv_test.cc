#include "strobe/report/render/render.h"

#include <gtest/gtest.h>

#include "tests/unit/report/render/sample_document.h"

namespace strobe::report {
namespace {

TEST(RenderCsvTest, several_tables_are_named_and_separated) {
  EXPECT_EQ(render_csv(sample_document()),
            "# kernels\n"
            "kernel,calls,total_ns,share,share_of,peak_bytes,max_ns\n"
            "void ns::gemm<4>(int),1234,2000000,0.666667,time of all kernels,1536,9\n"
            "\"copy|\"\"x\"\",y\",1,1000000,0.333333,time of all kernels,,\n"
            "all,1235,3000000,1,time of all kernels,,\n"
            "\n"
            "# raw\n"
            "n\n"
            "7\n");
}

TEST(RenderCsvTest, one_table_is_a_plain_csv_file) {
  Document document = sample_document();
  document.sections.erase(document.sections.begin());
  EXPECT_EQ(render_csv(document), "n\n7\n");
}

TEST(RenderCsvTest, columns_for_people_are_left_out) {
  Document document = sample_document();
  document.sections[1].table.columns.push_back({.key = "mark", .header = "", .for_people = true});
  document.sections[1].table.rows[0].cells.push_back(Text{"longest"});
  document.sections.erase(document.sections.begin());
  EXPECT_EQ(render_csv(document), "n\n7\n");
}

TEST(RenderCsvTest, line_breaks_and_leading_hashes_in_names_are_quoted) {
  Document document = sample_document();
  document.sections.erase(document.sections.begin());
  Table& table = document.sections[0].table;
  table.columns[0].type = ColumnType::kName;
  table.rows = {{{Text{"a\nb"}}, RowStyle::kPlain}, {{Text{"# raw"}}, RowStyle::kPlain}};
  EXPECT_EQ(render_csv(document), "n\n\"a\nb\"\n\"# raw\"\n");
}

}  // namespace
}  // namespace strobe::report
