#include "strobe/readers/text_source.h"

#include <algorithm>
#include <cstring>

namespace strobe::readers {
namespace {

class SourceStream final : public ByteStream {
 public:
  SourceStream(const TextSource& source, std::uint64_t offset) : source_(source), offset_(offset) {}

  Result<std::size_t> read(std::span<char> out) override {
    STROBE_TRY(const std::size_t bytes, source_.read_at(offset_, out));
    offset_ += bytes;
    return bytes;
  }
  std::uint64_t consumed_bytes() const override { return offset_; }

 private:
  const TextSource& source_;
  std::uint64_t offset_;
};

}  // namespace

Result<std::size_t> TextSource::read_at(std::uint64_t offset, std::span<char> out) const {
  if (file_ != nullptr) return file_->read_at(offset, out);
  if (offset >= memory_.size()) return std::size_t{0};
  const std::size_t bytes = std::min<std::size_t>(out.size(), memory_.size() - offset);
  std::memcpy(out.data(), memory_.data() + offset, bytes);
  return bytes;
}

std::unique_ptr<ByteStream> TextSource::stream_from(std::uint64_t offset) const {
  return std::make_unique<SourceStream>(*this, offset);
}

}  // namespace strobe::readers
