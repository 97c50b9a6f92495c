#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The events of a PyTorch trace as a plain JSON parser sees them: nothing of strobe is used.
namespace strobe::recount {

struct RawSlice {
  std::string category;
  std::string name;
  std::string process;  // as written: 500, "25738"
  std::string thread;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t correlation = -1;  // -1: none
  std::int64_t external = -1;
  std::int64_t device = 0;  // of the arguments
};

struct RawMemory {
  std::int64_t bytes = 0;  // negative: freed
  std::string place;       // "cpu", "gpu:0"
};

struct RawTrace {
  std::vector<RawSlice> slices;  // complete events, in file order
  std::vector<RawMemory> memory;
};

RawTrace read_raw(const std::string& text);

}  // namespace strobe::recount
