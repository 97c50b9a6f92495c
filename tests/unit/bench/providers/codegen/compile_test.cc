// Generated source is compiled for the chips of the specification: nothing needs a GPU for that.
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/bench/providers/codegen/programs.h"
#include "strobe/bench/providers/cuda/nvrtc_api.h"
#include "tests/unit/bench/providers/codegen/chips.h"

namespace strobe::bench {
namespace {

struct Source {
  std::string name;
  std::string text;
  int compute_capability = 0;
};

// Programs of all cases over rows; of `candidates` fused ones, evenly spread, every `step`th.
std::vector<Source> sources_of(const std::vector<Shape>& shapes, const std::vector<DType>& dtypes,
                               const ChipFacts& chip, std::size_t step) {
  std::map<std::string, Source> found;  // by text: shapes share kernels
  const auto add = [&](const KernelProgram& program) {
    for (const GeneratedKernel& kernel : program.kernels) {
      found.emplace(kernel.source, Source{kernel.name, kernel.source, chip.compute_capability});
    }
  };
  std::size_t count = 0;
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    for (const Shape& shape : shapes) {
      for (const DType dtype : dtypes) {
        const auto programs = fused_candidates(info, shape, dtype, chip);
        EXPECT_TRUE(programs.has_value()) << info.id;
        if (!programs) continue;
        for (const KernelProgram& program : *programs) {
          if (count++ % step == 0) add(program);
        }
        const auto unfused = unfused_program(info, shape, dtype, chip);
        EXPECT_TRUE(unfused.has_value()) << info.id;
        if (unfused && count % step == 0) add(*unfused);
      }
    }
  }
  std::vector<Source> sources;
  for (auto& [text, source] : found) sources.push_back(std::move(source));
  return sources;
}

bool is_watched() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

void compile_all(const std::vector<Source>& sources) {
  if (is_watched()) GTEST_SKIP() << "asked in the release build: the compiler is slow when watched";
  const Result<NvrtcApi> nvrtc = open_nvrtc(99);
  if (!nvrtc) GTEST_SKIP() << "no run-time compiler here: " << nvrtc.error().what;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      const auto compiled =
          compile_source(*nvrtc, sources[i].text, sources[i].name, sources[i].compute_capability);
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(compiled.has_value())
          << sources[i].name << ": " << (compiled ? "" : compiled.error().what);
      if (compiled) {
        EXPECT_EQ(compiled->architecture, "sm_" + std::to_string(sources[i].compute_capability));
      }
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(2u, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back(work);
  }
  for (std::thread& worker : workers) worker.join();
}

const std::vector<DType> kAllTypes = {DType::kF32, DType::kF16, DType::kBf16};

TEST(CompileGenerated, a_sample_of_every_schedule_for_sm_90) {
  compile_all(sources_of({{{128, 128}}, {{999, 1021}}, {{16384, 4096}}, {{16384, 65536}}},
                         kAllTypes, h200(), 37));
}

TEST(CompileGenerated, a_sample_for_chips_without_clusters) {
  compile_all(sources_of({{{128, 128}}, {{4096, 16384}}, {{128, 50257}}}, kAllTypes, a100(), 61));
  compile_all(
      sources_of({{{128, 128}}, {{4096, 16384}}, {{128, 50257}}}, kAllTypes, rtx3090(), 67));
}

// Everything that can be asked for takes minutes: run with --gtest_also_run_disabled_tests.
TEST(CompileGenerated, DISABLED_all_of_it) {
  const std::vector<Shape> shapes = {{{128, 128}},     {{131, 131}},     {{1024, 1021}},
                                     {{4096, 4096}},   {{4099, 4099}},   {{16384, 16384}},
                                     {{16384, 65536}}, {{50257, 50257}}, {{65536, 65536}}};
  for (const ChipFacts& chip : {h200(), a100(), rtx3090()}) {
    compile_all(sources_of(shapes, kAllTypes, chip, 1));
  }
}

}  // namespace
}  // namespace strobe::bench
