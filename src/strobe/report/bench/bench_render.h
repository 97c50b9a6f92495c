#pragma once

#include <string>

#include "strobe/report/bench/bench_table.h"
#include "strobe/report/render/render_text.h"

// One page of benchmark tables in each format.
namespace strobe::report {

// Tables keep all their columns whatever the width: half a grid would be none.
std::string bench_text(const BenchPage& page, const TextStyle& style);
std::string bench_markdown(const BenchPage& page);
// The tables as a spreadsheet pastes them: a header, then rows, tabs between, nothing around.
std::string bench_tsv(const BenchPage& page);
// Tables of ratios and rates in the columns that strobe reads back, all in one; other tables below
// each other, each behind a line "# key".
std::string bench_csv(const BenchPage& page);
std::string bench_json(const BenchPage& page);
// One file that opens anywhere: heat maps around 100 %, readable without their colours.
std::string bench_html(const BenchPage& page);

}  // namespace strobe::report
