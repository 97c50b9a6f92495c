#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/protobuf_stream.h"
#include "strobe/base/string_pool.h"
#include "strobe/readers/by_id.h"

namespace strobe::readers::xplane {

// What a statistic says, as far as the reader needs to know.
enum class StatMeaning : std::uint8_t {
  kOther,        // an argument for people
  kCorrelation,  // joins a call with its work
  kCopy,         // "kind_src:pinned kind_dst:device size:4 ...": the event is a copy
  kSet,          // "num_bytes:4 ...": the event is a memset
  kKernel,       // "regs:168 ... grid:2,66,1 block:384,1,1 ..."
  kStep,         // the number of a step
  kOperator,     // the operator of the model that the event runs
  kProducerType,
  kProducer,
  kConsumerType,
  kConsumer,
  kRepeated,   // says again what the event's own fields say
  kAllocator,  // these are of allocator events
  kAllocated,
  kReserved,
  kPeak,
  kBlockBytes,
  kAddress,
};

struct StatName {
  std::string_view text;
  std::string_view json_key;  // ,"its text":
  StatMeaning meaning = StatMeaning::kOther;
};

struct EventName {
  std::string_view name;
  std::string_view display;  // shorter, for people; may be empty
  std::string_view stats;    // the statistics that all its events share, as in the file
  bool is_known = false;
};

// A plane without its lines: read in a first pass, because the file has it before or behind them.
struct PlaneNames {
  std::string_view name;
  std::uint64_t lines = 0;
  ById<EventName> events;
  ById<StatName> stats;
  std::vector<std::string> own_stats;  // of the plane itself, as in the file
};

struct SpaceNames {
  StringPool texts;  // the names are views into it
  std::vector<PlaneNames> planes;
};

// Reads all planes of the file. What is wrong with it is left to the pass that reads the events.
void read_names(ProtobufStream& stream, SpaceNames& names);

// One statistic.
struct Stat {
  enum class Kind : std::uint8_t { kNone, kReal, kUnsigned, kSigned, kText, kBytes };
  const StatName* name = nullptr;  // nullptr if it has none
  Kind kind = Kind::kNone;
  std::uint64_t number = 0;  // or the bits of a real number
  std::string_view text;

  double real() const;
  std::int64_t signed_number() const { return static_cast<std::int64_t>(number); }
};
Stat read_stat(std::string_view message, const PlaneNames& plane);

}  // namespace strobe::readers::xplane
