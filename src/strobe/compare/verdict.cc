#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/compare/comparison_parts.h"

namespace strobe::compare {
namespace {

// A change must be beyond chance, affect nearly all cycles, and be large enough to mention.
bool is_changed(const FunctionRow& row) {
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

namespace {

double capped(double z) {
  constexpr double kCap = 30;
  return std::min(std::abs(z), kCap);
}

// Larger values come first.
double key_of(const FunctionRow& row, RankKey order) {
  switch (order) {
    case RankKey::kSuspicion:
      return row.suspicion;
    case RankKey::kRobust:
      return row.robust;
    case RankKey::kImpact:
      return std::abs(row.impact_ms());
    case RankKey::kQ:
      return std::isnan(row.beta.q) ? -2 : -row.beta.q;
  }
  return 0;
}

double key_of(const TripletRow& triplet, const FunctionRow& row, RankKey order) {
  switch (order) {
    case RankKey::kSuspicion:
      return triplet.suspicion;
    case RankKey::kRobust:
      return triplet.robust;
    default:
      return key_of(row, order);
  }
}

// Many q are equal; among them the more suspicious comes first.
double second_key_of(double suspicion, RankKey order) {
  return order == RankKey::kQ ? suspicion : 0;
}

// Rows are large, so indices are sorted and each row is moved once.
template <class Key>
std::vector<std::size_t> sorted_places(std::size_t count, Key&& key) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return places;
}

template <class Row>
std::vector<Row> rearranged(std::vector<Row> rows, const std::vector<std::size_t>& places) {
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t place : places) sorted.push_back(std::move(rows[place]));
  return sorted;
}

}  // namespace

void score_rows(Comparison& comparison) {
  for (FunctionRow& row : comparison.functions) {
    const double points = std::abs(row.beta.difference());
    row.suspicion = points * std::abs(row.beta.z);
    row.robust = points * capped(row.beta.z_floored);
  }
  for (TripletRow& triplet : comparison.triplets) {
    FunctionRow& row = comparison.functions[triplet.function];
    const double points = std::abs(row.beta.difference());
    triplet.suspicion = points * (std::abs(row.beta.z) + std::abs(triplet.log_mu.z));
    triplet.robust = points * (capped(row.beta.z_floored) + capped(triplet.log_mu.z_floored));
    row.suspicion = std::max(row.suspicion, triplet.suspicion);
    row.robust = std::max(row.robust, triplet.robust);
  }
}

void sort_rows(Comparison& comparison, RankKey order) {
  const std::vector<FunctionRow>& rows = comparison.functions;
  const auto name_of = [](const FunctionRow& row) {
    return std::tie(row.key.name, row.key.device, row.rank, row.type, row.key.kind);
  };
  const std::vector<std::size_t> places = sorted_places(rows.size(), [&](std::size_t i) {
    return std::tuple(-key_of(rows[i], order), -second_key_of(rows[i].suspicion, order),
                      name_of(rows[i]));
  });
  std::vector<std::size_t> moved_to(rows.size());
  for (std::size_t i = 0; i < places.size(); ++i) moved_to[places[i]] = i;
  comparison.functions = rearranged(std::move(comparison.functions), places);

  std::vector<TripletRow>& triplets = comparison.triplets;
  for (TripletRow& triplet : triplets) triplet.function = moved_to[triplet.function];
  const std::vector<std::size_t> triplet_places =
      sorted_places(triplets.size(), [&](std::size_t i) {
        const FunctionRow& row = comparison.functions[triplets[i].function];
        return std::tuple(-key_of(triplets[i], row, order),
                          -second_key_of(triplets[i].suspicion, order),
                          std::tie(row.key.name, triplets[i].metric, row.key.device, row.rank,
                                   row.type, row.key.kind));
      });
  triplets = rearranged(std::move(triplets), triplet_places);
}

}  // namespace strobe::compare
