#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_cursor.h"
#include "strobe/base/result.h"
#include "strobe/tensorboard/events.h"

namespace strobe::tensorboard {

// The arguments of events that some view reads, by their names in the file.
enum class Arg : std::uint8_t {
  kExternalIdOld,
  kExternalId,
  kCorrelation,
  kOccupancy,
  kBlocksPerSm,
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kDevice,
  kDim,
  kDimX,
  kDimY,
  kDimZ,
  kKernelType,
  kTopology,
  kTopologyNode,
  kCallStack,
  kInputType,
  kInputDims,
  kInputDimsOld,
  kDeviceType,
  kDeviceId,
  kBytes,
  kAddress,
  kTotalAllocated,
  kTotalReserved,
  kPythonId,
  kPythonParentId,
  kPythonModuleId,
};
inline constexpr std::size_t kArgCount = 30;

// The arguments of one event, as views into the text. Null counts as missing.
class ArgValues {
 public:
  // Reads the next value of the text; anything but an object has no arguments.
  void read(JsonCursor& cursor);
  void clear() { present_ = 0; }

  JsonValue operator[](Arg arg) const {
    return (present_ >> index(arg) & 1) != 0 ? values_[index(arg)] : JsonValue{};
  }

 private:
  static std::size_t index(Arg arg) { return static_cast<std::size_t>(arg); }

  std::array<JsonValue, kArgCount> values_;
  std::uint32_t present_ = 0;
};

// A finite number, with its kind.
std::optional<Number> as_number(const JsonValue& value);
std::optional<std::int64_t> as_whole(const JsonValue& value);  // quoted or not
Link as_link(const JsonValue& value);
std::string decoded(const JsonValue& string);

// Adds a row to the table for events of this category, if there is anything to store; returns its
// number.
std::uint32_t keep_args(const ArgValues& args, Category category, Events& events);

// One end of an arrow from a forward operator to its backward one.
struct FlowEnd {
  StringId id;  // JSON text
  Number ts;
  bool is_start = false;
  bool is_cambricon = false;  // of the category `forward_backward`
};

// The content of a file: events of all categories that some variant knows, in file order, their
// types still unknown.
struct RawEvents {
  Events events;
  std::vector<FlowEnd> flows;
};

// `json` must be complete JSON, except for the errors that the plugin repaired.
Result<RawEvents> read_events(std::string_view json);

// The text that the events were read from, if the file itself was not JSON.
std::string quote_missing_values(std::string_view json);

}  // namespace strobe::tensorboard
