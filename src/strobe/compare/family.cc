#include "strobe/compare/family.h"

#include <limits>

#include "strobe/stats/p_values.h"

namespace strobe::compare {

void adjust_family(const std::vector<Change*>& family) {
  std::vector<double> p;
  for (const Change* change : family) {
    p.push_back(change->too_few ? std::numeric_limits<double>::quiet_NaN() : change->rank.p);
  }
  const std::vector<double> q = stats::adjusted_p(p);
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->q = q[i];
}

}  // namespace strobe::compare
