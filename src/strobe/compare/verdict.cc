#include "strobe/compare/verdict.h"

#include <algorithm>
#include <cmath>

namespace strobe::compare {
namespace {

// A change must be beyond chance, of nearly all cycles, and worth mentioning.
bool is_changed(const FunctionRow& row) {
  constexpr double kLargeDelta = 0.474;
  constexpr double kLeastPoints = 0.05;
  constexpr double kLeastShare = 0.02;
  const bool differs_between_runs =
      std::isnan(row.between_runs_p) || row.between_runs_p < kSignificant;
  return row.beta.q < kSignificant && std::abs(row.beta.cliffs_delta) >= kLargeDelta &&
         std::abs(row.beta.shift.shift) >=
             std::max(kLeastPoints, kLeastShare * row.beta.normal.mean) &&
         differs_between_runs;
}

bool is_only_in(double presence, double other_presence) {
  constexpr double kPresent = 0.8;
  return presence >= kPresent && other_presence == 0;
}

bool has_other_calls(const FunctionRow& row) {
  constexpr double kLeastShare = 0.02;
  constexpr double kLeastCalls = 0.5;
  const double difference = std::abs(row.calls_abnormal - row.calls_normal);
  return difference > kLeastCalls && difference >= kLeastShare * row.calls_normal;
}

}  // namespace

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "~";
    case Verdict::kChanged:
      return "changed";
    case Verdict::kNew:
      return "new";
    case Verdict::kVanished:
      return "vanished";
    case Verdict::kCallsChanged:
      return "calls changed";
    case Verdict::kTooFew:
      return "too few cycles";
  }
  return "";
}

Verdict verdict_of(const FunctionRow& row) {
  if (row.beta.too_few) return Verdict::kTooFew;
  if (is_only_in(row.presence_abnormal, row.presence_normal)) return Verdict::kNew;
  if (is_only_in(row.presence_normal, row.presence_abnormal)) return Verdict::kVanished;
  if (is_changed(row)) return Verdict::kChanged;
  return has_other_calls(row) ? Verdict::kCallsChanged : Verdict::kSame;
}

}  // namespace strobe::compare
