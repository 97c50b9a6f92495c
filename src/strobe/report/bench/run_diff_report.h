#pragma once

#include <cstddef>
#include <string>

#include "strobe/bench/judge/run_diff.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// The comparison of two benchmark runs.
struct RunDiffPage {
  std::string before;  // their names for people: their files
  std::string after;
  std::string before_about;  // device and method, after the name
  std::string after_about;
  std::size_t top = 0;  // rows of the table, 0: all
};

// "median:0.5%, cold, NVIDIA H200"
std::string run_about(const bench::RunHeader& header);

// The verdict first, then what got slower, what got faster, what is unclear and why, and the rest.
Document run_diff_document(const bench::RunDiff& diff, const RunDiffPage& page);

// For tools: every cell, in the order of the second run.
std::string run_diff_json(const bench::RunDiff& diff, const RunDiffPage& page);
std::string run_diff_csv(const bench::RunDiff& diff);
std::string run_diff_html(const bench::RunDiff& diff, const RunDiffPage& page);

}  // namespace strobe::report
