#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strobe/record/inject/activity/nvtx_text.h"

namespace strobe::record {

// A text as NVTX passes it: bytes, wide characters, or a text that was registered before.
struct NvtxMessage {
  enum class Kind : std::uint8_t { kNone, kText, kWide, kRegistered };
  Kind kind = Kind::kNone;
  const void* value = nullptr;  // the characters up to 0, or the handle

  static NvtxMessage text(const char* text) noexcept { return {Kind::kText, text}; }
  static NvtxMessage wide(const wchar_t* text) noexcept { return {Kind::kWide, text}; }
};

// The text of a message, not yet copied. Its hash stands for it: of a million different texts, two
// share one of 64 bits in one of ten million programs.
struct NvtxText {
  TorchName torch;         // of a text of bytes
  std::wstring_view wide;  // of a wide one
  std::uint64_t hash = 0;

  // With a place for it, the number in a name of torch is taken off.
  explicit NvtxText(const NvtxMessage& message, bool has_place_for_number = false) noexcept;
  std::string copy() const noexcept;  // as UTF-8
};

// All names of ranges, domains and categories of the process, each once. A program can make up new
// names without end; their number, and with it the memory, is limited: beyond the first
// kMostNames, names that differ only in numbers are one, and beyond those, all are "(other names)".
class NvtxNames {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNoName = 0;  // ""
  static constexpr Number kMostNames = 65'536;
  static constexpr Number kMostWithoutNumbers = 8'192;

  NvtxNames() noexcept;
  NvtxNames(const NvtxNames&) = delete;
  NvtxNames& operator=(const NvtxNames&) = delete;
  ~NvtxNames();

  // Before the first name.
  void redact() noexcept { is_redacting_ = true; }

  Number of(const NvtxText& text) noexcept;
  Number of(const NvtxMessage& message) noexcept;
  const std::string& text(Number name) const noexcept { return entry(name).text; }
  bool has(Number name) const noexcept { return name < count_.load(std::memory_order_acquire); }

  // The number of the text in the file of the run; `ask` is called once per name and file.
  template <class Ask>
  std::uint64_t number_in_file(Number name, std::uint32_t file, Ask ask) noexcept {
    std::atomic<std::uint64_t>& known = entry(name).number_in_file;
    const std::uint64_t both = known.load(std::memory_order_relaxed);
    if (both >> 32 == file) return both & 0xffffffff;
    const std::uint64_t number = ask(entry(name).text);
    known.store(std::uint64_t{file} << 32 | number, std::memory_order_relaxed);
    return number;
  }

  // Some names were merged.
  bool is_crowded() const noexcept { return is_crowded_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::string text;
    std::atomic<std::uint64_t> number_in_file = 0;  // the file's number (from 1), then the text's
  };
  static constexpr Number kBlock = 256;
  static constexpr Number kOtherNames = kMostNames + kMostWithoutNumbers;
  static constexpr Number kBlocks = kOtherNames / kBlock + 1;

  // A thread that knows a number has seen its entry: it came with a lock, or has() was asked.
  Entry& entry(Number name) const noexcept {
    return blocks_[name / kBlock].load(std::memory_order_relaxed)[name % kBlock];
  }
  Number merge(std::string_view text) noexcept;
  Number add(std::string text) noexcept;

  bool is_redacting_ = false;
  std::atomic<bool> is_crowded_ = false;
  // Entries stay where they are: other threads read them without the mutex.
  std::array<std::atomic<Entry*>, kBlocks> blocks_ = {};
  std::atomic<Number> count_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Number> by_hash_;
};

}  // namespace strobe::record
