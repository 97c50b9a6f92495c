#include "strobe/compare/gates.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"

namespace strobe::compare {
namespace {

constexpr std::string_view kForms = "a gate is cycle>3%, cycle>5ms, beta>1, cause=clock or any";

std::string without_blanks(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

Error bad_gate(std::string what, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = "--fail-on",
          .hint = std::move(hint)};
}

struct Limit {
  double number = 0;
  std::string_view unit;
};

std::optional<Limit> limit_of(std::string_view text) {
  Limit limit;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit.number);
  if (error != std::errc{} || !std::isfinite(limit.number) || limit.number < 0) return std::nullopt;
  limit.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return limit;
}

struct Form {
  std::string_view subject;
  std::string_view unit;
  GateKind kind;
  double scale;  // to the unit of Gate::limit
};
constexpr Form kLimitForms[] = {
    {"cycle", "%", GateKind::kCyclePercent, 1}, {"cycle", "ms", GateKind::kCycleMs, 1},
    {"cycle", "us", GateKind::kCycleMs, 1e-3},  {"cycle", "s", GateKind::kCycleMs, 1e3},
    {"beta", "", GateKind::kBeta, 1},           {"beta", "%", GateKind::kBeta, 1},
};

Result<Gate> limit_gate(const std::string& text, std::size_t sign) {
  const std::string_view subject = std::string_view(text).substr(0, sign);
  const auto limit = limit_of(std::string_view(text).substr(sign + 1));
  if (!limit) {
    return bad_gate(fmt::format("'{}' has no limit after its '>'", text), std::string(kForms));
  }
  for (const Form& form : kLimitForms) {
    if (form.subject == subject && form.unit == limit->unit) {
      return Gate{.text = text, .kind = form.kind, .limit = limit->number * form.scale};
    }
  }
  if (subject == "cycle" && limit->unit.empty()) {
    return bad_gate(fmt::format("'{}' needs a unit", text),
                    fmt::format("{0}% of the normal cycle, or {0}ms", text));
  }
  return bad_gate(fmt::format("'{}' is not a gate", text), std::string(kForms));
}

Result<Gate> cause_gate(const std::string& text, std::string_view word) {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(CauseKind::kUnattributed); ++i) {
    const auto kind = static_cast<CauseKind>(i);
    if (word_of(kind) == word) return Gate{.text = text, .kind = GateKind::kCause, .cause = kind};
    words.push_back(word_of(kind));
  }
  return bad_gate(fmt::format("'{}' is not a cause", word),
                  fmt::format("the causes are {}", fmt::join(words, ", ")));
}

Result<Gate> parse_gate(const std::string& typed) {
  const std::string text = without_blanks(typed);
  if (text == "any") return Gate{.text = text, .kind = GateKind::kAny};
  if (const std::size_t sign = text.find('>'); sign != std::string::npos) {
    return limit_gate(text, sign);
  }
  constexpr std::string_view kCause = "cause=";
  if (text.starts_with(kCause)) return cause_gate(text, text.substr(kCause.size()));
  return bad_gate(fmt::format("'{}' is not a gate", text), std::string(kForms));
}

std::string sizes(const Change& change) {
  return fmt::format("n = {} and {}", change.normal.n, change.abnormal.n);
}

std::string slower_cycles(const CycleRow& row) {
  return fmt::format(
      "cycle time rose by {:.3g} ms, {:.3g} % of the normal {:.4g} ms ({})", row.shown().shift,
      100 * row.shown().shift / row.shown_normal_ms(), row.shown_normal_ms(),
      row.run_shift
          ? fmt::format("n = {} and {} runs", row.run_ms_normal.size(), row.run_ms_abnormal.size())
          : sizes(row.ms));
}

// The answer is about the most frequent type of cycles; other types may have changed too.
std::optional<std::string> why_cycles(const Comparison& comparison, const Gate& gate) {
  const bool is_unclear = comparison.answer == Answer::kUnclear;
  if (comparison.answer != Answer::kSlower && !(gate.is_strict && is_unclear)) return std::nullopt;
  for (const CycleRow& row : comparison.cycles) {
    const bool may_be_slower = row.is_changed() || (is_unclear && row.differs_much());
    if (!may_be_slower || !row.rises()) continue;
    const double rise = gate.kind == GateKind::kCycleMs
                            ? row.shown().shift
                            : 100 * row.shown().shift / row.shown_normal_ms();
    if (rise > gate.limit) {
      return slower_cycles(row) + (is_unclear ? ", which may be chance (--strict)" : "");
    }
  }
  return std::nullopt;
}

std::optional<std::string> why_beta(const Comparison& comparison, const Gate& gate) {
  if (comparison.answer == Answer::kUnclear && !gate.is_strict) return std::nullopt;
  const FunctionRow* worst = nullptr;
  for (const FunctionRow& row : comparison.functions) {
    const bool is_change = row.verdict == Verdict::kChanged || row.verdict == Verdict::kNew;
    if (!is_change || !(row.beta.shift.shift > gate.limit)) continue;
    if (worst == nullptr || row.beta.shift.shift > worst->beta.shift.shift) worst = &row;
  }
  if (worst == nullptr) return std::nullopt;
  return fmt::format("'{}' on {} takes {:.3g} points more of the cycle ({:.3g} -> {:.3g} %, {})",
                     worst->key.name, worst->key.device, worst->beta.shift.shift,
                     worst->beta.normal_median, worst->beta.abnormal_median, sizes(worst->beta));
}

