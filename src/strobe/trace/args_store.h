#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/trace/ids.h"

namespace strobe {

// Every slice's arguments, as the JSON text they came in, in LZ4 blocks of about 64 KiB. Traces
// repeat themselves, so this costs about a twenty-fifth of the file; a block is unpacked when
// somebody asks.
class ArgsStore {
 public:
  struct Block {
    std::uint32_t first = 0;  // ArgsId of its first text
    std::uint32_t raw_bytes =
        0;  // unpacked size; texts are laid end to end, each closed by '\n'... see ArgsReader
    std::vector<char> packed;
  };

  std::size_t size() const { return count_; }  // texts
  std::size_t bytes() const;                   // memory held
  bool empty() const { return count_ == 0; }

  // Moves the blocks of a later part to the end; its ids shift by the size() before the call.
  void append(ArgsStore&& later);

 private:
  friend class ArgsWriter;
  friend class ArgsReader;
  std::vector<Block> blocks_;
  std::uint32_t count_ = 0;
};

// Fills a store. Call finish() before the store is used.
class ArgsWriter {
 public:
  ArgsId add(std::string_view json_object);
  ArgsStore finish();

 private:
  void flush();
  ArgsStore store_;
  std::vector<char> raw_;
  std::uint32_t raw_first_ = 0;
};

// A cursor with its own unpacked block: one per thread. Ascending ids are cheap, random ones cost
// one unpacking each.
class ArgsReader {
 public:
  explicit ArgsReader(const ArgsStore& store) : store_(&store) {}

  // The JSON object text, valid until the next call; empty for an invalid id.
  std::string_view text(ArgsId id);

 private:
  void unpack(std::size_t block);
  const ArgsStore* store_;
  std::size_t block_ = static_cast<std::size_t>(-1);
  std::vector<char> raw_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace strobe
