#include "strobe/tensorboard/worker_name.h"

namespace strobe::tensorboard {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<NodeProcess> split_worker_name(std::string_view worker) {
  for (std::size_t digit = worker.size(); digit-- > 1;) {
    if (worker[digit - 1] != '_' || !is_digit(worker[digit])) continue;
    std::size_t end = digit;
    while (end < worker.size() && is_digit(worker[end])) ++end;
    return NodeProcess{std::string(worker.substr(0, digit - 1)),
                       std::string(worker.substr(digit, end - digit))};
  }
  return std::nullopt;
}

}  // namespace strobe::tensorboard
