#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/results/cell_record.h"

// What one call of a case does that stands on a vendor's library: its buffers, and its steps in
// order, each a call of a library or a kernel of our own.
namespace strobe::bench {

struct CallBuffer {
  enum class Role : std::uint8_t {
    kInput,     // filled
    kPrepared,  // made from inputs once, before anything is timed
    kBetween,
    kOutput,
  };
  std::string name;
  Role role = Role::kInput;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::uint32_t number = 0;  // of an input
  bool is_far_from_zero = false;
  std::int64_t elements() const { return rows * columns; }
};

class LibraryStep {
 public:
  // 0: there is no buffer of that name.
  using AddressOf = std::function<CuPointer(std::string_view buffer)>;

  virtual ~LibraryStep() = default;

  // Ways to do it, the library's favourite first.
  virtual std::size_t choices() const { return 1; }
  virtual std::string choice_text(std::size_t /*choice*/) const { return ""; }
  // Ways of the library that are no choice: they compute in less than the case asks for, or give
  // other bits each time.
  virtual std::size_t unfair_choices() const { return 0; }
  virtual std::size_t workspace_bytes() const { return 0; }
  // As far as it is known before it ran.
  virtual std::vector<KernelLaunch> launches() const = 0;

  // Once, before anything else.
  virtual Result<void> load(CudaDevice& /*device*/, const std::string& /*cache_folder*/) {
    return {};
  }
  // One more set of buffers to run on.
  virtual Result<void> bind(const AddressOf& address_of, CuPointer workspace) = 0;
  virtual Result<void> enqueue(std::size_t choice, std::size_t set) = 0;
};

struct LibraryCall {
  std::vector<CallBuffer> buffers;
  std::vector<std::unique_ptr<LibraryStep>> preparation;  // once for every set of buffers
  std::vector<std::unique_ptr<LibraryStep>> steps;
  std::string math;  // in what the products are computed: "f32 accumulation"
  double build_ms = 0;

  std::size_t workspace_bytes() const;
  double buffer_bytes(DType dtype) const;
};

}  // namespace strobe::bench
