// Any bytes as the content of a digest, and a good one with any edits: reading ends, and what is
// read can be compared and judged.
//
// The first byte of an input chooses. 0: the rest is the content. Else the rest is edits of four
// bytes each: where (2), what (1), how (1).
#include <cmath>
#include <cstdint>
#include <string>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/digest/digest.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

const SideFacts& good_side() {
  static const SideFacts side = [] {
    SideSketch sketch("normal", {10, 11, 12, 10.5, 11, 10});
    sketch.function("aten::mm", {5, 5.5, 6, 5.25, 5, 5}, FunctionKind::kHostOperator);
    sketch.device("GPU 0").function("gemm", {2, 2.1, 0, 1.9, 2, 2}).calls({1, 2, 0, 1, 1, 1});
    sketch.metric("gpu_sm_frequency", {1980, std::nan(""), 1975.5, 1980, 1980, 1975});
    RankMeasure& measure = sketch.measure();
    FunctionCycles& gemm = measure.functions.back();
    gemm.launched_calls = gemm.calls;
    gemm.launched_ns = gemm.time_ns;
    DeviceCycles& gpu = measure.devices.back();
    gpu.busy_ns = gpu.launched_ns = gemm.time_ns;
    measure.series.back().sample_of = {0, 0, 1, 2, 3, 4};
    measure.idle.push_back({{analysis::IdleKind::kRuntimeCall, "cudaStreamSynchronize", ""},
                            {1000, 2000, 3000, 0, 1000, 1000}});
    measure.launches.push_back({"GPU 0",
                                {1500, std::nan(""), 1600, 1700, 1500, 1500},
                                {0.5, std::nan(""), 2, 0.25, 1, 1}});
    return sketch.side();
  }();
  return side;
}

}  // namespace
}  // namespace strobe::compare

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strobe::compare;
  static const std::string good = measures_of(good_side());
  if (size == 0 || size > kMostBytes) return 0;
  const std::string content = data[0] == 0
                                  ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                                  : with_edits(good, data + 1, size - 1);
  auto read = read_measures(content);
  if (!read) return 0;
  FUZZ_CHECK(!read->ranks.empty(), "a digest has a rank");
  const auto again = read_measures(measures_of(*read));
  FUZZ_CHECK(again, "what was read can be written and read again");
  auto comparison = compare_measures(good_side(), *std::move(read), {}, {});
  if (comparison) judge(*comparison);
  return 0;
}
