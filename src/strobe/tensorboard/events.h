#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/id.h"
#include "strobe/base/string_pool.h"
#include "strobe/tensorboard/number.h"
#include "strobe/tensorboard/variant.h"

// The events of a trace file that the plugin uses, by time.
namespace strobe::tensorboard {

struct EventTag;
using EventId = Id<EventTag>;

// External ids and correlations; whole numbers, quoted or not.
using Link = std::int64_t;
inline constexpr Link kNoLink = std::numeric_limits<Link>::min();

struct Event {
  double ts_us = 0;
  double dur_us = 0;  // 0 for memory events
  Link ext = kNoLink;
  Link corr = kNoLink;
  StringId name;
  StringId pid;  // JSON text as in the file, a string with its quotes
  StringId tid;
  std::uint32_t details = kNoDetails;  // row of the table of its type
  EventType type = EventType::kNone;
  Category category = Category::kOther;
  bool has_whole_ts = true;
  bool has_whole_dur = true;

  static constexpr std::uint32_t kNoDetails = std::numeric_limits<std::uint32_t>::max();

  Number start() const { return {ts_us, has_whole_ts}; }
  Number duration() const { return {dur_us, has_whole_dur}; }
  Number end() const { return start() + duration(); }
};

// Arguments of Kernel events. Texts are JSON as in the file, invalid if missing or null.
struct KernelArgs {
  std::optional<Number> occupancy_percent;
  std::optional<Number> blocks_per_sm;
  std::optional<std::int64_t> device;
  StringId grid;
  StringId block;
  StringId registers;
  StringId shared_memory;
  std::uint32_t task_row = Event::kNoDetails;  // of Events::task_args
};

// Arguments of Cambricon's kernels, JSON as in the file.
struct TaskArgs {
  StringId dim;
  StringId dim_x;
  StringId dim_y;
  StringId dim_z;
  StringId kernel_type;
  StringId topology;       // `tasktopo`
  StringId topology_node;  // `tasktopo_node`
};

// Arguments of operators and annotations; only events that have any get a row.
struct OperatorArgs {
  StringId call_stack;   // plain text; invalid if missing or empty
  StringId input_types;  // JSON
  StringId input_dims;   // JSON; missing means []
};

struct MemoryArgs {
  std::int64_t device_type = -1;
  std::int64_t device_id = -1;
  double bytes = 0;
  std::optional<std::int64_t> address;
  double total_allocated = std::numeric_limits<double>::quiet_NaN();
  double total_reserved = std::numeric_limits<double>::quiet_NaN();
};

// Arguments of python_function and Module events.
struct PythonArgs {
  std::optional<std::int64_t> id;
  std::optional<std::int64_t> parent_id;
  std::optional<std::int64_t> module_id;
};

// Facts about one device from the header; absent fields are missing.
struct DeviceProperties {
  std::optional<std::string> name;
  std::optional<Number> total_global_memory;  // bytes
  std::optional<Number> total_memory_mib;     // `totalMem(MiB)`, Cambricon's
  std::optional<Number> compute_major;
  std::optional<Number> compute_minor;
};

// Changes that must be made to the text again before the `trace` view can serve it.
struct TextRepair {
  bool quotes_missing_values = false;                      // N/A became "N/A"
  std::optional<std::pair<std::size_t, std::size_t>> cut;  // bytes [first, second) left out
};

struct Events {
  std::vector<Event> all;  // sorted by ts, ties in file order
  std::vector<KernelArgs> kernel_args;
  std::vector<TaskArgs> task_args;
  std::vector<OperatorArgs> operator_args;
  std::vector<MemoryArgs> memory_args;
  std::vector<PythonArgs> python_args;
  StringPool texts;

  // Forward start ts -> backward start ts, in order of the forward starts in the file; each start
  // once.
  std::vector<std::pair<Number, Number>> forward_backward;

  std::optional<std::vector<DeviceProperties>> device_properties;
  bool is_lightning = false;
  TextRepair repair;

  const Event& operator[](EventId id) const { return all[id.index()]; }
  std::string_view text(StringId id) const { return texts[id]; }
  // The row in the type's table, or a default row if there is none.
  const KernelArgs& kernel(const Event& event) const;
  const OperatorArgs& operators(const Event& event) const;
  const MemoryArgs& memory(const Event& event) const;
  const PythonArgs& python(const Event& event) const;
  Number first_ts() const;  // `profiler_start`; 0 without events
  // repr(shape): "[]" if there is none.
  std::string input_shape(const Event& event) const;
};

// A device by its id; null if the header does not list it.
const DeviceProperties* properties_of(const Events& events, std::int64_t device);

// The number of a thread; `tid` is JSON text. Nothing if it is not a number, quoted or not.
std::optional<std::int64_t> thread_number(std::string_view tid);
inline bool is_quoted(std::string_view json) { return json.starts_with('"'); }

}  // namespace strobe::tensorboard
