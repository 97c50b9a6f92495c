#include "strobe/base/protobuf_stream.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace strobe {
namespace {

constexpr std::size_t kWindowBytes = 1 << 18;  // stays in the cache of its core
constexpr std::size_t kLongestHead = 20;       // of a field: its tag, and its length or number

}  // namespace

ProtobufStream::ProtobufStream(std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)), window_(kWindowBytes + kProtobufSlack) {}

ProtobufStream::ProtobufStream(File file)
    : file_(std::move(file)), window_(kWindowBytes + kProtobufSlack) {}

std::size_t ProtobufStream::read_more(char* to, std::size_t bytes) {
  const std::span<char> out(to, bytes);
  Result<std::size_t> got = file_ ? file_->read_at(base_ + filled_, out) : stream_->read(out);
  if (!got) {
    damage_ = std::move(got).error();
    return 0;
  }
  return *got;
}

// Makes `wanted` bytes lie ahead; false if the input has fewer.
bool ProtobufStream::fill(std::size_t wanted) {
  if (ahead() >= wanted) return true;
  if (has_ended_) return false;
  std::memmove(window_.data(), window_.data() + position_, ahead());
  base_ += position_;
  filled_ -= position_;
  position_ = 0;
  if (window_bytes() < wanted) window_.resize(wanted + kProtobufSlack);
  while (filled_ < window_bytes()) {
    const std::size_t got = read_more(window_.data() + filled_, window_bytes() - filled_);
    filled_ += got;
    has_ended_ = got == 0;
    if (has_ended_ || filled_ >= wanted) break;
  }
  return filled_ >= wanted;
}

// Past the end of the input, it stays at its end.
void ProtobufStream::skip_to(std::uint64_t offset) {
  if (offset <= base_ + filled_) {
    position_ = static_cast<std::size_t>(offset - base_);
    return;
  }
  if (file_ && offset <= file_->size_bytes()) {
    base_ = offset;
    position_ = filled_ = 0;
    return;
  }
  while (base_ + filled_ < offset && !has_ended_) {
    position_ = filled_;
    fill(1);
  }
  position_ = static_cast<std::size_t>(std::min<std::uint64_t>(filled_, offset - base_));
}

bool ProtobufStream::take_number(std::uint64_t& value) {
  const char* p = window_.data() + position_;
  const bool is_right = take_varint(p, window_.data() + filled_, value);
  position_ = static_cast<std::size_t>(p - window_.data());
  return is_right;
}

bool ProtobufStream::stop_broken() {
  // A field that ends where the input does is cut, not broken.
  (has_ended_ && ahead() == 0 ? is_cut_ : is_broken_) = true;
  return false;
}

bool ProtobufStream::next() {
  if (is_broken_ || is_cut_) return false;
  if (offset() < field_end_) {
    skip_to(field_end_);
    if (offset() < field_end_) {
      is_cut_ = true;
      return false;
    }
  }
  if (offset() >= ends_.back()) return false;
  if (ahead() < kLongestHead && !fill(kLongestHead) && ahead() == 0) {
    is_cut_ = ends_.back() != kNoEnd || damage_.has_value();
    return false;
  }
  field_offset_ = offset();
  std::uint64_t tag = 0;
  if (!take_number(tag) || tag >> 3 == 0 || tag >> 3 > kMostProtobufField) return stop_broken();
  field_ = static_cast<std::uint32_t>(tag >> 3);
  length_ = 0;
  bool is_right = true;
  switch (tag & 7) {
    case 0:
      kind_ = Kind::kNumber;
      is_right = take_number(number_);
      break;
    case 1:
    case 5: {
      kind_ = (tag & 7) == 1 ? Kind::kFixed64 : Kind::kFixed32;
      const std::size_t bytes = kind_ == Kind::kFixed64 ? 8 : 4;
      number_ = 0;
      is_right = ahead() >= bytes;
      if (is_right) std::memcpy(&number_, window_.data() + position_, bytes);
      position_ += std::min(bytes, ahead());
      break;
    }
    case 2:
      kind_ = Kind::kBytes;
      is_right = take_number(length_);
      break;
    default:  // groups are obsolete
      is_right = false;
  }
  if (!is_right) return stop_broken();
  const std::uint64_t begin = offset();
  const std::uint64_t end = ends_.back();
  if (length_ > kNoEnd - 1 - begin || begin > end || (end != kNoEnd && length_ > end - begin)) {
    is_broken_ = true;
    return false;
  }
  field_end_ = begin + length_;
  return true;
}

std::optional<std::string_view> ProtobufStream::bytes(std::size_t most_bytes) {
  if (kind_ != Kind::kBytes || length_ > most_bytes || offset() + length_ != field_end_) {
    return std::nullopt;
  }
  const auto bytes = static_cast<std::size_t>(length_);
  if (!fill(bytes)) {
    skip_to(field_end_);
    is_cut_ = true;
    return std::nullopt;
  }
  const std::string_view view(window_.data() + position_, bytes);
  position_ += bytes;
  return view;
}

void ProtobufStream::enter() {
  ends_.push_back(field_end_);
  field_end_ = offset();
}

void ProtobufStream::leave() {
  field_end_ = ends_.back();
  ends_.pop_back();
  is_broken_ = false;
}

}  // namespace strobe
