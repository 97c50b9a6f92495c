#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/analysis/health/health.h"
#include "tests/support/sketch.h"

// Recordings with chosen flaws.
namespace strobe::analysis {

using namespace strobe::literals;

// Calls that each launch one kernel: the call at 100 us times its number, the kernel 10 us later,
// for 50 us. The calls are numbered from 1.
struct Loop {
  int launches = 100;
  int calls_from = 1;  // the first call that was recorded
  int kernels_from = 1;
  int kernels_until = 1'000'000;  // the last kernel that was recorded
  bool has_operators = true;
};

inline Sketch sketch_of(const Loop& loop) {
  Sketch sketch;
  for (int i = 1; i <= loop.launches; ++i) {
    const std::int64_t start_ns = 100_us * i;
    const auto id = static_cast<std::uint32_t>(i);
    if (i >= loop.calls_from) {
      sketch.thread(1);
      if (loop.has_operators) sketch.slice("aten::mm", kOp, start_ns, 20_us);
      sketch.slice("xLaunchKernel", kCall, start_ns + 1_us, 5_us).correlation(id);
    }
    if (i >= loop.kernels_from && i <= loop.kernels_until) {
      sketch.stream(0, 7).slice("gemm", kKernel, start_ns + 10_us, 50_us).correlation(id);
    }
  }
  return sketch;
}

inline Health health_of(Sketch& sketch, const ImportReport& import = {}) {
  const Trace trace = sketch.trace();
  return judge_health(trace, import);
}
inline Health health_of(const Loop& loop) {
  Sketch sketch = sketch_of(loop);
  return health_of(sketch);
}

inline std::optional<HealthRemark> remark_of(const Health& health, std::string_view code) {
  const auto found = std::ranges::find(health.remarks, code, &HealthRemark::code);
  return found == health.remarks.end() ? std::nullopt : std::optional(*found);
}

}  // namespace strobe::analysis
