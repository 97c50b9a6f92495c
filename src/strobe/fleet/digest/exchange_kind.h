#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// What ranks exchange, in words that all libraries share.
namespace strobe::fleet {

enum class ExchangeKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kBarrier,
  kSend,
  kReceive,
  kSendReceive,  // between two ranks, or many such at once
  kOther,
};
std::string_view word_of(ExchangeKind kind);  // "all_reduce"

// By the name of an operator, a range, a kernel, or what a framework calls its collective.
ExchangeKind exchange_kind(std::string_view name);

constexpr bool is_between_two(ExchangeKind kind) {
  return kind == ExchangeKind::kSend || kind == ExchangeKind::kReceive ||
         kind == ExchangeKind::kSendReceive;
}
// Nobody leaves such a collective before all have come: who only sends in others may.
bool leave_together(ExchangeKind kind);
// Whether every rank of one must give the same number of bytes.
bool has_one_size(ExchangeKind kind);

// Bus bandwidth is so many times the bandwidth bytes / time: what a link carries, as the public
// benchmarks of these libraries count it. `ranks`: those that take part.
double bus_factor(ExchangeKind kind, std::size_t ranks);

// Of an element type as frameworks write it: "c10::Half", "BFloat16", "float". 0: not known.
std::uint64_t element_bytes(std::string_view type);

}  // namespace strobe::fleet
