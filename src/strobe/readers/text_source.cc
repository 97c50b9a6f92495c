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

Window::Window(ByteStream& stream, std::uint64_t offset, std::size_t first_bytes)
    : stream_(&stream), offset_(offset), buffer_(first_bytes + simd::kSimdPadding) {}

bool Window::read_on(const char*& keep) {
  if (at_end_) return false;
  const auto consumed = static_cast<std::size_t>(keep - buffer_.data());
  const std::size_t rest = filled_ - consumed;
  std::size_t capacity = buffer_.size() - simd::kSimdPadding;
  if (rest > capacity / 2) {
    if (rest >= kMostBytes) return false;
    capacity = std::min(2 * capacity, kMostBytes);
    std::vector<char> larger(capacity + simd::kSimdPadding);
    std::memcpy(larger.data(), keep, rest);
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.data(), keep, rest);
  }
  offset_ += consumed;
  filled_ = rest;
  keep = buffer_.data();

  ++reads_;
  const auto read = stream_->read({buffer_.data() + filled_, capacity - filled_});
  if (read) {
    filled_ += *read;
    at_end_ = *read == 0;
  } else {
    at_end_ = true;
    damage_ = read.error();
  }
  std::memset(buffer_.data() + filled_, 0, simd::kSimdPadding);
  return !at_end_;
}

}  // namespace strobe::readers
