#include "strobe/bench/providers/cpu/host.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/providers/cpu/host_buffer.h"
#include "strobe/bench/providers/cpu/kernels.h"
#include "strobe/bench/providers/stop_watch.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kUnknownCacheBytes = std::int64_t{32} << 20;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

// "32768K" as /sys writes it.
std::int64_t size_of(std::string_view text) {
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end == text.data() + text.size()) return size;
  if (*end == 'K') return size << 10;
  if (*end == 'M') return size << 20;
  return size;
}

}  // namespace

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) processors.push_back(cpu);
    }
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

std::int64_t last_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    largest = std::max(
        largest,
        size_of(content_of(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index))));
  }
  return largest > 0 ? largest : kUnknownCacheBytes;
}

std::optional<double> available_bytes_in(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemAvailable:";
  const std::size_t at = meminfo.find(kKey);
  if (at == std::string_view::npos) return {};
  std::string_view rest = meminfo.substr(at + kKey.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::int64_t kib = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), kib).ec != std::errc()) return {};
  return static_cast<double>(kib) * 1024;
}

std::optional<double> available_bytes() { return available_bytes_in(content_of("/proc/meminfo")); }

std::string processor_name() {
  std::istringstream lines(content_of("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string_view architecture_name() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86-64";
#endif
}

namespace {

constexpr int kCalls = 12;
constexpr std::int64_t kLeastRoofBytes = std::int64_t{128} << 20;
constexpr std::int64_t kMostRoofBytes = std::int64_t{1} << 30;
constexpr std::int64_t kProductSize = 768;

double median_us(int calls, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const StopWatch watch;
    call();
    times.push_back(watch.us());
  }
  return stats::median_of(times);
}

double best_seconds(const std::function<void()>& call) {
  call();
  double best = 1e9;
  for (int i = 0; i < kCalls; ++i) {
    const StopWatch watch;
    call();
    best = std::min(best, watch.us() * 1e-6);
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
  const std::int64_t n = kProductSize, panels = kernels.panels(n);
  STROBE_TRY(const HostBuffer left, HostBuffer::make(n * n * 4));
  STROBE_TRY(const HostBuffer packed, HostBuffer::make(panels * kernels.panel * n * 4));
  STROBE_TRY(const HostBuffer out, HostBuffer::make(n * n * 4));
  STROBE_TRY(const HostBuffer scratch,
             HostBuffer::make(kernels.multiply_scratch * 4 * team.size()));
  pass(team, kernels, RowsKernelId::kWrite, left, &left);  // ones: zeros may be faster
  pass(team, kernels, RowsKernelId::kWrite, packed, &packed);
  const double seconds = best_seconds([&] {
    team.share(
        n, kernels.tile_rows, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
          MultiplyTask task;
          task.left = left.data();
          task.left_stride = task.inner = task.packed_inner = task.columns = task.out_stride = n;
          task.packed = packed.as<float>();
          task.out = out.data();
          task.scratch = scratch.as<float>() + thread * kernels.multiply_scratch;
          kernels.multiply(DType::kF32, DType::kF32)(task, first, last);
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
  const std::int64_t bytes = std::clamp(4 * cache_bytes, kLeastRoofBytes, kMostRoofBytes);
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
