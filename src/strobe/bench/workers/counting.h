#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/workers/call_counter.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

// Counters of a cell that has been timed: the same call once more, in a separate process under a
// recorder, so that timing never sees the recorder. One floor is counted as well: the hardware's
// duration of an empty kernel, launched by a separate worker under the counter.
namespace strobe::bench {

// Sums of all launches of a call, from its parts.
CellCounters sum_counters(std::span<const std::vector<CountedLaunch>> calls);

class CellCounting {
 public:
  // Cells are prepared according to `prepare`.
  CellCounting(const WorkerSetup& workers, const PrepareRequest& prepare, CallCounter& counter)
      : workers_(workers), prepare_(prepare), counter_(counter) {}

  // Fills record.counters, or says in record.lacks why there are none. The cells of the timing
  // workers are not affected.
  void count(const CellGroup& group, CellRecord& record);
  // Why nothing can be counted on this machine; "" if something can.
  const std::string& obstacle() const { return obstacle_; }
  std::vector<std::string> take_log();

 private:
  Result<void> try_count(const CellGroup& group, CellRecord& record);
  Result<WorkerSession*> session_of(const std::string& provider, const std::string& key);
  Result<void> run_calls(WorkerSession& session, const CellGroup& group, const CellRecord& record);

  const WorkerSetup& workers_;
  const PrepareRequest& prepare_;
  CallCounter& counter_;
  std::map<std::string, std::unique_ptr<WorkerSession>> sessions_;
  std::string obstacle_;
};

// In microseconds. Fails if nothing can be counted; the floor is optional.
Result<double> count_empty_kernel_us(const WorkerSetup& workers, const std::string& provider,
                                     CallCounter& counter);

}  // namespace strobe::bench
