#include "strobe/readers/trace_input.h"

#include <algorithm>
#include <utility>

#include "strobe/base/file.h"

namespace strobe::readers {
namespace {

// What can be unpacked; a stream that ends early says so again when it is read in full.
std::string read_first(ByteStream& stream) {
  std::string first(TraceInput::kFirstBytes, '\0');
  std::size_t filled = 0;
  while (filled < first.size()) {
    const Result<std::size_t> bytes = stream.read(std::span(first).subspan(filled));
    if (!bytes || *bytes == 0) break;
    filled += *bytes;
  }
  first.resize(filled);
  return first;
}

bool is_packed(std::string_view first) { return sniff_compression(first) != Compression::kNone; }

}  // namespace

Result<TraceInput> TraceInput::open(const std::filesystem::path& path) {
  TraceInput input;
  input.name_ = path.string();
  input.is_file_ = true;
  STROBE_TRY(File file, File::open(path));
  input.file_bytes_ = file.size_bytes();
  char magic[8] = {};
  STROBE_TRY(const std::size_t bytes, file.read_at(0, magic));
  input.is_packed_ = is_packed({magic, bytes});
  STROBE_TRY(const auto stream, input.stream());
  input.first_ = read_first(*stream);
  return input;
}

TraceInput TraceInput::of(std::string_view bytes, std::string name) {
  TraceInput input;
  input.name_ = std::move(name);
  input.memory_ = bytes;
  input.file_bytes_ = bytes.size();
  input.is_packed_ = is_packed(bytes);
  if (const auto stream = input.stream()) input.first_ = read_first(**stream);
  return input;
}

std::optional<std::filesystem::path> TraceInput::plain_file() const {
  if (!is_file_ || is_packed_) return std::nullopt;
  return name_;
}

Result<TraceInput::Unpacked> TraceInput::unpack() const {
  STROBE_TRY(const auto stream, this->stream());
  Unpacked all;
  constexpr std::size_t kBlock = 1 << 20;
  for (;;) {
    const std::size_t filled = all.bytes.size();
    if (all.bytes.capacity() < filled + kBlock) {
      all.bytes.reserve(std::max(2 * filled, 4 * kBlock));
    }
    all.bytes.resize(filled + kBlock);
    const Result<std::size_t> bytes = stream->read(std::span(all.bytes).subspan(filled));
    all.bytes.resize(filled + (bytes ? *bytes : 0));
    if (!bytes) all.damage = bytes.error();
    if (!bytes || *bytes == 0) return all;
  }
}

Result<TraceInput::Content> TraceInput::content() const {
  if (is_packed_) {
    STROBE_TRY(Unpacked all, unpack());
    const auto text = std::make_shared<const std::string>(std::move(all.bytes));
    return Content{text, *text, std::move(all.damage)};
  }
  if (!is_file_) return Content{nullptr, memory_, std::nullopt};
  STROBE_TRY(auto mapped, MappedFile::open(name_));
  const std::span<const char> bytes = mapped->bytes();
  return Content{std::move(mapped), {bytes.data(), bytes.size()}, std::nullopt};
}

Result<std::unique_ptr<ByteStream>> TraceInput::stream() const {
  if (!is_file_) return open_stream(memory_);
  STROBE_TRY(File file, File::open(name_));
  return open_stream(std::move(file));
}

}  // namespace strobe::readers
