#pragma once

#include <cstddef>
#include <vector>

#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/time_parts.h"

namespace strobe::compare {

// Of the processes that have a metric each ("gpu_foreign_process_usage python3 (4711)"), only so
// many are kept per metric and device: a machine may start thousands during a run.
inline constexpr std::size_t kMostProcesses = 8;

// The use of each process in each cycle, the largest first within a metric and device. A sampler
// lists only the processes that use most, so one without a sample used nothing. Where there are
// more than kMostProcesses, those of one program are added up: "cc1plus (37 processes)".
std::vector<SeriesCycles> average_processes(const RankCapture& capture, const TimeParts& cycles);

}  // namespace strobe::compare
