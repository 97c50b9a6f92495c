#pragma once

#include "strobe/report/render/document.h"

namespace strobe::report {

// Small, but with every kind of cell, row and finding.
inline Document sample_document() {
  Document document;
  document.schema = "strobe.sample";
  document.title = "strobe sample";
  document.facts = {{"file", "trace", Text{"run.json"}, ""},
                    {"span_ns", "span", Duration{942'000'000}, "first to last"},
                    {"slices", "slices", Count{31'204}, ""}};
  document.findings = {
      {"device_idle", analysis::FindingWeight::kMatters, 0.9, "GPU busy 9.6 % of 942 ms",
       "launch less often"},
      {"small_copies", analysis::FindingWeight::kWorthALook, 0.1, "many small copies", ""},
      {"odd", analysis::FindingWeight::kNote, 0.0, "a note", ""},
      {"more", analysis::FindingWeight::kNote, 0.0, "one too many", ""}};
  Section section;
  section.key = "kernels";
  section.title = "Kernels";
  section.lead = "By name.";
  section.table.columns = {
      {"kernel", "kernel", ColumnType::kName, 9},
      {"calls", "calls", ColumnType::kCount, 2},
      {"total_ns", "total", ColumnType::kDuration, 5},
      {.key = "share",
       .header = "share of\nkernels",
       .type = ColumnType::kShare,
       .importance = 4,
       .share_of = "time of all kernels",
       .balanced = true},
      {.key = "bar", .header = "", .type = ColumnType::kBar, .importance = 0, .balanced = true},
      {"peak_bytes", "memory", ColumnType::kBytes, 3},
      tool_column("max_ns", ColumnType::kDuration)};
  section.table.rows = {
      {{Text{"void ns::gemm<4>(int)"}, Count{1234}, Duration{2'000'000}, Share{2 / 3.0},
        Share{2 / 3.0}, Bytes{1536}, Duration{9}},
       RowStyle::kPlain},
      {{Text{"copy|\"x\",y"}, Count{1}, Duration{1'000'000}, Share{1 / 3.0}, Share{1 / 3.0},
        Absent{}, Absent{}},
       RowStyle::kPlain},
      {{Text{"all"}, Count{1235}, Duration{3'000'000}, Share{1}, Absent{}, Absent{}, Absent{}},
       RowStyle::kTotal}};
  section.table.rows_left_out = 41;
  section.table.left_out = "41 more, 3.20 ms of GPU time";
  section.notes = {"A note below."};
  document.sections = {section};
  Section tools;
  tools.key = "raw";
  tools.title = "Raw";
  tools.for_tools = true;
  tools.table.columns = {{"n", "n", ColumnType::kCount}};
  tools.table.rows = {{{Count{7}}, RowStyle::kPlain}};
  document.sections.push_back(tools);
  return document;
}

}  // namespace strobe::report
