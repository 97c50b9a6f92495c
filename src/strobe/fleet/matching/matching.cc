#include "strobe/fleet/matching/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace strobe::fleet {
namespace {

// Calls that are put into one order. Those with sequence numbers are one class per group.
struct CallClass {
  std::uint32_t group = 0;
  bool has_sequence = false;
  bool on_host = false;
  ExchangeKind kind = ExchangeKind::kOther;  // of those without numbers
  std::uint64_t bytes = 0;                   // likewise
  std::int32_t sender = kNoPeer;             // of what one rank sends to another
  std::int32_t receiver = kNoPeer;

  auto operator<=>(const CallClass&) const = default;
};

// One call in its order: of a class, that number, and the how manieth with that number on its rank.
struct Entry {
  std::uint32_t call_class = 0;
  std::uint32_t repeat = 0;
  std::int64_t number = 0;
  Part part;

  auto place() const { return std::tie(call_class, number, repeat); }
  bool operator<(const Entry& other) const {
    return std::tie(call_class, number, repeat, part.rank, part.call) <
           std::tie(other.call_class, other.number, other.repeat, other.part.rank, other.part.call);
  }
};

std::string call_text(const ExchangeCall& call) {
  if (call.bytes == 0) return std::string(word_of(call.kind));
  return fmt::format("{} of {} B", word_of(call.kind), call.bytes);
}

class Matcher {
 public:
  explicit Matcher(std::span<const RankDigest* const> digests) : digests_(digests) {}

  Matching match() {
    number_groups();
    number_classes();
    find_other_counts();
    find_other_orders();
    std::sort(entries_.begin(), entries_.end());
    for (auto first = entries_.begin(); first != entries_.end();) {
      const auto end = std::find_if(first, entries_.end(), [&](const Entry& entry) {
        return entry.place() != first->place();
      });
      match_one({first, end});
      first = end;
    }
    find_ranks_without_trace();
    finish_mismatches();
    return std::move(matching_);
  }

 private:
  // What the first numbers and the last of one rank in a class are.
  struct Recorded {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t calls = 0;
  };

  const ExchangeCall& call_of(const Part& part) const {
    return digests_[part.rank]->calls[part.call];
  }
  const RankGroup& group_of(const Part& part) const {
    return digests_[part.rank]->groups[call_of(part).group];
  }

  void number_groups() {
    std::map<RankGroup, std::set<std::uint32_t>> ranks;
    for (std::uint32_t rank = 0; rank < digests_.size(); ++rank) {
      for (const RankGroup& group : digests_[rank]->groups) ranks[group].insert(rank);
    }
    std::map<RankGroup, std::uint32_t> numbers;
    for (const auto& [group, of_group] : ranks) {
      numbers.emplace(group, static_cast<std::uint32_t>(matching_.groups.size()));
      matching_.groups.push_back(group);
      matching_.group_ranks.push_back(of_group.size());
    }
    for (const RankDigest* digest : digests_) {
      std::vector<std::uint32_t>& of_rank = group_numbers_.emplace_back();
      for (const RankGroup& group : digest->groups) of_rank.push_back(numbers.at(group));
    }
  }

  // Nothing if the call cannot meet others.
  std::optional<CallClass> class_of(const Part& part) {
    const ExchangeCall& call = call_of(part);
    CallClass found = {.group = group_numbers_[part.rank][call.group], .on_host = call.on_host};
    const RankGroup& group = matching_.groups[found.group];
    if (group.size > 0 && matching_.group_ranks[found.group] > group.size) {
      add_mismatch(MismatchKind::kUnknownGroup, found.group, call, {digests_[part.rank]->rank});
      return std::nullopt;
    }
    if (is_between_two(call.kind)) {
      if (call.peer == kNoPeer || call.kind == ExchangeKind::kSendReceive) {
        add_mismatch(MismatchKind::kUnknownPeer, found.group, call, {digests_[part.rank]->rank});
        return std::nullopt;
      }
      const bool is_send = call.kind == ExchangeKind::kSend;
      found.sender = is_send ? digests_[part.rank]->rank : call.peer;
      found.receiver = is_send ? call.peer : digests_[part.rank]->rank;
      found.kind = ExchangeKind::kSend;
      return found;
    }
    found.has_sequence = call.sequence != kNoSequence;
    if (!found.has_sequence) {
      found.kind = call.kind;
      found.bytes = has_one_size(call.kind) ? call.bytes : 0;
    }
    return found;
  }

