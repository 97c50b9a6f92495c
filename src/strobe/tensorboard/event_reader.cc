#include "strobe/tensorboard/event_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_cursor.h"
#include "strobe/base/json_text.h"
#include "strobe/base/text.h"

namespace strobe::tensorboard {
namespace {

constexpr std::pair<std::string_view, Arg> kArgs[] = {
    {"external id", Arg::kExternalIdOld},
    {"External id", Arg::kExternalId},
    {"correlation", Arg::kCorrelation},
    {"est. achieved occupancy %", Arg::kOccupancy},
    {"blocks per SM", Arg::kBlocksPerSm},
    {"grid", Arg::kGrid},
    {"block", Arg::kBlock},
    {"registers per thread", Arg::kRegisters},
    {"shared memory", Arg::kSharedMemory},
    {"device", Arg::kDevice},
    {"dim", Arg::kDim},
    {"dimx", Arg::kDimX},
    {"dimy", Arg::kDimY},
    {"dimz", Arg::kDimZ},
    {"kernel type", Arg::kKernelType},
    {"tasktopo", Arg::kTopology},
    {"tasktopo_node", Arg::kTopologyNode},
    {"Call stack", Arg::kCallStack},
    {"Input type", Arg::kInputType},
    {"Input Dims", Arg::kInputDims},
    {"Input dims", Arg::kInputDimsOld},
    {"Device Type", Arg::kDeviceType},
    {"Device Id", Arg::kDeviceId},
    {"Bytes", Arg::kBytes},
    {"Addr", Arg::kAddress},
    {"Total Allocated", Arg::kTotalAllocated},
    {"Total Reserved", Arg::kTotalReserved},
    {"Python id", Arg::kPythonId},
    {"Python parent id", Arg::kPythonParentId},
    {"Python module id", Arg::kPythonModuleId},
};
static_assert(std::size(kArgs) == kArgCount);

std::optional<Arg> find_arg(std::string_view key) {
  for (const auto& [name, arg] : kArgs) {
    if (name.size() == key.size() && name == key) return arg;
  }
  return std::nullopt;
}

// A string keeps its quotes, so that types stay distinct.
StringId keep_json(const JsonValue& value, Events& events) {
  if (!value.present()) return {};
  if (value.type != JsonType::kString) return events.texts.intern(value.text);
  return events.texts.intern({value.text.data() - 1, value.text.size() + 2});
}

std::uint32_t keep_task_args(const ArgValues& args, Events& events) {
  const TaskArgs row{.dim = keep_json(args[Arg::kDim], events),
                     .dim_x = keep_json(args[Arg::kDimX], events),
                     .dim_y = keep_json(args[Arg::kDimY], events),
                     .dim_z = keep_json(args[Arg::kDimZ], events),
                     .kernel_type = keep_json(args[Arg::kKernelType], events),
                     .topology = keep_json(args[Arg::kTopology], events),
                     .topology_node = keep_json(args[Arg::kTopologyNode], events)};
  if (!row.dim.valid() && !row.dim_x.valid() && !row.dim_y.valid() && !row.dim_z.valid() &&
      !row.kernel_type.valid() && !row.topology.valid() && !row.topology_node.valid()) {
    return Event::kNoDetails;
  }
  events.task_args.push_back(row);
  return static_cast<std::uint32_t>(events.task_args.size() - 1);
}

std::uint32_t keep_kernel_args(const ArgValues& args, Events& events) {
  KernelArgs row;
  row.occupancy_percent = as_number(args[Arg::kOccupancy]);
  row.blocks_per_sm = as_number(args[Arg::kBlocksPerSm]);
  row.device = as_whole(args[Arg::kDevice]);
  row.grid = keep_json(args[Arg::kGrid], events);
  row.block = keep_json(args[Arg::kBlock], events);
  row.registers = keep_json(args[Arg::kRegisters], events);
  row.shared_memory = keep_json(args[Arg::kSharedMemory], events);
  row.task_row = keep_task_args(args, events);
  events.kernel_args.push_back(row);
  return static_cast<std::uint32_t>(events.kernel_args.size() - 1);
}

std::uint32_t keep_operator_args(const ArgValues& args, Events& events) {
  OperatorArgs row;
  const JsonValue stack = args[Arg::kCallStack];
  if (stack.type == JsonType::kString && !stack.text.empty()) {
    row.call_stack = events.texts.intern(decoded(stack));
  }
  row.input_types = keep_json(args[Arg::kInputType], events);
  const JsonValue dims = args[Arg::kInputDims];
  row.input_dims = keep_json(dims.present() ? dims : args[Arg::kInputDimsOld], events);
  if (!row.call_stack.valid() && !row.input_types.valid() && !row.input_dims.valid()) {
    return Event::kNoDetails;
  }
  events.operator_args.push_back(row);
  return static_cast<std::uint32_t>(events.operator_args.size() - 1);
}

std::uint32_t keep_memory_args(const ArgValues& args, Events& events) {
  MemoryArgs row;
  row.device_type = as_whole(args[Arg::kDeviceType]).value_or(row.device_type);
  row.device_id = as_whole(args[Arg::kDeviceId]).value_or(row.device_id);
  row.address = as_whole(args[Arg::kAddress]);
  const auto number = [&](Arg arg, double fallback) {
    const std::optional<Number> given = as_number(args[arg]);
    return given ? given->value : fallback;
  };
  row.bytes = number(Arg::kBytes, row.bytes);
  row.total_allocated = number(Arg::kTotalAllocated, row.total_allocated);
  row.total_reserved = number(Arg::kTotalReserved, row.total_reserved);
  events.memory_args.push_back(row);
  return static_cast<std::uint32_t>(events.memory_args.size() - 1);
}

std::uint32_t keep_python_args(const ArgValues& args, Events& events) {
  events.python_args.push_back({.id = as_whole(args[Arg::kPythonId]),
                                .parent_id = as_whole(args[Arg::kPythonParentId]),
                                .module_id = as_whole(args[Arg::kPythonModuleId])});
  return static_cast<std::uint32_t>(events.python_args.size() - 1);
}

}  // namespace

void ArgValues::read(JsonCursor& cursor) {
  clear();
  if (!cursor.begin_object()) {
    cursor.take();
    return;
  }
  std::string_view key;
  while (cursor.next_member(key)) {
    const JsonValue value = cursor.take();
    const std::optional<Arg> arg = find_arg(key);
    if (!arg) continue;
    const std::uint32_t bit = 1u << index(*arg);
    present_ = value.type == JsonType::kNull ? present_ & ~bit : present_ | bit;
    values_[index(*arg)] = value;
  }
}

std::optional<Number> as_number(const JsonValue& value) {
  const std::optional<double> number = value.as_double();
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return Number{*number, value.text.find_first_of(".eE") == std::string_view::npos};
}

std::optional<std::int64_t> as_whole(const JsonValue& value) { return value.unquoted().as_int64(); }

Link as_link(const JsonValue& value) { return as_whole(value).value_or(kNoLink); }

std::string decoded(const JsonValue& string) {
  return string.text.find('\\') == std::string_view::npos ? std::string(string.text)
                                                          : unescape(string.text);
}

std::uint32_t keep_args(const ArgValues& args, Category category, Events& events) {
  switch (category) {
    case Category::kKernel:
      return keep_kernel_args(args, events);
    case Category::kMemory:
      return keep_memory_args(args, events);
    case Category::kPythonFunction:
      return keep_python_args(args, events);
    case Category::kCpuOp:
    case Category::kOperator:
    case Category::kPython:
    case Category::kUserAnnotation:
    case Category::kGpuUserAnnotation:
    case Category::kMluUserAnnotation:
      return keep_operator_args(args, events);
    default:
      return Event::kNoDetails;
  }
}

namespace {

// The end of a recording and the begin of an iteration. Kineto once wrote the end with a clock of
// its own; that would extend the timeline over days, so it is left out.
struct Mark {
  bool is_window_end = false;
  std::optional<Number> ts;
  std::size_t begin = 0;  // bytes of the event in the text
  std::size_t end = 0;
  std::size_t row = 0;  // index in Events::all, if it was kept
  bool was_kept = false;
};

class EventReader {
 public:
  explicit EventReader(std::string_view json) : json_(json), cursor_(json) {}

