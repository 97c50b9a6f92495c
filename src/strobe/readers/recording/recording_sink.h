#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "strobe/readers/recording/recording_tracks.h"
#include "strobe/trace/args_store.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// Where the parts of a recording go while it becomes a trace.
struct RecordingSink {
  TraceBuilder& builder;
  RecordingTracks& tracks;
  ImportReport& report;
  ArgsWriter& args;
  bool keep_args = true;
  // Called after some rows with their number; false: loading was cancelled.
  std::function<bool(std::uint64_t rows)> pulse;

  ArgsId keep(std::string_view json) {
    return keep_args && !json.empty() ? args.add(json) : ArgsId();
  }
};

}  // namespace strobe::readers
