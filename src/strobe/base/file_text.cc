#include "strobe/base/file_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"

namespace strobe {
namespace {

constexpr std::size_t kPieceBytes = 4 << 20;

}  // namespace

Result<std::string> read_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
  STROBE_TRY(File file, File::open(path));
  const std::uint64_t file_bytes = file.size_bytes();
  STROBE_TRY(const auto stream, open_stream(std::move(file)));
  std::string text;
  text.reserve(static_cast<std::size_t>(std::min(file_bytes, most_bytes)));
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kPieceBytes);
    const Result<std::size_t> bytes = stream->read({text.data() + before, kPieceBytes});
    text.resize(before + (bytes ? *bytes : 0));
    if (text.size() > most_bytes) {
      return Error{ErrorCode::kTooLittleData,
                   fmt::format("its text is longer than {} bytes", most_bytes), path.string(),
                   "give strobe more memory"};
    }
    if (!bytes && text.empty()) return bytes.error();
    if (!bytes || *bytes == 0) return text;
  }
}

}  // namespace strobe
