#include "strobe/compare/causes/cause_text.h"

#include <cmath>

#include <fmt/format.h>

namespace strobe::compare {
namespace {

std::string factor_text(const Change& change) {
  const double ratio = change.ratio();
  return std::isfinite(ratio) && ratio > 0 ? fmt::format(" (x {:.2f})", ratio) : "";
}

}  // namespace

std::string number_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.3g} G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1 || value == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

Evidence told(const std::string& what, const MetricRow& metric, const Change& change) {
  return {
      .text = fmt::format("{}: {} -> {} {}{}", what, number_text(change.normal.mean),
                          number_text(change.abnormal.mean), metric.info.unit, factor_text(change)),
      .function = {},
      .metric = metric.metric};
}

Evidence told(const std::string& what, const Change& change_ms) {
  return {
      .text = fmt::format("{}: {} -> {} ms per cycle{}", what, number_text(change_ms.normal.mean),
                          number_text(change_ms.abnormal.mean), factor_text(change_ms)),
      .function = {},
      .metric = {}};
}

Evidence told(std::string sentence) {
  return {.text = std::move(sentence), .function = {}, .metric = {}};
}

}  // namespace strobe::compare