  void number_classes() {
    std::map<CallClass, std::vector<Part>> by_class;
    for (std::uint32_t rank = 0; rank < digests_.size(); ++rank) {
      for (std::uint32_t call = 0; call < digests_[rank]->calls.size(); ++call) {
        const Part part = {rank, call};
        const auto found = class_of(part);
        if (found) {
          by_class[*found].push_back(part);
        } else {
          ++matching_.unmatched_calls;
        }
      }
    }
    for (const auto& [call_class, parts] : by_class) {
      add_entries(static_cast<std::uint32_t>(classes_.size()), call_class, parts);
      classes_.push_back(call_class);
    }
  }

  void add_entries(std::uint32_t number, const CallClass& call_class,
                   const std::vector<Part>& parts) {
    auto& recorded = recorded_.emplace_back();
    std::map<std::int64_t, std::uint32_t> repeats;
    std::uint32_t rank = static_cast<std::uint32_t>(-1);
    for (const Part& part : parts) {
      if (part.rank != rank) repeats.clear();
      rank = part.rank;
      auto [of_rank, is_first] = recorded.try_emplace(rank);
      Entry entry = {.call_class = number, .part = part};
      entry.number = call_class.has_sequence ? call_of(part).sequence
                                             : static_cast<std::int64_t>(of_rank->second.calls);
      entry.repeat = call_class.has_sequence ? repeats[entry.number]++ : 0;
      Recorded& range = of_rank->second;
      range.first = is_first ? entry.number : std::min(range.first, entry.number);
      range.last = is_first ? entry.number : std::max(range.last, entry.number);
      ++range.calls;
      entries_.push_back(entry);
    }
  }

  // Without numbers, only the count tells that calls are missing. Which ones is not known: the
  // calls of all ranks meet from the end that fits best.
  void find_other_counts() {
    std::size_t begin = 0;
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
      std::size_t end = begin;
      while (end < entries_.size() && entries_[end].call_class == number) ++end;
      if (!classes_[number].has_sequence) align(number, begin, end);
      begin = end;
    }
  }

  void align(std::uint32_t number, std::size_t begin, std::size_t end) {
    std::map<std::uint64_t, std::size_t> ranks_by_count;
    std::uint64_t most = 0;
    for (const auto& [rank, recorded] : recorded_[number]) {
      ++ranks_by_count[recorded.calls];
      most = std::max(most, recorded.calls);
    }
    if (ranks_by_count.size() < 2) return;
    std::uint64_t usual = most;
    for (const auto& [count, ranks] : ranks_by_count) {
      if (ranks >= ranks_by_count[usual]) usual = count;
    }
    const bool from_end = ends_fit_better(begin, end);
    for (std::size_t i = begin; i < end; ++i) {
      Entry& entry = entries_[i];
      const auto missing =
          static_cast<std::int64_t>(most - recorded_[number][entry.part.rank].calls);
      if (from_end) entry.number += missing;
    }
    std::vector<std::int32_t> odd_ranks;
    for (const auto& [rank, recorded] : recorded_[number]) {
      if (recorded.calls != usual) odd_ranks.push_back(digests_[rank]->rank);
    }
    add_mismatch(MismatchKind::kOtherCount, classes_[number].group, call_of(entries_[begin].part),
                 odd_ranks);
    has_other_count_.insert(number);
  }

