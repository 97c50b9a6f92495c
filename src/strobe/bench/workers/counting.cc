#include "strobe/bench/workers/counting.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/bench/workers/worker_session.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr double kSectorBytes = 32;

struct HardwareCounter {
  std::string_view name;  // the vendor's
  std::optional<double> CellCounters::*member;
  double scale = 1;  // to bytes, or to operations: a fused multiply-add is two
};
constexpr std::array kHardwareCounters = {
    HardwareCounter{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &CellCounters::l1_load_bytes,
                    kSectorBytes},
    HardwareCounter{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                    &CellCounters::l1_load_hit_bytes, kSectorBytes},
    HardwareCounter{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", &CellCounters::l1_store_bytes,
                    kSectorBytes},
    HardwareCounter{"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
                    &CellCounters::l1_store_hit_bytes, kSectorBytes},
    HardwareCounter{"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                    &CellCounters::l1_reduction_bytes, kSectorBytes},
    HardwareCounter{"l1tex__t_sectors_pipe_lsu_mem_global_op_red_lookup_hit.sum",
                    &CellCounters::l1_reduction_hit_bytes, kSectorBytes},
    HardwareCounter{"lts__t_sectors_srcunit_tex_op_read.sum", &CellCounters::l2_read_bytes,
                    kSectorBytes},
    HardwareCounter{"lts__t_sectors_srcunit_tex_op_write.sum", &CellCounters::l2_write_bytes,
                    kSectorBytes},
    HardwareCounter{"dram__bytes_read.sum", &CellCounters::dram_read_bytes},
    HardwareCounter{"dram__bytes_write.sum", &CellCounters::dram_write_bytes},
    HardwareCounter{"smsp__inst_executed.sum", &CellCounters::instructions},
    HardwareCounter{"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", &CellCounters::flops},
    HardwareCounter{"sm__sass_thread_inst_executed_op_fmul_pred_on.sum", &CellCounters::flops},
    HardwareCounter{"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", &CellCounters::flops, 2},
    HardwareCounter{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", &CellCounters::matrix_flops},
    HardwareCounter{"sm__ops_path_tensor_src_tf32_dst_fp32.sum", &CellCounters::matrix_flops},
    HardwareCounter{"sm__ops_path_tensor_src_fp16.sum", &CellCounters::matrix_flops},
    HardwareCounter{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", &CellCounters::matrix_flops},
    HardwareCounter{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", &CellCounters::matrix_flops},
};

// An error of the worker or of its calls; kMachineLacks is one of the counters.
Error not_counted(std::string why) {
  return {.code = ErrorCode::kTooLittleData, .what = std::move(why), .where = "", .hint = ""};
}

// Each part is a separate call: all of them must have run the same kernels.
Result<void> check_parts(std::span<const std::vector<CountedLaunch>> calls, std::size_t expected) {
  if (calls.size() != expected) {
    return not_counted(fmt::format("{} of {} calls were recorded", calls.size(), expected));
  }
  if (calls.empty() || calls.front().empty()) return not_counted("the call launched no kernel");
  for (const std::vector<CountedLaunch>& call : calls) {
    if (!std::ranges::equal(call, calls.front(), {}, &CountedLaunch::name, &CountedLaunch::name)) {
      return not_counted("the call launches other kernels each time");
    }
  }
  return {};
}

// Copies and fills are not launches, even if a list of kernels contains them.
bool is_kernel(const KernelLaunch& launch) {
  return !launch.name.starts_with("Memcpy") && !launch.name.starts_with("Memset");
}

bool is_what_was_timed(const CellRecord& record, std::span<const CountedLaunch> call) {
  std::vector<KernelLaunch> timed;
  std::ranges::copy_if(record.kernels, std::back_inserter(timed), is_kernel);
  std::vector<KernelLaunch> counted;
  for (const CountedLaunch& launch : call) {
    counted.push_back({.name = launch.name, .grid = launch.grid, .block = launch.block});
  }
  return timed.empty() || signature_of(timed) == signature_of(counted);
}

}  // namespace

CellCounters sum_counters(std::span<const std::vector<CountedLaunch>> calls) {
  CellCounters sums;
  if (!calls.empty()) sums.launches = calls.front().size();
  for (const HardwareCounter& counted : kHardwareCounters) {
    for (const std::vector<CountedLaunch>& call : calls) {
      for (const CountedLaunch& launch : call) {
        const auto found = launch.counters.find(std::string(counted.name));
        if (found == launch.counters.end()) continue;
        std::optional<double>& sum = sums.*counted.member;
        sum = sum.value_or(0) + counted.scale * found->second;
      }
    }
  }
  return sums;
}

Result<WorkerSession*> CellCounting::session_of(const std::string& provider,
                                                const std::string& key) {
  std::unique_ptr<WorkerSession>& session = sessions_[provider];
  if (session == nullptr) {
    STROBE_TRY(Variables variables, counter_.environment(workers_.command(provider)));
    session = std::make_unique<WorkerSession>(provider, workers_, std::move(variables));
  }
  if (const Result<void> begun = session->begin(key); !begun) {
    return not_counted(begun.error().what);
  }
  return session.get();
}

Result<void> CellCounting::run_calls(WorkerSession& session, const CellGroup& group,
                                     const CellRecord& record) {
  const auto ask = [&](const WorkerRequest& request) -> Result<void> {
    const WorkerReply reply = session.ask(request);
    if (reply.status == CellStatus::kOk) return {};
    session.end();
    return not_counted(reply.reason);
  };
  WorkerRequest prepare{.op = WorkerOp::kPrepare, .id = session.new_id()};
  prepare.prepare = prepare_;
  prepare.prepare.cell = {std::string(group.info->id), group.shape, group.dtype,
                          record.cell.provider};
  prepare.prepare.hold = true;
  STROBE_TRY_VOID(ask(prepare));
  for (std::size_t call = 0; call < counter_.calls(); ++call) {
    STROBE_TRY_VOID(ask({.op = WorkerOp::kCount, .id = prepare.id}));
  }
  return ask({.op = WorkerOp::kFinish, .id = prepare.id});
}

Result<void> CellCounting::try_count(const CellGroup& group, CellRecord& record) {
  STROBE_TRY(WorkerSession* const session, session_of(record.cell.provider, worker_key(group)));
  if (!session->can("count")) return not_counted("its worker does not support 'count'");
  const Result<void> ran = run_calls(*session, group, record);
  // Also after a failure: launches recorded so far must not count for the next cell.
  const auto calls = counter_.take();
  // Counters may leave a process with odd times, which may have influenced the choice of a kernel.
  // Our own workers restart quickly.
  if (!session->lives_long()) session->end();
  if (!calls && (ran || calls.error().code == ErrorCode::kMachineLacks)) return calls.error();
  if (!ran) return ran;
  if (const Result<void> whole = check_parts(*calls, counter_.calls()); !whole) {
    session->end();  // the next cell's first call must be the first part
    return whole;
  }
  record.counters = sum_counters(*calls);
  if (!is_what_was_timed(record, calls->front())) {
    record.notes.emplace_back(
        "counted on other kernels than were timed: tuning chose differently "
        "the second time");
  }
  return {};
}

void CellCounting::count(const CellGroup& group, CellRecord& record) {
  const bool is_on_host = record.time(TimeMode::kCpu) != nullptr;
  if (record.status != CellStatus::kOk || is_on_host) return;
  Result<void> counted;
  if (obstacle_.empty()) {
    counted = try_count(group, record);
    if (!counted && counted.error().code == ErrorCode::kMachineLacks) {
      obstacle_ = counted.error().what;
      if (!counted.error().hint.empty()) obstacle_ += fmt::format(" ({})", counted.error().hint);
      sessions_.clear();
    }
  }
  if (!obstacle_.empty()) {
    record.lacks[Lack::kCounters] = obstacle_;
  } else if (!counted) {
    record.lacks[Lack::kCounters] = counted.error().what;
  }
}

std::vector<std::string> CellCounting::take_log() {
  std::vector<std::string> log;
  for (const auto& [provider, session] : sessions_) {
    for (std::string& line : session->take_log()) log.push_back(std::move(line));
  }
  return log;
}

Result<double> count_empty_kernel_us(const WorkerSetup& workers, const std::string& provider,
                                     CallCounter& counter) {
  STROBE_TRY(Variables variables, counter.environment(workers.command(provider)));
  WorkerSession session(provider, workers, std::move(variables));
  STROBE_TRY_VOID(session.begin(""));
  if (!session.can("count_empty")) return not_counted("its worker does not support 'count_empty'");
  const WorkerReply reply = session.ask({.op = WorkerOp::kCountEmpty, .id = session.new_id()});
  if (reply.status != CellStatus::kOk) return not_counted(reply.reason);
  STROBE_TRY(const std::vector<std::vector<CountedLaunch>> calls, counter.take());
  std::vector<double> each_us;
  for (const std::vector<CountedLaunch>& call : calls) {
    for (const CountedLaunch& launch : call) {
      const auto found = launch.counters.find(std::string(kDurationCounter));
      if (found != launch.counters.end()) each_us.push_back(found->second / 1e3);
    }
  }
  if (each_us.empty()) return not_counted("no launch was counted");
  return stats::median_of(each_us);
}

}  // namespace strobe::bench
