#include "strobe/trace/args_store.h"

#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "strobe/base/check.h"

namespace strobe {
namespace {

// LZ4 has a faster and denser table for inputs up to this size.
constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::size_t kLongestLength = 10;  // bytes of a 64-bit LEB128 number

std::size_t write_length(std::uint64_t length, char* to) {
  std::size_t bytes = 0;
  while (length >= 0x80) {
    to[bytes++] = static_cast<char>(length | 0x80);
    length >>= 7;
  }
  to[bytes++] = static_cast<char>(length);
  return bytes;
}

std::uint64_t read_length(const char*& at) {
  std::uint64_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    length |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return length;
  }
}

}  // namespace

std::size_t ArgsStore::bytes() const {
  std::size_t bytes = blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_) bytes += block.packed.capacity();
  return bytes;
}

void ArgsStore::append(ArgsStore&& later) {
  STROBE_CHECK(later.count_ < ArgsId::kNone - count_,
               "a reader refuses a trace long before it has 2^32 events");
  for (Block& block : later.blocks_) {
    block.first += count_;
    blocks_.push_back(std::move(block));
  }
  count_ += later.count_;
  later = ArgsStore();
}

ArgsId ArgsWriter::add(std::string_view json_object) {
  STROBE_CHECK(store_.count_ + raw_texts_ < ArgsId::kNone,
               "a reader refuses a trace long before it has 2^32 events");
  const ArgsId id(store_.count_ + raw_texts_);
  if (raw_.empty()) raw_.resize(kBlockBytes);
  if (json_object.size() + kLongestLength > kBlockBytes - raw_bytes_) {
    flush();
    if (json_object.size() + kLongestLength > kBlockBytes) {
      std::vector<char> alone(kLongestLength + json_object.size());
      const std::size_t length_bytes = write_length(json_object.size(), alone.data());
      std::memcpy(alone.data() + length_bytes, json_object.data(), json_object.size());
      seal(std::span(alone).first(length_bytes + json_object.size()), 1);
      return id;
    }
  }
  raw_bytes_ += write_length(json_object.size(), raw_.data() + raw_bytes_);
  if (!json_object.empty()) {
    std::memcpy(raw_.data() + raw_bytes_, json_object.data(), json_object.size());
  }
  raw_bytes_ += json_object.size();
  ++raw_texts_;
  return id;
}

ArgsStore ArgsWriter::finish() {
  flush();
  return std::exchange(store_, {});
}

void ArgsWriter::flush() {
  if (raw_texts_ == 0) return;
  seal(std::span<const char>(raw_).first(raw_bytes_), raw_texts_);
  raw_bytes_ = 0;
  raw_texts_ = 0;
}

void ArgsWriter::seal(std::span<const char> raw, std::uint32_t texts) {
  constexpr int kAcceleration = 1;
  std::size_t packed_bytes = 0;
  if (raw.size() <= LZ4_MAX_INPUT_SIZE) {
    const int raw_bytes = static_cast<int>(raw.size());
    const auto bound = static_cast<std::size_t>(LZ4_compressBound(raw_bytes));
    if (packed_.size() < bound) packed_.resize(bound);
    packed_bytes = static_cast<std::size_t>(LZ4_compress_fast(
        raw.data(), packed_.data(), raw_bytes, static_cast<int>(bound), kAcceleration));
  }
  const bool is_smaller = packed_bytes > 0 && packed_bytes < raw.size();
  const auto kept = is_smaller ? std::span<const char>(packed_).first(packed_bytes) : raw;
  store_.blocks_.push_back({store_.count_, raw.size(), {kept.begin(), kept.end()}});
  store_.count_ += texts;
}

std::string_view ArgsReader::text(ArgsId id) {
  if (!id.valid() || id.index() >= store_->size()) return {};
  if (id.value < first_ || id.value - first_ >= texts_.size()) {
    const auto& blocks = store_->blocks_;
    const auto next = std::upper_bound(
        blocks.begin(), blocks.end(), id.value,
        [](std::uint32_t value, const ArgsStore::Block& block) { return value < block.first; });
    unpack(static_cast<std::size_t>(next - blocks.begin()) - 1);
  }
  return texts_[id.value - first_];
}

void ArgsReader::unpack(std::size_t block) {
  const ArgsStore::Block& from = store_->blocks_[block];
  raw_.resize(from.raw_bytes);
  if (from.packed.size() == from.raw_bytes) {
    std::copy(from.packed.begin(), from.packed.end(), raw_.begin());
  } else {
    const int bytes =
        LZ4_decompress_safe(from.packed.data(), raw_.data(), static_cast<int>(from.packed.size()),
                            static_cast<int>(from.raw_bytes));
    STROBE_CHECK(bytes >= 0 && static_cast<std::size_t>(bytes) == from.raw_bytes,
                 "blocks are packed by ArgsWriter and never change");
  }
  first_ = from.first;
  texts_.clear();
  const char* at = raw_.data();
  const char* const end = at + raw_.size();
  while (at < end) {
    const auto length = static_cast<std::size_t>(read_length(at));
    texts_.emplace_back(at, length);
    at += length;
  }
}

}  // namespace strobe
