#pragma once

#include <memory>
#include <span>
#include <string>

#include "strobe/base/hash.h"
#include "strobe/base/result.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe {

// A trace in strobe's own columnar file (docs/formats/trace_file.md), which opens without being
// read: its columns are the mapped file's.
struct TraceFile {
  Trace trace;
  ImportReport report;
  ContentHash source;  // of what the trace was made from, as its writer said
};

// Creates `path`, for its owner only. After an error nothing is left of it.
Result<void> write_trace_file(const std::string& path, const Trace& trace,
                              const ImportReport& report, const ContentHash& source);

// Refuses a file that another version wrote or that changed by as much as a bit since.
Result<TraceFile> map_trace_file(const std::string& path);

enum class Checksums { kVerified, kIgnored };

// The same from memory that `keeper` holds, aligned as `new` aligns it. Without its checksums a
// file may hold wrong values, yet none that leads out of bounds.
Result<TraceFile> read_trace_file(std::shared_ptr<const void> keeper, std::span<const char> bytes,
                                  Checksums checksums = Checksums::kVerified);

}  // namespace strobe
