#include "strobe/fleet/job.h"

namespace strobe::fleet {

std::int64_t RankStep::own_ns() const { return compute_ns + copy_ns + input_ns + host_ns; }

}  // namespace strobe::fleet
