#include "strobe/base/string_pool.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace strobe {
namespace {

// Names as they come from a trace: long shared prefixes, a difference in the middle.
std::vector<std::string> kernel_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("void at::native::vectorized_elementwise_kernel<4, functor_" +
                    std::to_string(i * 7919) + "<float>, std::array<char*, 2ul> >(int)");
  }
  return names;
}

void intern_known_names(benchmark::State& state) {
  const auto names = kernel_names(static_cast<std::size_t>(state.range(0)));
  StringPool pool;
  for (const auto& name : names) pool.intern(name);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(pool.intern(names[next]));
    next = next + 1 == names.size() ? 0 : next + 1;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(intern_known_names)->Arg(100)->Arg(2'000)->Arg(100'000);

void intern_new_names(benchmark::State& state) {
  const auto names = kernel_names(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    StringPool pool;
    for (const auto& name : names) benchmark::DoNotOptimize(pool.intern(name));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(intern_new_names)->Arg(2'000)->Arg(100'000);

}  // namespace
}  // namespace strobe
