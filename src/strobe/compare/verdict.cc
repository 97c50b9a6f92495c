#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison_parts.h"

namespace strobe::compare {
namespace {

constexpr double kLeastPoints = 0.05;  // of the cycle's time, in percent
constexpr double kLeastShare = 0.02;   // of the normal value

// A change must be beyond chance, affect nearly all cycles, and be large enough to mention.
bool has_moved(const Change& change, double least) {
  return change.q < kSignificant && std::abs(change.cliffs_delta) >= kLargeDelta &&
         std::abs(change.shift.shift) >= std::max(least, kLeastShare * change.normal.mean);
}

double cycle_ms_of(const FunctionRow& row) {
  const bool has_normal = row.beta.normal.mean > 0;
  const double ms = has_normal ? row.ms.normal.mean : row.ms.abnormal.mean;
  const double percent = has_normal ? row.beta.normal.mean : row.beta.abnormal.mean;
  return percent > 0 ? 100 * ms / percent : 0;
}

// If everything takes longer by the same factor, no share changes, but the times do.
bool time_has_moved(const FunctionRow& row) {
  return is_real(row.own_ms()) && has_moved(row.own_ms(), kLeastPoints / 100 * cycle_ms_of(row));
}

bool is_changed(const FunctionRow& row) {
  const bool differs_between_runs =
      std::isnan(row.between_runs_p) || row.between_runs_p < kSignificant;
  const bool share_has_moved = !row.launched.decides && has_moved(row.beta, kLeastPoints);
  return differs_between_runs && (share_has_moved || time_has_moved(row));
}

// Work that a run launched in its cycles is not absent, even if it ran after all of them.
bool is_only_in(double presence, double other_presence, double other_launches) {
  constexpr double kPresent = 0.8;
  return presence >= kPresent && other_presence == 0 && other_launches == 0;
}

bool differ(double calls_normal, double calls_abnormal) {
  constexpr double kLeastCalls = 0.5;
  const double difference = std::abs(calls_abnormal - calls_normal);
  return difference > kLeastCalls && difference >= kLeastShare * calls_normal;
}

// When work runs depends on how far the host is ahead; how often it is launched does not.
bool has_other_calls(const FunctionRow& row) {
  return differ(row.calls_normal, row.calls_abnormal) &&
         (!row.launched.is_known || differ(row.launched.calls_normal, row.launched.calls_abnormal));
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
  if (is_only_in(row.presence_abnormal, row.presence_normal, row.launched.calls_normal)) {
    return Verdict::kNew;
  }
  if (is_only_in(row.presence_normal, row.presence_abnormal, row.launched.calls_abnormal)) {
    return Verdict::kVanished;
  }
  if (is_changed(row)) return Verdict::kChanged;
  return has_other_calls(row) ? Verdict::kCallsChanged : Verdict::kSame;
}

namespace {

double capped(double z) {
  constexpr double kCap = 30;
  return std::min(std::abs(z), kCap);
}

// What a function adds to a cycle or takes from it. Changes beyond chance come before all others:
// the unsure ones are between -1 and 0.
double impact_key(const FunctionRow& row) {
  const double shift = row.own_ms().shift.shift;
  const double impact_ms = std::abs(std::isfinite(shift) ? shift : row.impact_ms());
  return row.has_other_time() ? impact_ms : -1 / (1 + impact_ms);
}

// Larger values come first.
double key_of(const FunctionRow& row, RankKey order) {
  switch (order) {
    case RankKey::kSuspicion:
      return row.suspicion;
    case RankKey::kRobust:
      return row.robust;
    case RankKey::kImpact:
      return impact_key(row);
    case RankKey::kQ:
      return std::isnan(row.own_ms().q) ? -2 : -row.own_ms().q;
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
  comparison.order = order;
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
