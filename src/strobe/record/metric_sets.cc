#include "strobe/record/metric_sets.h"

#include <algorithm>
#include <initializer_list>

namespace strobe::record {
namespace {

constexpr std::string_view kTime = "gpu__time_duration.sum";
constexpr std::string_view kTensor =
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kClock = "sm__cycles_elapsed.avg.per_second";
constexpr std::string_view kActive = "sm__cycles_active.avg";
constexpr std::string_view kDramRead = "dram__bytes_read.sum";
constexpr std::string_view kDramWrite = "dram__bytes_write.sum";
constexpr std::string_view kL2Bytes = "lts__t_bytes.sum";
constexpr std::string_view kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kInstructions = "smsp__inst_executed.sum";
constexpr std::string_view kL2Hits = "lts__t_sector_hit_rate.pct";
constexpr std::string_view kL2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kL1 = "l1tex__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kMemory =
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kAdds = "sm__sass_thread_inst_executed_op_fadd_pred_on.sum";
constexpr std::string_view kMultiplies = "sm__sass_thread_inst_executed_op_fmul_pred_on.sum";
constexpr std::string_view kFused = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";

constexpr std::string_view kL1Loads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view kL1LoadHits =
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
constexpr std::string_view kL1Stores = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr std::string_view kL1StoreHits =
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum";
constexpr std::string_view kL1Reductions = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum";
constexpr std::string_view kL1ReductionHits =
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red_lookup_hit.sum";
constexpr std::string_view kL2Reads = "lts__t_sectors_srcunit_tex_op_read.sum";
constexpr std::string_view kL2Writes = "lts__t_sectors_srcunit_tex_op_write.sum";

using Parts = std::vector<std::vector<std::string_view>>;

// One pass each on every chip since GA100; no two of them fit into one pass.
const Parts& traffic_parts() {
  static const Parts parts = {{kTime, kL1Loads, kL1LoadHits, kL1Stores, kL1StoreHits, kL2Reads,
                               kL2Writes, kDramRead, kDramWrite, kInstructions},
                              {kL1Reductions, kL1ReductionHits},
                              {kAdds, kMultiplies, kFused}};
  return parts;
}

// By the type that is multiplied; no two fit into one pass. Chips name their half-precision parts
// differently, and old ones lack some types: the time keeps such a part from being empty.
const Parts& matrix_parts() {
  static const Parts parts = {
      {kTime, "sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
      {kTime, "sm__ops_path_tensor_src_tf32_dst_fp32.sum"},
      {kTime, "sm__ops_path_tensor_src_fp16.sum", "sm__ops_path_tensor_src_fp16_dst_fp16.sum",
       "sm__ops_path_tensor_src_fp16_dst_fp32.sum"}};
  return parts;
}

std::vector<std::string_view> default_and(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> metrics = {kTime,     kTensor,    kDram,    kClock, kActive,
                                           kDramRead, kDramWrite, kL2Bytes, kWarps, kInstructions};
  metrics.insert(metrics.end(), more);
  return metrics;
}

std::vector<std::string_view> metrics_of_traffic() {
  std::vector<std::string_view> metrics;
  for (const auto& part : traffic_parts()) metrics.insert(metrics.end(), part.begin(), part.end());
  return metrics;
}

}  // namespace

std::vector<std::vector<std::string>> bench_parts() {
  std::vector<std::vector<std::string>> parts;
  for (const auto& part : traffic_parts()) parts.emplace_back(part.begin(), part.end());
  for (const auto& part : matrix_parts()) parts.emplace_back(part.begin(), part.end());
  return parts;
}

std::span<const MetricSet> metric_sets() {
  static const std::vector<MetricSet> sets = {
      {"default", "time, matrix pipe, memory bus, clock, bytes, occupancy: one pass",
       default_and({})},
      {"classic", "the three columns of the classic table: one pass", {kTime, kTensor, kDram}},
      {"l2", "the default and the hit rate of the L2 cache: two passes", default_and({kL2Hits})},
      {"f32", "the default and 32-bit operations: two passes",
       default_and({kAdds, kMultiplies, kFused})},
      {"bench", "traffic of L1, L2 and DRAM, instructions and 32-bit operations: three passes",
       metrics_of_traffic()},
      {"full",
       "default, l2 and f32 together, and the throughput of every part: eight passes and more",
       default_and({kL2Hits, kL2, kL1, kSm, kMemory, kAdds, kMultiplies, kFused})},
  };
  return sets;
}

const MetricSet* find_metric_set(std::string_view name) {
  const std::span<const MetricSet> sets = metric_sets();
  if (name == "seed") name = "classic";  // its name in earlier versions
  const auto found = std::ranges::find(sets, name, &MetricSet::name);
  return found == sets.end() ? nullptr : &*found;
}

}  // namespace strobe::record
