#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/readers/track_finder.h"
#include "strobe/trace/allocator_snapshot.h"
#include "strobe/trace/args_store.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers {

// A trace while the rows of a file are put into it: for every format that is not an array of JSON
// events.
class TraceSink {
 public:
  explicit TraceSink(const LoadOptions& options, std::uint64_t file_bytes = 0);
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;

  TraceBuilder builder;
  TrackFinder tracks{builder};
  ImportReport report;
  ArgsWriter args;
  std::shared_ptr<const AllocatorSnapshot> snapshot;  // if the file is one

  // Interns the name of something. What is not valid UTF-8 is replaced, and reported.
  StringId name(std::string_view text);
  // The arguments of a slice or instant, a JSON object; nothing if arguments are not kept.
  ArgsId keep(std::string_view json) {
    return keeps_args_ && !json.empty() ? args.add(json) : ArgsId();
  }
  bool keeps_args() const { return keeps_args_; }

  // Adds a slice that ends at `end_ns`. A duration that cannot be becomes 0 and is reported with
  // its place in the file.
  SliceId add(TraceBuilder::SliceRow row, std::int64_t end_ns, std::uint64_t offset = 0);

  void add_instant(std::int64_t time_ns, StringId name, TrackId track, CategoryId category,
                   ArgsId its_args = {});

  // Memory that a program took from the driver, or gave back.
  struct Reservation {
    std::int64_t time_ns = 0;
    bool is_free = false;
    StringId place;
    std::uint64_t bytes = 0;
    std::uint64_t address = 0;
    TrackId track;
    ArgsId args = {};
  };
  void add_reservation(const Reservation& one);

  // How much work there is to read, in rows or bytes; and that some of it is done. False: reading
  // must end, and why_stopped() says why.
  void expect(std::uint64_t units) { units_ = units; }
  bool pulse(std::uint64_t units);
  Error why_stopped() const;

  // Orders the slices of each track by their starts, from row `first` on. Rows that are referred to
  // by their number are added afterwards, or before `first`.
  void order_slices(std::size_t first = 0);
  // Names the tracks, checks the launches, counts the events. The sink is empty afterwards, but for
  // the report.
  Trace finish();

 private:
  void count_events(const Trace& trace);
  void count_by_category(char phase, const Trace& trace, const Column<CategoryId>& rows);
  void count(char phase, std::string_view category, std::uint64_t events);

  const LoadOptions& options_;
  std::uint64_t file_bytes_;
  bool keeps_args_;
  std::uint64_t units_ = 0;
  std::uint64_t units_done_ = 0;
};

}  // namespace strobe::readers
