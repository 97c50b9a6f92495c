#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/fleet/replay/replay.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

struct ReplayPage {
  std::string path;     // of the table
  std::size_t top = 0;  // rows per table, 0: all
};

// Within the report of a job whose traces name the operations of its pipeline.
std::vector<std::string> replay_sentences(const fleet::Replay& replay);
Section replay_section(const fleet::Replay& replay);

// What stragglers cost a pipeline job and who they are, in words and then in tables.
Document replay_document(const fleet::Replay& replay, const ReplayPage& page);

// The same as one self-contained file.
std::string replay_html(const fleet::Replay& replay, const ReplayPage& page);

// One table per question, and one of all steps; every number plain.
std::string replay_csv(const fleet::Replay& replay, const ReplayPage& page);

// For tools: every number of every step, in seconds.
std::string replay_json(const fleet::Replay& replay, const ReplayPage& page);

}  // namespace strobe::report
