#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// Compiled kernels in a folder, most of them winners of the tuner: `<key>.json` says which and how
// fast, `<key>.cubin` is its code. An entry that is torn, damaged or not of this key is as good as
// none, and the next one is written over it; a folder that cannot be written to costs the next run
// its time and nothing else.
namespace strobe::bench {

// The machine that the code and the times belong to.
struct TuneMachine {
  std::string architecture;  // "sm_90"
  std::string device;        // "NVIDIA H200"
  std::string driver;
  std::string compiler;  // "NVRTC 13.0"
};

// In which state of the cache the candidates were timed: what wins in a cold one may lose in a hot.
enum class TuneState : std::uint8_t { kCold, kHot };

// 32 digits. Rows count by their power of two, columns beyond 8192 likewise; a row that starts at
// any other multiple of bytes is another key, and so is any change of what would be tried.
std::string tune_key(const TuneMachine& machine, const Shape& shape, DType dtype, TuneState state,
                     std::span<const KernelProgram> candidates);
std::int64_t bucket_of(std::int64_t count);  // the next power of two, at least 1
// Of a kernel that was not tuned: its compiler and its source make the key.
std::string code_key(const TuneMachine& machine, std::string_view source);

struct TuneEntry {
  std::string label;  // of the program; empty: a kernel that was not tuned
  std::string kernel;
  std::size_t candidate = 0;  // its place among those tried
  double typical_us = 0;      // 0: nothing was timed
  std::vector<char> image;

  bool operator==(const TuneEntry&) const = default;
};
// The candidate it speaks of.
std::optional<std::size_t> find_candidate(const TuneEntry& entry,
                                          std::span<const KernelProgram> candidates);

class TuneCache {
 public:
  explicit TuneCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<TuneEntry> find(const std::string& key) const;
  // kCannotWrite: it could not be kept.
  Result<void> store(const std::string& key, const TuneEntry& entry) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace strobe::bench
