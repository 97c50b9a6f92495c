#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/cli/command.h"
#include "strobe/cli/loading.h"

namespace strobe::cli {

enum class ConvertFormat : std::uint8_t { kJson, kGzipJson, kZstdJson, kColumns, kParquet };

// ".json.gz"
std::string_view ending_of(ConvertFormat format);
// Of the whole file: of JSON only.
Compression compression_of(ConvertFormat format);

// The request of `strobe convert`.
struct ConvertRequest {
  std::vector<std::string> inputs;
  std::string output;  // "-": stdout
  bool is_folder = false;
  std::optional<ConvertFormat> typed_format;
  ConvertFormat format = ConvertFormat::kJson;  // as typed, or what the output means
  bool use_lanes = true;
  LoadChoice load;
};

std::vector<Flag> convert_flags(ConvertRequest& request);
Result<void> complete_convert(ConvertRequest& request, const Arguments& arguments);

// How the traces of a run are named in a folder and in a file of all.
struct TraceName {
  std::optional<std::int32_t> rank;
  std::string file;   // "rank3", or the name of the input without its endings
  std::string label;  // "rank 3", or that name
};

// Names the traces one by one, because each is loaded when the ones before are written. No two have
// the same name.
class TraceNames {
 public:
  // `paths` of all traces. The ranks in their names count if each has another one.
  explicit TraceNames(const std::vector<std::string>& paths);

  // `recorded` is the rank that the trace itself says.
  TraceName next(std::optional<std::int32_t> recorded);

 private:
  std::vector<std::string> paths_;
  std::vector<std::optional<std::int32_t>> named_;  // none if they do not count
  std::vector<std::string> taken_;
  std::size_t next_ = 0;
};

}  // namespace strobe::cli
