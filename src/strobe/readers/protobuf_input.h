#pragma once

#include <cstdint>
#include <string_view>

#include "strobe/base/protobuf_stream.h"
#include "strobe/base/result.h"
#include "strobe/readers/trace_input.h"
#include "strobe/trace/import_report.h"

namespace strobe::readers {

// Readers say how far they are whenever they have read this much.
inline constexpr std::uint64_t kPulseBytes = 4 << 20;

// The unpacked bytes of the file as one message. A plain file skips what is not asked for.
Result<ProtobufStream> open_messages(const TraceInput& input);

// Reports how the bytes ended, if they did not end well. `place` is where they may end: "a plane".
void report_end(const ProtobufStream& stream, std::string_view place, ImportReport& report);

}  // namespace strobe::readers
