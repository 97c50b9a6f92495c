#include "strobe/bench/providers/cpu/host_roofs.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "strobe/bench/providers/cpu/host_buffer.h"
#include "strobe/bench/providers/cpu/product_kernels.h"

namespace strobe::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCalls = 12;
constexpr std::int64_t kLeastBytes = std::int64_t{128} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr std::int64_t kProductSize = 768;

double median_us(int calls, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const auto start = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

double best_seconds(const std::function<void()>& call) {
  call();
  double best = 1e9;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = Clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// One of the plain kernels over whole buffers.
void pass(ThreadTeam& team, const KernelSet& kernels, RowsKernelId id, const HostBuffer& in,
          const HostBuffer* out) {
  const RowsKernel kernel = kernels.kernel(DType::kF32, id);
  team.share_in_pieces(in.bytes() / 4, 8192,
                       [&](std::int64_t, std::int64_t first, std::int64_t last) {
                         float sum = 0;
                         RowsTask task;
                         task.in[0] = in.as<float>() + first;
                         task.out[0] = out ? out->as<float>() + first : &sum;
                         task.columns = last - first;
                         task.constant = 1;
                         task.is_streamed = out != nullptr;
                         kernel(task, 0, 1);
                       });
}

Result<double> product_tflops(ThreadTeam& team, const KernelSet& kernels) {
  const ProductKernels& products = *kernels.products;
  const std::int64_t n = kProductSize, panels = (n + products.panel - 1) / products.panel;
  STROBE_TRY(const HostBuffer left, HostBuffer::make(n * n * 4));
  STROBE_TRY(const HostBuffer packed, HostBuffer::make(panels * products.panel * n * 4));
  STROBE_TRY(const HostBuffer out, HostBuffer::make(n * n * 4));
  STROBE_TRY(const HostBuffer scratch,
             HostBuffer::make(products.multiply_scratch * 4 * team.size()));
  pass(team, kernels, RowsKernelId::kWrite, left, &left);  // ones: a zero may cost less
  pass(team, kernels, RowsKernelId::kWrite, packed, &packed);
  const double seconds = best_seconds([&] {
    team.share(
        n, products.tile_rows, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
          MultiplyTask task;
          task.left = left.data();
          task.left_stride = task.inner = task.packed_inner = task.columns = task.out_stride = n;
          task.packed = packed.as<float>();
          task.out = out.data();
          task.scratch = scratch.as<float>() + thread * products.multiply_scratch;
          products.multiply[0][0](task, first, last);
        });
  });
  const auto size = static_cast<double>(n);
  return 2 * size * size * size / seconds / 1e12;
}

}  // namespace

Floors measure_host_floors(ThreadTeam& team) {
  const ThreadTeam::PinnedCaller pinned(team);
  constexpr int kPairs = 1001;
  Floors floors;
  floors.event_pair = median_us(kPairs, [] {});
  floors.launch_call = median_us(kPairs, [&] { team.run(team.size(), [](std::int64_t) {}); });
  return floors;
}

Result<Roofs> measure_host_roofs(ThreadTeam& team, const KernelSet& kernels,
                                 std::int64_t cache_bytes) {
  const ThreadTeam::PinnedCaller pinned(team);
  const std::int64_t bytes = std::clamp(4 * cache_bytes, kLeastBytes, kMostBytes);
  STROBE_TRY(const HostBuffer from, HostBuffer::make(bytes));
  STROBE_TRY(const HostBuffer to, HostBuffer::make(bytes));
  pass(team, kernels, RowsKernelId::kWrite, from, &from);
  const auto gbps = [&](RowsKernelId id, const HostBuffer* out, double times) {
    return times * static_cast<double>(bytes) /
           best_seconds([&] { pass(team, kernels, id, from, out); }) / 1e9;
  };
  Roofs roofs;
  roofs.copy_gbps = gbps(RowsKernelId::kCopy, &to, 2);
  roofs.read_gbps = gbps(RowsKernelId::kRead, nullptr, 1);
  roofs.write_gbps = gbps(RowsKernelId::kWrite, &to, 1);
  STROBE_TRY(roofs.gemm_tflops, product_tflops(team, kernels));
  return roofs;
}

}  // namespace strobe::bench
