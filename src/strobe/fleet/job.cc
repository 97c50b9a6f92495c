#include "strobe/fleet/job.h"

namespace strobe::fleet {

std::int64_t RankStep::own_ns() const { return compute_ns + copy_ns + input_ns + host_ns; }

double CollectiveRow::algorithm_bytes_per_s() const {
  if (median_transfer_ns <= 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(median_transfer_ns) * 1e9;
}

}  // namespace strobe::fleet
