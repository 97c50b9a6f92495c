#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"

// What the tuner of another harness chose, shape by shape.
namespace strobe::bench {

struct TunedShape {
  std::string device;
  std::string case_id;
  Shape shape;  // dim0, dim1
  std::int64_t block_x = 0;
  std::int64_t block_y = 0;
  std::int64_t warps = 0;
  std::int64_t stages = 0;
  std::int64_t shared_bytes = 0;
};

struct TunedShapes {
  std::vector<TunedShape> shapes;    // in the order of the file
  std::vector<std::string> remarks;  // rows that could not be used, by line and column
};

// CSV with the columns case, dim0, dim1, xblock, yblock, num_warps, num_stages and, where known,
// device, shared_bytes.
Result<TunedShapes> parse_tuned_shapes(std::string_view csv, std::string_view name);
bool looks_like_tuned_shapes(std::string_view head);

}  // namespace strobe::bench
