#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

struct WorkPlace {
  std::int64_t device = 0;
  std::int64_t context = 0;
  std::int64_t stream = 0;
  std::int64_t graph = 0;  // 0: it was launched by itself
  std::int64_t node = 0;
  bool operator==(const WorkPlace&) const = default;
};
struct KernelShape : WorkPlace {
  std::int64_t registers = 0;  // per thread
  std::int64_t shared_bytes = 0;
  std::array<std::int64_t, 6> sides = {};  // of the grid, then of a block
  bool operator==(const KernelShape&) const = default;
};
struct CopyShape : WorkPlace {
  std::int64_t bytes = 0;
  bool operator==(const CopyShape&) const = default;
};

// The arguments of device work, as the JSON objects that Kineto writes. Work repeats itself: equal
// arguments are kept once. PERF: nothing is read of a row if arguments are not kept.
class WorkArgs {
 public:
  explicit WorkArgs(TraceSink& sink) : sink_(sink) {}

  // `read` fills the shape.
  template <class Read>
  ArgsId of_kernel(Read read) {
    return of<KernelShape>(kernels_, read);
  }
  template <class Read>
  ArgsId of_copy(Read read) {
    return of<CopyShape>(copies_, read);
  }
  template <class Read>
  ArgsId of_graph(Read read) {
    return of<WorkPlace>(graphs_, read);
  }

 private:
  struct Hash {
    std::size_t operator()(const WorkPlace& place) const noexcept;
    std::size_t operator()(const KernelShape& shape) const noexcept;
    std::size_t operator()(const CopyShape& shape) const noexcept;
  };
  template <class Shape>
  using Known = std::unordered_map<Shape, ArgsId, Hash>;
  // Shapes that do not repeat, such as the nodes of a large graph, must not fill the memory.
  static constexpr std::size_t kMostKnown = 1 << 16;

  template <class Shape, class Read>
  ArgsId of(Known<Shape>& known, Read read) {
    if (!sink_.keeps_args()) return {};
    Shape shape;
    read(shape);
    const auto found = known.find(shape);
    if (found != known.end()) return found->second;
    if (known.size() >= kMostKnown) known.clear();
    return known.emplace(shape, keep(shape)).first->second;
  }
  ArgsId keep(const WorkPlace& place);
  ArgsId keep(const KernelShape& shape);
  ArgsId keep(const CopyShape& shape);

  TraceSink& sink_;
  Known<KernelShape> kernels_;
  Known<CopyShape> copies_;
  Known<WorkPlace> graphs_;
};

}  // namespace strobe::readers
