#include "strobe/fleet/digest/exchange_kind.h"

#include <array>
#include <string>

#include "strobe/base/text.h"

namespace strobe::fleet {
namespace {

// The letters of a name's last part, in lower case: "nccl:_all_gather_base" gives "allgatherbase".
std::string letters_of(std::string_view name) {
  name = name.substr(0, name.find_first_of("(<"));
  if (const auto colon = name.rfind(':'); colon != std::string_view::npos) {
    name.remove_prefix(colon + 1);
  }
  std::string letters;
  for (const char c : name) {
    if (is_letter(c)) letters.push_back(lower(c));
  }
  return letters;
}

struct KindWord {
  std::string_view word;
  ExchangeKind kind;
};

// The first that a name contains decides.
constexpr std::array kKindWords = std::to_array<KindWord>({
    {"alltoall", ExchangeKind::kAllToAll},
    {"allreduce", ExchangeKind::kAllReduce},
    {"crossdevicereduce", ExchangeKind::kAllReduce},  // of serving engines
    {"allgather", ExchangeKind::kAllGather},
    {"reducescatter", ExchangeKind::kReduceScatter},
    {"broadcast", ExchangeKind::kBroadcast},
    {"bcast", ExchangeKind::kBroadcast},
    {"barrier", ExchangeKind::kBarrier},
    {"sendrecv", ExchangeKind::kSendReceive},
    {"sendreceive", ExchangeKind::kSendReceive},
    {"reduce", ExchangeKind::kReduce},
    {"gather", ExchangeKind::kGather},
    {"scatter", ExchangeKind::kScatter},
    {"recv", ExchangeKind::kReceive},
    {"receive", ExchangeKind::kReceive},
    {"send", ExchangeKind::kSend},
});

struct ElementType {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array kElementTypes = std::to_array<ElementType>({
    {"double", 8}, {"float64", 8},  {"long", 8},         {"longint", 8},
    {"int64", 8},  {"uint64", 8},   {"complexfloat", 8}, {"complexdouble", 16},
    {"float", 4},  {"float32", 4},  {"int", 4},          {"int32", 4},
    {"uint32", 4}, {"half", 2},     {"float16", 2},      {"bfloat16", 2},
    {"short", 2},  {"shortint", 2}, {"int16", 2},        {"uint16", 2},
    {"byte", 1},   {"char", 1},     {"signedchar", 1},   {"unsignedchar", 1},
    {"bool", 1},   {"int8", 1},     {"uint8", 1},
});

}  // namespace

std::string_view word_of(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::kAllReduce:
      return "all_reduce";
    case ExchangeKind::kAllGather:
      return "all_gather";
    case ExchangeKind::kReduceScatter:
      return "reduce_scatter";
    case ExchangeKind::kAllToAll:
      return "all_to_all";
    case ExchangeKind::kBroadcast:
      return "broadcast";
    case ExchangeKind::kReduce:
      return "reduce";
    case ExchangeKind::kGather:
      return "gather";
    case ExchangeKind::kScatter:
      return "scatter";
    case ExchangeKind::kBarrier:
      return "barrier";
    case ExchangeKind::kSend:
      return "send";
    case ExchangeKind::kReceive:
      return "receive";
    case ExchangeKind::kSendReceive:
      return "send_receive";
    case ExchangeKind::kOther:
      return "other";
  }
  return "other";
}

ExchangeKind exchange_kind(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const KindWord& entry : kKindWords) {
    if (letters.find(entry.word) != std::string::npos) return entry.kind;
  }
  return ExchangeKind::kOther;
}

bool leave_together(ExchangeKind kind) {
  return kind == ExchangeKind::kAllReduce || kind == ExchangeKind::kAllGather ||
         kind == ExchangeKind::kReduceScatter || kind == ExchangeKind::kAllToAll ||
         kind == ExchangeKind::kBarrier;
}

bool has_one_size(ExchangeKind kind) {
  return kind == ExchangeKind::kAllReduce || kind == ExchangeKind::kAllGather ||
         kind == ExchangeKind::kReduceScatter || kind == ExchangeKind::kBroadcast ||
         kind == ExchangeKind::kReduce || kind == ExchangeKind::kBarrier;
}

double bus_factor(ExchangeKind kind, std::size_t ranks) {
  if (ranks < 2) return 1;
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case ExchangeKind::kAllReduce:
      return 2 * (n - 1) / n;
    case ExchangeKind::kAllGather:
    case ExchangeKind::kReduceScatter:
    case ExchangeKind::kAllToAll:
    case ExchangeKind::kGather:
    case ExchangeKind::kScatter:
      return (n - 1) / n;
    default:
      return 1;
  }
}

std::uint64_t element_bytes(std::string_view type) {
  if (const auto colon = type.rfind(':'); colon != std::string_view::npos) {
    type.remove_prefix(colon + 1);
  }
  std::string name;
  for (const char c : type) {
    if (is_letter_or_digit(c)) name.push_back(lower(c));
  }
  if (name.starts_with("float8")) return 1;
  for (const ElementType& entry : kElementTypes) {
    if (name == entry.name) return entry.bytes;
  }
  return 0;
}

}  // namespace strobe::fleet
