#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/report/bench/bench_page.h"
#include "strobe/report/render/render.h"
#include "tests/property/shared_files.h"

// Every cell of another program's tables, shown again: the expected texts are made with printf from
// the lines of the file, by code independent of the reader.
namespace strobe::report {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& line, char mark) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, mark);) fields.push_back(field);
  return fields;
}

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// version, device, case, baseline, contender, metric: then the text of each cell by dim0 and dim1.
using Key = std::vector<std::string>;
using Cells = std::map<std::pair<std::string, std::string>, std::string>;

std::map<Key, Cells> expected_cells() {
  std::map<Key, Cells> tables;
  std::ifstream file(kGrids);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> f = split(line, ',');
    const bool is_rate = f[5] == "gbps";
    std::string text = f[9] == "oom" ? "OOM" : "#VALUE!";
    if (f[9] == "ok") {
      const double value = std::stod(f[8]);
      text = is_rate                       ? printed("%.6f", value)
             : f[5] == "relative_overhead" ? printed("%.2E", value)
                                           : printed("%.2f%%", value);
    }
    tables[{f[0], f[1], f[2], f[3], f[4], f[5]}][{f[6], f[7]}] = text;
  }
  return tables;
}

class FusionTables : public ::testing::Test {
 protected:
  void SetUp() override {
    STROBE_NEEDS_SHARED();
    auto read = bench::parse_ratio_grids(read_text(kGrids).value(), kGrids.string());
    ASSERT_TRUE(read) << read.error().what;
    grids_ = std::move(read).value();
  }

  // The tables of a kind, without the texts around them.
  std::vector<Section> tables(BenchTableKind kind) const {
    BenchChoice choice;
    choice.tables = {kind};
    choice.missing = "#VALUE!";
    auto page = grids_page(grids_, choice);
    EXPECT_TRUE(page) << page.error().what;
    std::vector<Section> tables = std::move(page->sections);
    std::erase_if(tables, [](const Section& section) { return !section.table.is_grid; });
    return tables;
  }

  bench::RatioGrids grids_;
};

// The text of a table about the grids that it is made of.
const std::vector<std::string>& grids_of(const Section& table) { return table.data.at(0).items; }

Key key_of(const std::string& grid) {
  Key key;
  for (const char* const name : {"version", "device", "case", "baseline", "contender", "metric"}) {
    key.push_back(find(grid, name).as_string());
  }
  return key;
}

std::string first_dim1(const std::string& grid) {
  std::string dim1;
  for_each_element(find(grid, "cells").text, [&](const JsonValue& cell) {
    if (dim1.empty()) dim1 = find(cell.text, "dim1").text;
  });
  return dim1;
}

Key key_of(const bench::RatioGrid& grid) {
  return {grid.version,  grid.device,    grid.case_id,
          grid.baseline, grid.contender, std::string(bench::metric_name(grid.metric))};
}

TEST_F(FusionTables, every_cell_of_every_table_comes_out_character_for_character) {
  const std::map<Key, Cells> expected = expected_cells();
  std::size_t cells = 0;
  std::size_t seen = 0;
  for (const BenchTableKind kind :
       {BenchTableKind::kOverhead, BenchTableKind::kRelative, BenchTableKind::kDevice}) {
    for (const Section& table : tables(kind)) {
      Document alone;
      alone.sections = {table};
      const Cells& wanted = expected.at(key_of(grids_of(table).at(0)));
      const std::vector<std::string> lines = split(render_tsv(alone), '\n');
      const std::vector<std::string> header = split(lines.at(0), '\t');
      const std::string corner = kind == BenchTableKind::kOverhead ? "dim0\\dim1"
                                 : kind == BenchTableKind::kDevice ? "Relative A100-RTX3090"
                                 : table.key == "attention"        ? "batch \\ seqlen"
                                                                   : "dim0 \\ dim1";
      EXPECT_EQ(header[0], corner);
      ++seen;
      std::size_t here = 0;
      for (std::size_t row = 1; row < lines.size(); ++row) {
        const std::vector<std::string> texts = split(lines[row], '\t');
        ASSERT_EQ(texts.size(), header.size()) << table.title;
        for (std::size_t column = 1; column < texts.size(); ++column, ++here) {
          EXPECT_EQ(texts[column], wanted.at({texts[0], header[column]})) << table.title;
        }
      }
      EXPECT_EQ(here, wanted.size()) << table.title;
      cells += here;
    }
  }
  EXPECT_EQ(cells, 4604u);
  EXPECT_EQ(seen, 9u + 28u + 16u);
}

TEST_F(FusionTables, rates_stand_by_provider) {
  const std::map<Key, Cells> expected = expected_cells();
  const std::vector<Section> rates = tables(BenchTableKind::kBandwidth);
  ASSERT_EQ(rates.size(), 2u);  // dim1 of 1024 and of 128
  std::size_t cells = 0;
  for (const Section& rate : rates) {
    const Table& table = rate.table;
    EXPECT_EQ(table.columns.at(0).header, "dim_0");
    EXPECT_EQ(table.columns.at(1).header, "Triton");
    EXPECT_EQ(table.columns.at(2).header, "Torch");
    for (const std::vector<std::string>& row : table_texts(table)) {
      for (std::size_t i = 1; i < row.size(); ++i, ++cells) {
        const std::string& grid = grids_of(rate).at(i - 1);
        EXPECT_EQ(row[i], expected.at(key_of(grid)).at({row[0], first_dim1(grid)}));
      }
    }
  }
  EXPECT_EQ(rates[0].table.columns.at(3).header, "Inductor");
  EXPECT_EQ(rates[1].table.columns.size(), 3u);
  EXPECT_EQ(cells, 60u);
}

TEST_F(FusionTables, what_is_written_as_csv_reads_back_as_the_same_tables) {
  auto shown = grids_page(grids_, {});
  ASSERT_TRUE(shown) << shown.error().what;
  const auto again = bench::parse_ratio_grids(render_csv(*shown), "again.csv");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE(again->remarks.empty()) << again->remarks.front();
  EXPECT_EQ(again->rows, grids_.rows);
  std::map<Key, std::vector<bench::GridCell>> cells;
  for (const bench::RatioGrid& grid : again->grids) cells[key_of(grid)] = grid.cells;
  for (const bench::RatioGrid& grid : grids_.grids) {
    const auto& twin = cells.at(key_of(grid));
    ASSERT_EQ(twin.size(), grid.cells.size());
    for (std::size_t i = 0; i < twin.size(); ++i) {
      EXPECT_EQ(twin[i].value, grid.cells[i].value);
      EXPECT_EQ(twin[i].status, grid.cells[i].status);
    }
  }
}

}  // namespace
}  // namespace strobe::report