  // Without numbers: ranks that make the calls of a group in another order than most. On the host,
  // threads of a library may begin their calls in any order.
  void find_other_orders() {
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<const Entry*>>> by_group_and_rank;
    for (const Entry& entry : entries_) {
      const CallClass& call_class = classes_[entry.call_class];
      if (call_class.has_sequence || call_class.on_host || is_between_two(call_class.kind))
        continue;
      if (has_other_count_.contains(entry.call_class)) continue;
      by_group_and_rank[call_class.group][entry.part.rank].push_back(&entry);
    }
    for (auto& [group, by_rank] : by_group_and_rank) {
      std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> ranks_by_order;
      for (auto& [rank, calls] : by_rank) {
        std::ranges::sort(calls, {}, [](const Entry* entry) { return entry->part.call; });
        std::vector<std::uint32_t> order;
        for (const Entry* entry : calls) order.push_back(entry->call_class);
        ranks_by_order[std::move(order)].push_back(rank);
      }
      if (ranks_by_order.size() > 1) add_other_orders(group, by_rank, ranks_by_order);
    }
  }

  void add_other_orders(
      std::uint32_t group, const std::map<std::uint32_t, std::vector<const Entry*>>& by_rank,
      const std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>& ranks_by_order) {
    const auto& [usual, usual_ranks] = *std::ranges::max_element(
        ranks_by_order, {}, [](const auto& entry) { return entry.second.size(); });
    for (const auto& [order, ranks] : ranks_by_order) {
      if (order == usual || order.size() != usual.size()) continue;
      const auto first =
          static_cast<std::size_t>(std::ranges::mismatch(order, usual).in1 - order.begin());
      const ExchangeCall& usual_call = call_of(by_rank.at(usual_ranks.front())[first]->part);
      const ExchangeCall& other_call = call_of(by_rank.at(ranks.front())[first]->part);
      std::vector<std::int32_t> numbers;
      for (const std::uint32_t rank : ranks) numbers.push_back(digests_[rank]->rank);
      add_mismatch(MismatchKind::kOtherOrder, group, usual_call, numbers,
                   fmt::format("{}, not {}", call_text(other_call), call_text(usual_call)));
    }
  }

  // Whether the calls of ranks that make fewer leave closer to those of the others if both are
  // counted from the last one. By the distance of ends from the first call of the rank's class with
  // the most calls, so that clocks which differ by less than a call's distance do no harm.
  bool ends_fit_better(std::size_t begin, std::size_t end) const {
    std::vector<std::pair<std::size_t, std::size_t>> of_ranks;
    for (std::size_t i = begin; i < end; ++i) {
      if (i == begin || entries_[i].part.rank != entries_[i - 1].part.rank) {
        of_ranks.emplace_back(i, i);
      }
      of_ranks.back().second = i + 1;
    }
    const auto longest = *std::ranges::max_element(
        of_ranks, {}, [](const auto& range) { return range.second - range.first; });
    const auto end_ns = [&](std::size_t entry) {
      return call_of(entries_[entry].part).interval.end_ns;
    };
    double from_start_ns = 0;
    double from_end_ns = 0;
    for (const auto& [first, last] : of_ranks) {
      const std::size_t calls = last - first;
      if (calls == longest.second - longest.first) continue;
      for (std::size_t i = 0; i < calls; ++i) {
        const auto own_ns = static_cast<double>(end_ns(first + i));
        from_start_ns += std::abs(own_ns - static_cast<double>(end_ns(longest.first + i)));
        from_end_ns += std::abs(own_ns - static_cast<double>(end_ns(longest.second - calls + i)));
      }
    }
    return from_end_ns < from_start_ns;
  }

