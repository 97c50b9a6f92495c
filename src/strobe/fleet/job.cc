#include "strobe/fleet/job.h"

#include <string_view>

#include "strobe/base/text.h"

namespace strobe::fleet {

std::int64_t RankStep::own_ns() const { return compute_ns + copy_ns + input_ns + host_ns; }

double CollectiveRow::algorithm_bytes_per_s() const {
  if (median_transfer_ns <= 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(median_transfer_ns) * 1e9;
}

std::vector<std::int64_t> step_numbers(const Job& job) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : job.steps) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const auto number = parse_whole_number(std::string_view(name).substr(digits));
    if (!number || (!numbers.empty() && *number <= numbers.back())) break;
    numbers.push_back(*number);
  }
  if (numbers.size() == job.steps.size()) return numbers;
  numbers.clear();
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    numbers.push_back(static_cast<std::int64_t>(i));
  }
  return numbers;
}

}  // namespace strobe::fleet
