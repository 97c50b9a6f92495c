#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "strobe/trace/tables.h"

namespace strobe::readers {

// The numbers that join calls with their device work, unique in a trace of several processes, each
// of which counts from 1. The first process keeps its own numbers as long as they are small.
class CorrelationNumbers {
 public:
  // kNoLaunchId for 0, which means none, and where no number is left; those are counted.
  std::uint32_t of(std::uint64_t process, std::uint64_t correlation);
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Key {
    std::uint64_t process;
    std::uint64_t correlation;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      const std::uint64_t mix =
          key.correlation * 0x9E3779B97F4A7C15u ^ key.process * 0xC2B2AE3D27D4EB4Fu;
      return static_cast<std::size_t>(mix ^ (mix >> 32));
    }
  };

  static constexpr std::uint32_t kFirstGiven = 1u << 31;

  std::optional<std::uint64_t> first_process_;
  std::uint32_t next_ = kFirstGiven;
  std::unordered_map<Key, std::uint32_t, KeyHash> given_;
  std::uint64_t left_out_ = 0;
};

}  // namespace strobe::readers
