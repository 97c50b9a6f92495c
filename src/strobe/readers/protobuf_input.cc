#include "strobe/readers/protobuf_input.h"

#include <string>
#include <utility>

namespace strobe::readers {

Result<ProtobufStream> open_messages(const TraceInput& input) {
  if (const auto path = input.plain_file()) {
    STROBE_TRY(File file, File::open(path->string()));
    return ProtobufStream(std::move(file));
  }
  STROBE_TRY(auto stream, input.stream());
  return ProtobufStream(std::move(stream));
}

void report_end(const ProtobufStream& stream, std::string_view place, ImportReport& report) {
  report.text_bytes = stream.offset();
  if (stream.damage()) {
    report.add(ImportIssue::kBadCompressedData, stream.offset(),
               stream.damage()->what + " (" + stream.damage()->where + ")");
  } else if (stream.is_cut()) {
    report.add(ImportIssue::kTruncatedFile, stream.offset(), "inside " + std::string(place));
  } else if (stream.is_broken()) {
    report.add(ImportIssue::kDamagedChunk, stream.offset(),
               std::string(place) + " cannot begin here; the rest was left out");
  }
}

}  // namespace strobe::readers