std::optional<std::string> why_cause(const Comparison& comparison, const Gate& gate) {
  const auto cause = std::ranges::find_if(
      comparison.causes, [&](const Cause& one) { return one.kind == gate.cause && !one.improves; });
  if (cause == comparison.causes.end()) return std::nullopt;
  return fmt::format("{} (score {:.2f})", cause->headline, cause->score);
}

bool is_change(const FunctionRow& row) {
  switch (row.verdict) {
    case Verdict::kChanged:
    case Verdict::kNew:
    case Verdict::kVanished:
      return true;
    case Verdict::kCallsChanged:
      return row.beta.q < kSignificant;
    case Verdict::kSame:
    case Verdict::kTooFew:
      break;
  }
  return false;
}

std::optional<std::string> why_any(const Comparison& comparison, const Gate& gate) {
  if (comparison.answer == Answer::kUnclear && !gate.is_strict) return std::nullopt;
  const auto functions =
      static_cast<std::uint64_t>(std::ranges::count_if(comparison.functions, is_change));
  const std::string changed =
      fmt::format("{} {} changed", functions, plural(functions, "function", "functions"));
  const bool is_slower = comparison.answer == Answer::kSlower;
  if (is_slower || comparison.answer == Answer::kFaster) {
    return fmt::format("cycles became {}, {}", is_slower ? "slower" : "faster", changed);
  }
  if (functions == 0) return std::nullopt;
  return changed;
}

std::optional<std::string> why(const Comparison& comparison, const Gate& gate) {
  switch (gate.kind) {
    case GateKind::kCyclePercent:
    case GateKind::kCycleMs:
      return why_cycles(comparison, gate);
    case GateKind::kBeta:
      return why_beta(comparison, gate);
    case GateKind::kCause:
      return why_cause(comparison, gate);
    case GateKind::kAny:
      return why_any(comparison, gate);
  }
  return std::nullopt;
}

// Ranks that meet in collectives have equal cycles, so the gate is about their own time. Only a
// rank that was found slow counts.
std::optional<std::string> why_own_time(const Stragglers& stragglers, const Gate& gate) {
  for (const RankRow& row : stragglers.ranks) {
    if (!row.is_slow) continue;
    const double rise_ms = row.own_ms - row.peers_ms;
    const double rise = gate.kind == GateKind::kCycleMs ? rise_ms : 100 * rise_ms / row.peers_ms;
    if (!(rise > gate.limit)) continue;
    return fmt::format(
        "rank {} works {:.3g} ms per cycle longer than its peers, {:.3g} % of their {:.4g} ms "
        "(in {} of {} cycles)",
        row.rank, rise_ms, 100 * rise_ms / row.peers_ms, row.peers_ms, row.cycles_late, row.cycles);
  }
  return std::nullopt;
}

std::optional<std::string> why_slow_ranks(const Stragglers& stragglers) {
  std::vector<std::string> clauses;
  for (const RankRow& row : stragglers.ranks) {
    if (row.is_slow) clauses.push_back(fmt::format("rank {} is slow", row.rank));
  }
  for (const std::size_t position : stragglers.late) {
    const RankRow& row = stragglers.ranks[position];
    clauses.push_back(fmt::format("rank {} came last to {} of {} collectives", row.rank,
                                  row.times_last, row.collectives));
  }
  if (clauses.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(clauses, ", "));
}

std::optional<std::string> why(const Stragglers& stragglers, const Gate& gate) {
  switch (gate.kind) {
    case GateKind::kCyclePercent:
    case GateKind::kCycleMs:
      return why_own_time(stragglers, gate);
    case GateKind::kCause:
      if (gate.cause == CauseKind::kStraggler) return why_slow_ranks(stragglers);
      break;
    case GateKind::kAny:
      return why_slow_ranks(stragglers);
    case GateKind::kBeta:
      break;
  }
  if (!stragglers.against_peer) return std::nullopt;
  return why(*stragglers.against_peer, gate);
}

template <class Judged>
std::vector<GateFailure> failures_of(const Judged& judged, std::span<const Gate> gates) {
  std::vector<GateFailure> failures;
  for (const Gate& gate : gates) {
    if (auto reason = why(judged, gate)) failures.push_back({gate.text, std::move(*reason)});
  }
  return failures;
}

}  // namespace

Result<std::vector<Gate>> parse_gates(const std::vector<std::string>& texts) {
  std::vector<Gate> gates;
  for (const std::string& text : texts) {
    STROBE_TRY(Gate gate, parse_gate(text));
    gates.push_back(std::move(gate));
  }
  return gates;
}

std::vector<GateFailure> failed_gates(const Comparison& comparison, std::span<const Gate> gates) {
  return failures_of(comparison, gates);
}

std::vector<GateFailure> failed_gates(const Stragglers& stragglers, std::span<const Gate> gates) {
  return failures_of(stragglers, gates);
}

}  // namespace strobe::compare