  Result<RawEvents> read() {
    if (!cursor_.begin_object()) return malformed("its top level is not a JSON object");
    std::string_view key;
    bool has_events = false;
    while (cursor_.next_member(key)) {
      if (key == "traceEvents" && cursor_.peek() == JsonType::kArray) {
        read_all();
        has_events = true;
      } else if (key == "deviceProperties" && cursor_.peek() == JsonType::kArray) {
        read_devices();
      } else if (key == "Framework") {
        const JsonValue framework = cursor_.take();
        raw_.events.is_lightning =
            framework.type == JsonType::kString && framework.text == "pytorch-lightning";
      } else {
        cursor_.take();
      }
    }
    if (cursor_.failed() || !cursor_.at_end()) return malformed("it is not JSON from end to end");
    if (!has_events) return malformed("it has no `traceEvents`");
    drop_stray_window_end();
    return std::move(raw_);
  }

 private:
  static Error malformed(std::string what) {
    return {.code = ErrorCode::kMalformed, .what = std::move(what), .where = "", .hint = ""};
  }

  void read_all() {
    cursor_.begin_array();
    while (cursor_.next_element()) {
      cursor_.peek();
      const std::size_t begin = cursor_.offset();
      if (cursor_.begin_object()) {
        read_event(begin);
      } else {
        cursor_.take();
      }
    }
  }

