#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "strobe/trace/ids.h"

namespace strobe {

// Every slice's arguments, as the original JSON text, in LZ4 blocks of at most 64 KiB (a longer
// text has its own block). Traces repeat themselves, so this needs about 1/25 of the file size; a
// block is decompressed when it is read.
class ArgsStore {
 public:
  struct Block {
    std::uint32_t first = 0;  // ArgsId of its first text
    // Decompressed, a block is its texts in a row, each after its length as a LEB128 number.
    std::size_t raw_bytes = 0;
    std::span<const char> packed;  // not compressed at all if as long as raw_bytes
  };

  ArgsStore() = default;
  ArgsStore(ArgsStore&&) noexcept = default;
  ArgsStore& operator=(ArgsStore&&) noexcept = default;

  // A store over blocks in memory owned by others; nothing if they cannot be blocks of `count`
  // texts.
  static std::optional<ArgsStore> borrow(std::vector<Block> blocks, std::uint32_t count);

  std::size_t size() const { return count_; }  // texts
  std::size_t bytes() const;                   // of all blocks, own and borrowed
  bool empty() const { return count_ == 0; }
  std::span<const Block> blocks() const { return blocks_; }

  // Moves the blocks of a later part to the end; its ids shift by the size() before the call.
  // Together they must stay below 2^32 - 1 texts.
  void append(ArgsStore&& later);

 private:
  friend class ArgsWriter;
  friend class ArgsReader;
  std::vector<Block> blocks_;
  std::vector<std::unique_ptr<char[]>> own_;  // none if borrowed
  std::uint32_t count_ = 0;
};

// Fills a store. finish() closes the current block and leaves the writer empty, ready for the next
// store with the same buffers.
class ArgsWriter {
 public:
  ArgsId add(std::string_view json_object);
  ArgsStore finish();

 private:
  void flush();
  void seal(std::span<const char> raw, std::uint32_t texts);

  ArgsStore store_;
  std::vector<char> raw_;  // the current block: raw_bytes_ of it are used
  std::size_t raw_bytes_ = 0;
  std::uint32_t raw_texts_ = 0;
  std::vector<char> packed_;  // scratch
};

// A cursor with its own decompressed blocks: one per thread. Ascending ids are cheap, and so are
// any ids of a few blocks, which slices that share their arguments have; random ids of many blocks
// need one decompression each.
class ArgsReader {
 public:
  explicit ArgsReader(const ArgsStore& store) : store_(&store) {}

  // The JSON object text, valid until the next call; empty for an invalid id, and in a damaged
  // block, which only a borrowed one can be.
  std::string_view text(ArgsId id);

 private:
  struct Unpacked {
    std::uint32_t first = 0;  // id of texts[0]
    std::uint32_t end = 0;    // and after the block's last
    std::vector<char> raw;
    std::vector<std::string_view> texts;
  };
  static constexpr std::size_t kBlocksKept = 8;

  std::size_t find(ArgsId id);  // its place in kept_
  static void unpack(const ArgsStore::Block& block, Unpacked& to);

  const ArgsStore* store_;
  std::array<Unpacked, kBlocksKept> kept_;  // by the block's number
  std::size_t latest_ = 0;
};

}  // namespace strobe
