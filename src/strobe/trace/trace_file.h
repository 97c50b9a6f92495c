#pragma once

#include <memory>
#include <span>
#include <string>

#include "strobe/base/hash.h"
#include "strobe/base/result.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe {

// A trace in strobe's own columnar file (docs/formats/trace_file.md). It opens without being read:
// its columns are those of the mapped file.
struct TraceFile {
  Trace trace;
  ImportReport report;
  ContentHash source;  // of the source of the trace, as given by the writer
};

// Creates `path`, readable only by its owner. After an error nothing is left of it.
Result<void> write_trace_file(const std::string& path, const Trace& trace,
                              const ImportReport& report, const ContentHash& source);

// Whether a file that begins like this is one. Eight bytes are enough.
bool is_trace_file(std::span<const char> first_bytes);

// Refuses a file that was written by another version or has changed by even one bit.
Result<TraceFile> map_trace_file(const std::string& path);

enum class Checksums { kVerified, kIgnored };

// The same from memory that `keeper` holds, aligned as by `new`. Without its checksums a file may
// hold wrong values, but none that leads out of bounds.
Result<TraceFile> read_trace_file(std::shared_ptr<const void> keeper, std::span<const char> bytes,
                                  Checksums checksums = Checksums::kVerified);

}  // namespace strobe