  // Calls of one class, number and repeat: at most one per rank.
  void match_one(std::span<const Entry> entries) {
    const CallClass& call_class = classes_[entries.front().call_class];
    std::span<const Entry> same = entries;
    std::vector<Entry> of_usual_kind;
    if (call_class.has_sequence) {
      of_usual_kind = without_other_calls(entries);
      same = of_usual_kind;
      find_other_sizes(same);
    }
    if (!is_between_two(call_class.kind) && !has_other_count_.contains(same.front().call_class)) {
      find_missing(entries);
    }
    if (same.size() < 2) {
      matching_.unmatched_calls += same.size();
      if (is_between_two(call_class.kind)) find_lone_peer(same.front());
      return;
    }
    MatchedExchange exchange = {.group = call_class.group,
                                .kind = call_of(same.front().part).kind,
                                .on_host = call_of(same.front().part).on_host,
                                .first_part = matching_.parts.size(),
                                .part_count = same.size()};
    if (is_between_two(call_class.kind)) exchange.kind = ExchangeKind::kSend;
    for (const Entry& entry : same) {
      exchange.bytes = std::max(exchange.bytes, call_of(entry.part).bytes);
      matching_.parts.push_back(entry.part);
    }
    matching_.exchanges.push_back(exchange);
  }

