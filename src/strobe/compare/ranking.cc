#include "strobe/compare/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace strobe::compare {
namespace {

double capped(double z) {
  constexpr double kCap = 30;
  return std::min(std::abs(z), kCap);
}

// The larger, the further up.
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

// Equal q are many; among them the more suspicious comes first.
double second_key_of(double suspicion, RankKey order) {
  return order == RankKey::kQ ? suspicion : 0;
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
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](const FunctionRow& row) {
      return std::tuple(-key_of(row, order), -second_key_of(row.suspicion, order));
    };
    const auto name = [](const FunctionRow& row) {
      return std::tie(row.key.name, row.key.device, row.rank, row.type, row.key.kind);
    };
    const auto key_a = key(rows[a]);
    const auto key_b = key(rows[b]);
    return key_a != key_b ? key_a < key_b : name(rows[a]) < name(rows[b]);
  });
  std::vector<std::size_t> moved_to(rows.size());
  std::vector<FunctionRow> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t place : places) {
    moved_to[place] = sorted.size();
    sorted.push_back(std::move(comparison.functions[place]));
  }
  comparison.functions = std::move(sorted);
  for (TripletRow& triplet : comparison.triplets) triplet.function = moved_to[triplet.function];

  std::sort(comparison.triplets.begin(), comparison.triplets.end(),
            [&](const TripletRow& a, const TripletRow& b) {
              const FunctionRow& row_a = comparison.functions[a.function];
              const FunctionRow& row_b = comparison.functions[b.function];
              const auto key = [&](const TripletRow& triplet, const FunctionRow& row) {
                return std::tuple(-key_of(triplet, row, order),
                                  -second_key_of(triplet.suspicion, order));
              };
              const auto name = [](const TripletRow& triplet, const FunctionRow& row) {
                return std::tie(row.key.name, triplet.metric, row.key.device, row.rank, row.type,
                                row.key.kind);
              };
              const auto key_a = key(a, row_a);
              const auto key_b = key(b, row_b);
              return key_a != key_b ? key_a < key_b : name(a, row_a) < name(b, row_b);
            });
}

}  // namespace strobe::compare
