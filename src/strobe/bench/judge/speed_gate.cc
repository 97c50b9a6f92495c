#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "strobe/bench/judge/run_diff.h"

namespace strobe::bench {
namespace {

Error bad_gate(std::string_view text) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' is no gate of benchmarks", text),
          .where = "--fail-on",
          .hint = "slower:3%, slower, faster:3%, faster or broken"};
}

bool read_percentage(std::string_view text, double& share) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  const bool has_sign = end + 1 == text.data() + text.size() && *end == '%';
  share /= 100;
  return error == std::errc() && has_sign && std::isfinite(share) && share >= 0;
}

}  // namespace

Result<SpeedGate> parse_speed_gate(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  SpeedGate gate{.by = 0};
  if (word == "slower")
    gate.verdict = CellVerdict::kSlower;
  else if (word == "faster")
    gate.verdict = CellVerdict::kFaster;
  else if (word == "broken")
    gate.verdict = CellVerdict::kNotComparable;
  else
    return bad_gate(text);
  if (colon == std::string_view::npos) return gate;
  if (word == "broken" || !read_percentage(text.substr(colon + 1), gate.by)) return bad_gate(text);
  if (word == "faster" && gate.by >= 1) return bad_gate(text);  // nothing takes less than no time
  return gate;
}

std::vector<const CellDiff*> caught(const RunDiff& diff, const SpeedGate& gate) {
  std::vector<const CellDiff*> cells;
  for (const CellDiff& cell : diff.cells) {
    if (cell.verdict != gate.verdict) continue;
    const bool is_caught = gate.verdict == CellVerdict::kSlower   ? cell.ratio_ci95[0] > 1 + gate.by
                           : gate.verdict == CellVerdict::kFaster ? cell.ratio_ci95[1] < 1 - gate.by
                                                                  : cell.is_broken;
    if (is_caught) cells.push_back(&cell);
  }
  return cells;
}

}  // namespace strobe::bench