  // The value that most calls have, of those the smallest.
  template <class Value>
  static auto usual_of(std::span<const Entry> entries, Value&& value) {
    std::map<decltype(value(entries.front())), std::size_t> counts;
    for (const Entry& entry : entries) ++counts[value(entry)];
    return std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })
        ->first;
  }

  std::vector<Entry> without_other_calls(std::span<const Entry> entries) {
    const ExchangeKind usual =
        usual_of(entries, [&](const Entry& entry) { return call_of(entry.part).kind; });
    std::vector<Entry> same;
    std::vector<Entry> others;
    for (const Entry& entry : entries) {
      (call_of(entry.part).kind == usual ? same : others).push_back(entry);
    }
    matching_.unmatched_calls += others.size();
    add_differing(MismatchKind::kOtherOrder, others, same.front());
    return same;
  }

  void find_other_sizes(std::span<const Entry> entries) {
    if (!has_one_size(call_of(entries.front().part).kind)) return;
    const std::uint64_t usual =
        usual_of(entries, [&](const Entry& entry) { return call_of(entry.part).bytes; });
    std::vector<Entry> others;
    const Entry* usual_entry = nullptr;
    for (const Entry& entry : entries) {
      const std::uint64_t bytes = call_of(entry.part).bytes;
      if (bytes == usual) {
        usual_entry = &entry;
      } else if (bytes != 0 && usual != 0) {
        others.push_back(entry);
      }
    }
    add_differing(MismatchKind::kOtherSize, others, *usual_entry);
  }

  void add_differing(MismatchKind kind, const std::vector<Entry>& others, const Entry& usual) {
    if (others.empty()) return;
    std::vector<std::int32_t> ranks;
    for (const Entry& entry : others) ranks.push_back(digests_[entry.part.rank]->rank);
    const ExchangeCall& call = call_of(usual.part);
    add_mismatch(
        kind, classes_[usual.call_class].group, call, ranks,
        fmt::format("{}, not {}", call_text(call_of(others.front().part)), call_text(call)));
  }

  // Ranks that make calls of this class, but not this one.
  void find_missing(std::span<const Entry> entries) {
    const Entry& first = entries.front();
    const auto& recorded = recorded_[first.call_class];
    if (entries.size() == recorded.size()) return;
    std::vector<std::int32_t> missing;
    std::vector<std::int32_t> not_recorded;
    auto entry = entries.begin();
    for (const auto& [rank, range] : recorded) {
      if (entry != entries.end() && entry->part.rank == rank) {
        ++entry;
        continue;
      }
      const bool is_inside = first.number > range.first && first.number < range.last;
      (is_inside ? missing : not_recorded).push_back(digests_[rank]->rank);
    }
    const std::uint32_t group = classes_[first.call_class].group;
    const ExchangeCall& call = call_of(first.part);
    if (!missing.empty()) add_mismatch(MismatchKind::kMissing, group, call, missing);
    if (!not_recorded.empty()) add_mismatch(MismatchKind::kNotRecorded, group, call, not_recorded);
  }

  bool has_trace_of(std::int32_t rank) const {
    return std::ranges::binary_search(digests_, rank, {},
                                      [](const RankDigest* digest) { return digest->rank; });
  }

  void find_lone_peer(const Entry& entry) {
    const CallClass& call_class = classes_[entry.call_class];
    const std::int32_t own = digests_[entry.part.rank]->rank;
    const std::int32_t other = call_class.sender == own ? call_class.receiver : call_class.sender;
    const bool has_trace = has_trace_of(other);
    add_mismatch(has_trace ? MismatchKind::kMissing : MismatchKind::kNoTrace, call_class.group,
                 call_of(entry.part), {other});
  }

  void find_ranks_without_trace() {
    for (std::uint32_t group = 0; group < matching_.groups.size(); ++group) {
      std::vector<std::int32_t> without;
      for (const std::int32_t rank : matching_.groups[group].ranks) {
        if (!has_trace_of(rank)) {
          without.push_back(rank);
        }
      }
      if (without.empty()) continue;
      std::ranges::sort(without);
      Mismatch& found = mismatch(MismatchKind::kNoTrace, group, "", without);
      found.calls += static_cast<std::uint64_t>(
          std::ranges::count(matching_.exchanges, group, &MatchedExchange::group));
    }
  }

  // Who is concerned says what went wrong; of the other kinds, all ranks are told together.
  static bool is_by_ranks(MismatchKind kind) {
    return kind == MismatchKind::kOtherOrder || kind == MismatchKind::kOtherSize ||
           kind == MismatchKind::kMissing || kind == MismatchKind::kOtherCount;
  }

  // One for all calls that fail alike.
  Mismatch& mismatch(MismatchKind kind, std::uint32_t group, std::string_view exchange,
                     const std::vector<std::int32_t>& ranks) {
    const auto key = std::tuple(kind, group, std::string(exchange),
                                is_by_ranks(kind) ? ranks : std::vector<std::int32_t>());
    const auto [found, is_new] = mismatches_.try_emplace(key);
    Mismatch& mismatch = found->second;
    if (is_new) {
      mismatch.kind = kind;
      mismatch.group = label_of(matching_.groups[group]);
      mismatch.exchange = exchange;
    }
    for (const std::int32_t rank : ranks) {
      const auto place = std::ranges::lower_bound(mismatch.ranks, rank);
      if (place == mismatch.ranks.end() || *place != rank) mismatch.ranks.insert(place, rank);
    }
    return mismatch;
  }

  void add_mismatch(MismatchKind kind, std::uint32_t group, const ExchangeCall& call,
                    const std::vector<std::int32_t>& ranks, const std::string& text = "") {
    Mismatch& found = mismatch(kind, group, word_of(call.kind), ranks);
    if (found.calls++ > 0) return;
    found.first_sequence = call.sequence;
    found.first = text.empty() ? call_text(call) : text;
  }

  void finish_mismatches() {
    for (auto& [key, found] : mismatches_) matching_.mismatches.push_back(std::move(found));
  }

  std::span<const RankDigest* const> digests_;
  Matching matching_;
  std::vector<std::vector<std::uint32_t>> group_numbers_;  // per rank and group of its digest
  std::vector<CallClass> classes_;
  std::vector<std::map<std::uint32_t, Recorded>> recorded_;  // per class and rank
  std::set<std::uint32_t> has_other_count_;                  // classes
  std::vector<Entry> entries_;
  std::map<std::tuple<MismatchKind, std::uint32_t, std::string, std::vector<std::int32_t>>,
           Mismatch>
      mismatches_;
};

}  // namespace

std::string_view word_of(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::kOtherOrder:
      return "other order";
    case MismatchKind::kOtherSize:
      return "other size";
    case MismatchKind::kMissing:
      return "missing";
    case MismatchKind::kOtherCount:
      return "other count";
    case MismatchKind::kNoTrace:
      return "no trace";
    case MismatchKind::kNotRecorded:
      return "not recorded";
    case MismatchKind::kUnknownPeer:
      return "unknown peer";
    case MismatchKind::kUnknownGroup:
      return "unknown group";
  }
  return "missing";
}

Matching match_exchanges(std::span<const RankDigest* const> digests) {
  return Matcher(digests).match();
}

}  // namespace strobe::fleet
