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

// Moves `at` after the number; a number cut off by `end` is read as far as it goes.
std::uint64_t read_length(const char*& at, const char* end) {
  std::uint64_t length = 0;
  for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    length |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) break;
  }
  return length;
}

// A limit of the format: a compressed byte expands to at most 255.
bool can_unpack_to(std::size_t packed_bytes, std::size_t raw_bytes) {
  if (packed_bytes == raw_bytes) return true;
  return raw_bytes <= LZ4_MAX_INPUT_SIZE && raw_bytes / 255 <= packed_bytes &&
         packed_bytes < raw_bytes;
}

}  // namespace

std::optional<ArgsStore> ArgsStore::borrow(std::vector<Block> blocks, std::uint32_t count) {
  if (blocks.empty() != (count == 0) || count == ArgsId::kNone) return std::nullopt;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint32_t end = i + 1 < blocks.size() ? blocks[i + 1].first : count;
    const bool starts_well = i > 0 || blocks[i].first == 0;
    if (!starts_well || blocks[i].first >= end) return std::nullopt;
    if (!can_unpack_to(blocks[i].packed.size(), blocks[i].raw_bytes)) return std::nullopt;
  }
  ArgsStore store;
  store.blocks_ = std::move(blocks);
  store.count_ = count;
  return store;
}

std::size_t ArgsStore::bytes() const {
  std::size_t bytes = blocks_.size() * sizeof(Block);
  for (const Block& block : blocks_) bytes += block.packed.size();
  return bytes;
}

void ArgsStore::append(ArgsStore&& later) {
  STROBE_CHECK(later.count_ < ArgsId::kNone - count_,
               "a reader refuses a trace with more than kMostEvents events");
  for (Block& block : later.blocks_) {
    block.first += count_;
    blocks_.push_back(block);
  }
  std::move(later.own_.begin(), later.own_.end(), std::back_inserter(own_));
  count_ += later.count_;
  later = ArgsStore();
}

ArgsId ArgsWriter::add(std::string_view json_object) {
  STROBE_CHECK(store_.count_ + raw_texts_ < ArgsId::kNone,
               "a reader refuses a trace with more than kMostEvents events");
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
  store_.own_.push_back(std::make_unique_for_overwrite<char[]>(kept.size()));
  char* const copy = store_.own_.back().get();
  std::copy(kept.begin(), kept.end(), copy);
  store_.blocks_.push_back({store_.count_, raw.size(), {copy, kept.size()}});
  store_.count_ += texts;
}

std::string_view ArgsReader::text(ArgsId id) {
  if (!id.valid() || id.index() >= store_->size()) return {};
  if (id.value < kept_[latest_].first || id.value >= kept_[latest_].end) latest_ = find(id);
  const Unpacked& block = kept_[latest_];
  const std::size_t row = id.value - block.first;
  return row < block.texts.size() ? block.texts[row] : std::string_view();
}

std::size_t ArgsReader::find(ArgsId id) {
  const auto& blocks = store_->blocks_;
  const auto next = std::upper_bound(
      blocks.begin(), blocks.end(), id.value,
      [](std::uint32_t value, const ArgsStore::Block& block) { return value < block.first; });
  const auto number = static_cast<std::size_t>(std::prev(next) - blocks.begin());
  const std::size_t place = number % kBlocksKept;
  Unpacked& kept = kept_[place];
  if (id.value >= kept.first && id.value < kept.end) return place;
  kept.first = blocks[number].first;
  kept.end = next != blocks.end() ? next->first : store_->count_;
  unpack(blocks[number], kept);
  return place;
}

void ArgsReader::unpack(const ArgsStore::Block& block, Unpacked& to) {
  to.texts.clear();
  to.raw.resize(block.raw_bytes);
  if (block.packed.size() == block.raw_bytes) {
    std::copy(block.packed.begin(), block.packed.end(), to.raw.begin());
  } else {
    const int bytes = LZ4_decompress_safe(block.packed.data(), to.raw.data(),
                                          static_cast<int>(block.packed.size()),
                                          static_cast<int>(block.raw_bytes));
    if (bytes < 0 || static_cast<std::size_t>(bytes) != block.raw_bytes) return;
  }
  const char* at = to.raw.data();
  const char* const end = at + to.raw.size();
  while (at < end) {
    const std::uint64_t length = read_length(at, end);
    if (length > static_cast<std::uint64_t>(end - at)) return;
    to.texts.emplace_back(at, static_cast<std::size_t>(length));
    at += length;
  }
}

}  // namespace strobe