  void read_event(std::size_t begin) {
    ph_ = cat_ = name_ = pid_ = tid_ = ts_ = dur_ = id_ = JsonValue{};
    args_.clear();
    std::string_view key;
    while (cursor_.next_member(key)) {
      if (key == "args") {
        args_.read(cursor_);
      } else if (JsonValue* const field = field_of(key)) {
        *field = cursor_.take();
      } else {
        cursor_.take();
      }
    }
    if (cursor_.failed()) return;
    if (cat_.text == "fwdbwd" || cat_.text == "forward_backward") return keep_flow();
    if (name_.type != JsonType::kString) return;
    const std::size_t rows = raw_.events.all.size();
    if (ph_.text == "i" && name_.text == "[memory]") {
      keep(Category::kMemory);
    } else if (ph_.text == "X" && cat_.type == JsonType::kString) {
      keep(known_category(cat_.text));
    }
    note_mark(begin, rows);
  }

  JsonValue* field_of(std::string_view key) {
    switch (key.size()) {
      case 2:
        return key == "ph" ? &ph_ : key == "ts" ? &ts_ : key == "id" ? &id_ : nullptr;
      case 3:
        return key == "cat"   ? &cat_
               : key == "pid" ? &pid_
               : key == "tid" ? &tid_
               : key == "dur" ? &dur_
                              : nullptr;
      case 4:
        return key == "name" ? &name_ : nullptr;
      default:
        return nullptr;
    }
  }

  Category known_category(std::string_view category) {
    constexpr std::size_t kLongest = 24;
    if (category.size() > kLongest) return Category::kOther;
    if (category == last_category_name_) return last_category_;
    last_category_name_.assign(category);
    return last_category_ = category_of(lower_case(category));
  }

  void keep(Category category) {
    if (category == Category::kOther) return;
    const std::optional<Number> ts = as_number(ts_);
    const std::optional<Number> dur =
        category == Category::kMemory ? Number::whole(0) : as_number(dur_);
    if (!ts || !dur) return;
    Events& events = raw_.events;
    Event event;
    event.ts_us = ts->value;
    event.has_whole_ts = ts->is_whole;
    event.dur_us = dur->value;
    event.has_whole_dur = dur->is_whole;
    event.category = category;
    event.name = intern_text(name_);
    event.pid = intern_place(pid_);
    event.tid = intern_place(tid_);
    const JsonValue old_ext = args_[Arg::kExternalIdOld];
    event.ext = as_link(old_ext.present() ? old_ext : args_[Arg::kExternalId]);
    event.corr = as_link(args_[Arg::kCorrelation]);
    event.details = keep_args(args_, category, events);
    events.all.push_back(event);
  }

  StringId intern_text(const JsonValue& string) {
    if (string.text.find('\\') == std::string_view::npos) {
      return raw_.events.texts.intern(string.text);
    }
    return raw_.events.texts.intern(decoded(string));
  }

  // pid and tid as in the file.
  StringId intern_place(const JsonValue& value) {
    if (!value.present()) return raw_.events.texts.intern("null");
    if (value.type != JsonType::kString) return raw_.events.texts.intern(value.text);
    return raw_.events.texts.intern({value.text.data() - 1, value.text.size() + 2});
  }

