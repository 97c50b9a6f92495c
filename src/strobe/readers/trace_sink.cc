#include "strobe/readers/trace_sink.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/readers/classify.h"
#include "strobe/readers/start_order.h"

namespace strobe::readers {

TraceSink::TraceSink(const LoadOptions& options, std::uint64_t file_bytes)
    : options_(options), file_bytes_(file_bytes), keeps_args_(options.keep_args) {
  report.file_bytes = file_bytes;
  report.text_bytes = file_bytes;
}

StringId TraceSink::name(std::string_view text) {
  if (is_valid_utf8(text)) return builder.intern(text);
  const std::string repaired = sanitize_utf8(text);
  report.add(ImportIssue::kBadString, 0, repaired);
  return builder.intern(repaired);
}

SliceId TraceSink::add(TraceBuilder::SliceRow row, std::int64_t end_ns, std::uint64_t offset) {
  row.duration_ns = 0;
  const auto duration_ns =
      static_cast<std::uint64_t>(end_ns) - static_cast<std::uint64_t>(row.start_ns);
  if (end_ns < row.start_ns) {
    report.add(ImportIssue::kNegativeDuration, offset);
  } else if (duration_ns > static_cast<std::uint64_t>(kLongestDuration_ns)) {
    report.add(ImportIssue::kAbsurdTime, offset);
  } else {
    row.duration_ns = static_cast<std::int64_t>(duration_ns);
  }
  return builder.add_slice(row);
}

void TraceSink::add_instant(std::int64_t time_ns, StringId name, TrackId track, CategoryId category,
                            ArgsId its_args) {
  InstantVectors& instants = builder.instants();
  instants.times_ns.push_back(time_ns);
  instants.names.push_back(name);
  instants.tracks.push_back(track);
  instants.categories.push_back(category);
  instants.args.push_back(its_args);
}

void TraceSink::add_reservation(const Reservation& one) {
  const StringId words = builder.intern(one.is_free ? "free memory" : "allocate memory");
  add_instant(one.time_ns, words, one.track, builder.category("memory"), one.args);
  MemoryVectors& memory = builder.memory();
  const auto bytes = static_cast<std::int64_t>(one.bytes);
  memory.times_ns.push_back(one.time_ns);
  memory.tracks.push_back(one.track);
  memory.actions.push_back(one.is_free ? MemoryAction::kUnreserve : MemoryAction::kReserve);
  memory.places.push_back(one.place);
  memory.bytes.push_back(one.is_free ? -bytes : bytes);
  memory.addresses.push_back(one.address);
  memory.allocated_bytes.push_back(-1);
  memory.reserved_bytes.push_back(-1);
  memory.peak_allocated_bytes.push_back(-1);
  memory.peak_reserved_bytes.push_back(-1);
  memory.owners.emplace_back();
}

bool TraceSink::pulse(std::uint64_t units) {
  units_done_ = std::min(units_done_ + units, units_);
  if (options_.progress && units_ > 0) {
    const double share = static_cast<double>(units_done_) / static_cast<double>(units_);
    options_.progress(
        {static_cast<std::uint64_t>(share * static_cast<double>(file_bytes_)), file_bytes_});
  }
  const bool is_cancelled = options_.cancelled != nullptr && *options_.cancelled;
  return !is_cancelled && builder.slice_count() <= std::min(options_.most_events, kMostEvents);
}

Error TraceSink::why_stopped() const {
  if (options_.cancelled != nullptr && *options_.cancelled) {
    return {ErrorCode::kInterrupted, "loading was interrupted", "", ""};
  }
  return {ErrorCode::kMalformed,
          "the trace has more than " +
              counted(std::min(options_.most_events, kMostEvents), "event") +
              ", the most that strobe reads",
          "", "record a shorter time"};
}

void TraceSink::order_slices(std::size_t first) { order_by_start(builder.slices(), first); }

Trace TraceSink::finish() {
  tracks.name_all();
  builder.args() = args.finish();
  Trace trace = std::move(builder).build();
  check_launches(trace.slices(), report);
  count_events(trace);
  return trace;
}

void TraceSink::count_events(const Trace& trace) {
  count_by_category('X', trace, trace.slices().categories);
  count_by_category('i', trace, trace.instants().categories);
  count('C', "", trace.counters().size());
  if (report.event_count == 0) report.add(ImportIssue::kNoEvents, 0);
}

void TraceSink::count_by_category(char phase, const Trace& trace, const Column<CategoryId>& rows) {
  std::vector<std::uint64_t> counts(trace.categories().size());
  for_each_page(
      [&](std::size_t, auto categories) {
        for (const CategoryId category : categories) ++counts[category.index()];
      },
      rows);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count(phase, trace.strings()[trace.categories()[i].name], counts[i]);
  }
}

void TraceSink::count(char phase, std::string_view category, std::uint64_t events) {
  if (events == 0) return;
  report.events[{phase, std::string(category)}] += events;
  report.event_count += events;
}

}  // namespace strobe::readers
