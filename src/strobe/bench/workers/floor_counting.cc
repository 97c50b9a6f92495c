#include "strobe/bench/workers/floor_counting.h"

#include <vector>

#include "strobe/bench/workers/greet.h"
#include "strobe/bench/workers/worker_session.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

Error not_counted(std::string why) {
  return {.code = ErrorCode::kTooLittleData, .what = std::move(why), .where = "", .hint = ""};
}

}  // namespace

Result<double> count_empty_kernel_us(const RunRequest& request, const std::string& provider,
                                     CallCounter& counter) {
  const std::vector<std::string> command = worker_command(request, provider);
  STROBE_TRY(Variables variables, counter.environment(command));
  WorkerSession session(provider, command, request, std::move(variables));
  STROBE_TRY_VOID(session.begin(""));
  if (!session.can("count_empty")) return not_counted("its worker does not know 'count_empty'");
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
