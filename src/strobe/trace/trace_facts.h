#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/trace/import_report.h"
#include "strobe/trace/tables.h"
#include "strobe/trace/trace.h"

namespace strobe::trace_file {

// A trace without its columns, texts and arguments. Small, so it is decoded, not mapped.
struct Facts {
  Metadata metadata;
  std::vector<Track> tracks;
  std::vector<Category> categories;
  Interval extent;
  bool memory_owners_are_known = false;
  ImportReport report;
};

std::string encode_facts(const Trace& trace, const ImportReport& report);

// Nothing if the bytes were not written by encode_facts(). Ids are unchanged and not yet checked
// against the texts.
std::optional<Facts> decode_facts(std::span<const char> bytes);

}  // namespace strobe::trace_file