  void keep_flow() {
    const std::optional<Number> ts = as_number(ts_);
    const bool is_start = ph_.text == "s";
    if (!ts || !id_.present() || (!is_start && ph_.text != "f")) return;
    raw_.flows.push_back({.id = intern_place(id_),
                          .ts = *ts,
                          .is_start = is_start,
                          .is_cambricon = cat_.text == "forward_backward"});
  }

  void note_mark(std::size_t begin, std::size_t row) {
    const bool is_window_end = name_.text == "Record Window End";
    if (!is_window_end && !name_.text.starts_with("Iteration Start:")) return;
    marks_.push_back({.is_window_end = is_window_end,
                      .ts = as_number(ts_),
                      .begin = begin,
                      .end = cursor_.offset(),
                      .row = row,
                      .was_kept = row < raw_.events.all.size()});
  }

  void drop_stray_window_end() {
    const Mark* window_end = nullptr;
    const Mark* iteration = nullptr;
    for (auto mark = marks_.rbegin(); mark != marks_.rend() && !(window_end && iteration); ++mark) {
      (mark->is_window_end ? window_end : iteration) = &*mark;
    }
    constexpr double kDayMs = 86'400'000;
    if (!window_end || !iteration || !window_end->ts || !iteration->ts) return;
    if (window_end->ts->value - iteration->ts->value <= kDayMs) return;
    std::size_t begin = window_end->begin;
    std::size_t end = window_end->end;
    const std::size_t before = json_.find_last_not_of(" \t\r\n", begin - 1);
    const std::size_t after = json_.find_first_not_of(" \t\r\n", end);
    if (json_[before] == ',') {
      begin = before;
    } else if (json_[after] == ',') {
      end = after + 1;
    }
    raw_.events.repair.cut = {begin, end};
    if (!window_end->was_kept) return;
    raw_.events.all.erase(raw_.events.all.begin() + static_cast<std::ptrdiff_t>(window_end->row));
  }

  void read_devices() {
    raw_.events.device_properties.emplace();
    cursor_.begin_array();
    std::string_view key;
    while (cursor_.next_element()) {
      DeviceProperties& device = raw_.events.device_properties->emplace_back();
      if (!cursor_.begin_object()) {
        cursor_.take();
        continue;
      }
      while (cursor_.next_member(key)) {
        const JsonValue value = cursor_.take();
        if (key == "name" && value.type == JsonType::kString) device.name = decoded(value);
        if (key == "totalGlobalMem") device.total_global_memory = as_number(value);
        if (key == "totalMem(MiB)") device.total_memory_mib = as_number(value);
        if (key == "computeMajor") device.compute_major = as_number(value);
        if (key == "computeMinor") device.compute_minor = as_number(value);
      }
    }
  }

  std::string_view json_;
  JsonCursor cursor_;
  RawEvents raw_;
  std::vector<Mark> marks_;
  ArgValues args_;
  JsonValue ph_, cat_, name_, pid_, tid_, ts_, dur_, id_;
  std::string last_category_name_;
  Category last_category_ = Category::kOther;
};

}  // namespace

std::string quote_missing_values(std::string_view json) {
  constexpr std::string_view kMissing = "N/A";
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = json.find(kMissing); at != std::string_view::npos;
       at = json.find(kMissing, at + kMissing.size())) {
    const std::size_t after = at + kMissing.size();
    if ((at > 0 && json[at - 1] == '"') || (after < json.size() && json[after] == '"')) continue;
    out.append(json.substr(done, at - done)).append("\"N/A\"");
    done = after;
  }
  return out.append(json.substr(done));
}

Result<RawEvents> read_events(std::string_view json) {
  if (!is_valid_utf8(json)) {
    return Error{
        .code = ErrorCode::kMalformed, .what = "it is not valid UTF-8", .where = "", .hint = ""};
  }
  Result<RawEvents> raw = EventReader(json).read();
  if (raw || json.find("N/A") == std::string_view::npos) return raw;
  const std::string repaired = quote_missing_values(json);
  Result<RawEvents> second = EventReader(repaired).read();
  if (!second) return raw;
  second->events.repair.quotes_missing_values = true;
  return second;
}

}  // namespace strobe::tensorboard
