#include "strobe/tensorboard/distributed_view.h"

namespace strobe::tensorboard {

Answer answer_distributed(std::string_view view, const Run& run, std::string_view span) {
  const auto joined = join_workers(run, span);
  if (!joined) return refused(404, "the workers of this span share no communication");
  if (view == "gpuinfo" || view == "mluinfo") return answer_device_info(*joined);
  if (view == "overlap") return answer_overlap(*joined);
  if (view == "waittime") return answer_wait_time(*joined);
  if (view == "commops") return answer_operations(*joined);
  return refused(404, "no such view");
}

}  // namespace strobe::tensorboard
