#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/readers/event_fields.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/slice_kind.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// What is known about a trace before its events are loaded: enough to choose the dialect.
struct TraceHead {
  std::vector<std::pair<std::string, std::string>>
      members;                                  // top-level key, JSON text; up to the event array
  std::vector<std::string> categories;          // distinct, of the first events
  std::vector<std::string> argument_keys;       // distinct, of the first events
  std::vector<std::string> processes;           // distinct, of the first events: those with a name
  std::vector<std::string> process_names = {};  // distinct, as metadata events give them
  bool has_text_times = false;                  // a time of the first events is a string
};

struct CategoryRule {
  SliceKind kind = SliceKind::kOther;
  bool asks_name = false;  // the final kind or flags depend on the name: name_rule decides
  bool asks_args = false;  // it says too little: category_by_args tells the event's own one
};

// A table of categories; the first match decides.
struct CategoryRow {
  std::string_view category;
  CategoryRule rule;
};

struct NameRule {
  SliceKind kind = SliceKind::kOther;
  std::uint8_t flags = kNoFlags;
};

// One allocator event, read from an instant's arguments.
struct MemoryEvent {
  MemoryAction action = MemoryAction::kAllocate;
  std::string place;
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t allocated_bytes = -1;
  std::int64_t reserved_bytes = -1;
  std::int64_t peak_allocated_bytes = -1;
  std::int64_t peak_reserved_bytes = -1;
};

// Device work at time 0 or before. Where all else is far later, it has no time.
struct EarlyWork {
  std::uint32_t slice = 0;
  std::uint64_t byte_offset = 0;
};

// The order of the rows in the file, for writers that express ownership by it, and their relative
// times.
struct FileOrder {
  // Parallel to the slices; empty unless the dialect sets `has_relative_times`.
  std::vector<std::int64_t> relative_starts_ns;  // kNoTime where absent
  std::vector<std::int64_t> relative_ends_ns;
  std::vector<std::uint32_t>
      slices_before_memory;           // per memory event: how many slices the file had before it
  std::vector<EarlyWork> early_work;  // ascending by slice
};

// The properties of a writer, as data and small functions used by the one event reader. Null
// functions mean "unchanged".
struct Dialect {
  TraceTraits traits;
  bool (*recognises)(const TraceHead& head);
  CategoryRule (*category_rule)(std::string_view category);
  NameRule (*name_rule)(SliceKind kind, std::string_view category, std::string_view name) = nullptr;
  std::string_view (*plain_name)(std::string_view name) =
      nullptr;  // without the writer's decoration
  std::string_view (*plain_thread)(std::string_view thread) = nullptr;
  // True if all slices of a process are device work, whatever their category. Its threads are the
  // devices.
  bool (*is_device_process)(std::string_view process) = nullptr;
  // False if the instant is not an allocator event. Runs in the scanning threads.
  bool (*memory_event)(std::string_view category, std::string_view name, std::string_view args,
                       MemoryEvent& event) = nullptr;
  // The category of an event whose written one, or none, says too little: one of few. Runs in the
  // scanning threads. The report counts the written ones.
  std::string_view (*category_by_args)(const RawEvent& event) = nullptr;
  bool has_relative_times = false;
  bool zero_is_no_time = false;  // of device work: see untimed_work.h
  // What only the whole trace tells: kinds, tracks and launches. Before the launches are checked.
  void (*complete)(TraceBuilder& builder) = nullptr;
  // A final step over the merged columns, before they freeze.
  void (*finish)(TraceBuilder& builder, const FileOrder& order, ImportReport& report) = nullptr;
};

const Dialect& choose_dialect(const TraceHead& head);

extern const Dialect kKinetoDialect;
extern const Dialect kPaddleDialect;
extern const Dialect kAscendDialect;
extern const Dialect kAutogradDialect;
extern const Dialect kRocmDialect;
extern const Dialect kXlaDialect;
extern const Dialect kChromeDialect;

}  // namespace strobe::readers
