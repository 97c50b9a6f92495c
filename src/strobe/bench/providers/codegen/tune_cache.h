#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/providers/codegen/kernel_program.h"

// Compiled kernels in a folder, most of them winners of the tuner: `<key>.json` says which and how
// fast, `<key>.cubin` is its code. A torn, damaged or foreign entry is ignored, and the next one
// replaces it. If the folder cannot be written, the next run only takes longer.
namespace strobe::bench {

// The machine for which the code and the times are valid.
struct TuneMachine {
  std::string architecture;  // "sm_90"
  std::string device;        // "NVIDIA H200"
  std::string driver;
  std::string compiler;  // "NVRTC 13.0"
};

// The cache state while candidates were timed: the winner in a cold one may lose in a hot one.
enum class TuneState : std::uint8_t { kCold, kHot };

// 32 digits. Rows, and columns beyond 8192, are rounded to a power of two. A different alignment of
// rows gives another key, and so does any change of the candidates.
std::string tune_key(const TuneMachine& machine, const Shape& shape, DType dtype, TuneState state,
                     std::span<const KernelProgram> candidates);
std::int64_t bucket_of(std::int64_t count);  // the next power of two, at least 1
// Key of a kernel that was not tuned: made from its compiler and its source.
std::string code_key(const TuneMachine& machine, std::string_view source);

struct TuneEntry {
  std::string label;  // of the program; empty: a kernel that was not tuned
  std::string kernel;
  std::size_t candidate = 0;  // its index among the candidates
  double typical_us = 0;      // 0: nothing was timed
  std::vector<char> image;

  bool operator==(const TuneEntry&) const = default;
};
// The candidate that the entry names.
std::optional<std::size_t> find_candidate(const TuneEntry& entry,
                                          std::span<const KernelProgram> candidates);

class TuneCache {
 public:
  explicit TuneCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<TuneEntry> find(const std::string& key) const;
  // kCannotWrite: the entry was not stored.
  Result<void> store(const std::string& key, const TuneEntry& entry) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace strobe::bench
