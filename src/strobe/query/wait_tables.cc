#include <algorithm>
#include <optional>

#include "strobe/query/table.h"

// Who waits for whom: rows that `strobe summary` shows, too.
namespace strobe::query {
namespace {

using analysis::IdleRow;
using analysis::RuntimeCallRow;
using analysis::StreamRow;
using analysis::TimeStat;

const IdleRow& idle_at(const TraceSource& source, std::size_t row) {
  return source.summary().waits.idle[row];
}
const RuntimeCallRow& call_row(const TraceSource& source, std::size_t row) {
  return source.summary().waits.calls[row];
}
const StreamRow& stream_at(const TraceSource& source, std::size_t row) {
  return source.summary().waits.streams[row];
}

std::optional<std::string_view> unless_empty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// A getter of a row's member.
template <class Row, class Member>
auto get(const Row& (*at)(const TraceSource&, std::size_t), Member Row::*member) {
  return [at, member](const TraceSource& source, std::size_t row) {
    return static_cast<std::int64_t>(at(source, row).*member);
  };
}

// The same of one that is inside another.
template <class Row, class Part, class Member>
auto get(const Row& (*at)(const TraceSource&, std::size_t), Part Row::*part, Member Part::*member) {
  return [at, part, member](const TraceSource& source, std::size_t row) {
    return static_cast<std::int64_t>(at(source, row).*part.*member);
  };
}

template <class Row>
auto get_text(const Row& (*at)(const TraceSource&, std::size_t), std::string Row::*member) {
  return [at, member](const TraceSource& source, std::size_t row) {
    return unless_empty(at(source, row).*member);
  };
}

Table idle_causes() {
  return {.name = "idle_causes",
          .meaning =
              "what the launching thread did while no device worked; the times add up to all "
              "idle time",
          .columns = {column("kind", "", "runtime_call, operator, range, data_loading, ...",
                             [](const TraceSource& source, std::size_t row) {
                               return analysis::word_of(idle_at(source, row).kind);
                             }),
                      column("name", "", "what it was in", get_text(idle_at, &IdleRow::name)),
                      column("inside", "", "for a call: the operator or range around it",
                             get_text(idle_at, &IdleRow::inside)),
                      column("source", "", "the script's frame around the longest",
                             get_text(idle_at, &IdleRow::source)),
                      column("gaps", "", "pauses that it took part in",
                             get(idle_at, &IdleRow::idle, &TimeStat::calls)),
                      column("idle", "ns", "idle time, each nanosecond in one row",
                             get(idle_at, &IdleRow::idle, &TimeStat::total_ns)),
                      column("idle_in_steps", "ns", "of that, inside steps",
                             get(idle_at, &IdleRow::in_steps_ns)),
                      column("idle_max", "ns", "the most in one pause",
                             get(idle_at, &IdleRow::idle, &TimeStat::max_ns)),
                      column("longest", "ns", "its longest stretch",
                             [](const TraceSource& source, std::size_t row) {
                               return idle_at(source, row).longest.length_ns();
                             }),
                      column("longest_start", "ns", "when that began",
                             [](const TraceSource& source, std::size_t row) {
                               return idle_at(source, row).longest.start_ns;
                             })},
          .rows = [](const TraceSource& source) { return source.summary().waits.idle.size(); }};
}

Table runtime_calls() {
  return {
      .name = "runtime_calls",
      .meaning = "runtime calls by name; time of a name that is nested in itself counts once",
      .columns = {column("name", "", "the call",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(call_row(source, row).name);
                         }),
                  column("calls", "", "how many",
                         get(call_row, &RuntimeCallRow::host, &TimeStat::calls)),
                  column("total", "ns", "their time",
                         get(call_row, &RuntimeCallRow::host, &TimeStat::total_ns)),
                  column("median", "ns", "of one call", get(call_row, &RuntimeCallRow::median_ns)),
                  column("longest", "ns", "of one call",
                         get(call_row, &RuntimeCallRow::host, &TimeStat::max_ns)),
                  column("shortest", "ns", "of one call",
                         get(call_row, &RuntimeCallRow::host, &TimeStat::min_ns)),
                  column("in_steps", "ns", "of the total, inside steps",
                         get(call_row, &RuntimeCallRow::in_steps_ns)),
                  column("device_idle", "ns", "of the total, while no device worked",
                         get(call_row, &RuntimeCallRow::device_idle_ns)),
                  column("longest_start", "ns", "when the longest began",
                         [](const TraceSource& source, std::size_t row) {
                           return call_row(source, row).longest.start_ns;
                         }),
                  column("longest_inside", "", "the operator or range around the longest",
                         get_text(call_row, &RuntimeCallRow::longest_inside))},
      .rows = [](const TraceSource& source) { return source.summary().waits.calls.size(); }};
}

const analysis::HostThreadRow& thread_at(const TraceSource& source, std::size_t row) {
  return source.summary().threads[row];
}

Table threads() {
  using Row = analysis::HostThreadRow;
  return {.name = "threads",
          .meaning = "threads of the host that did something, and asynchronous tracks",
          .columns = {column("process", "", "as written",
                             [](const TraceSource& source, std::size_t row) {
                               return std::string_view(thread_at(source, row).process);
                             }),
                      column("thread", "", "as written",
                             [](const TraceSource& source, std::size_t row) {
                               return std::string_view(thread_at(source, row).thread);
                             }),
                      column("name", "", "absent if the trace gives none",
                             get_text(thread_at, &Row::name)),
                      column("async", "", "whether it is an asynchronous track",
                             [](const TraceSource& source, std::size_t row) {
                               return thread_at(source, row).is_async;
                             }),
                      column("ranges", "", "how many start in it", get(thread_at, &Row::ranges)),
                      column("busy", "ns", "in at least one range or runtime call",
                             get(thread_at, &Row::busy_ns)),
                      column("host_time", "ns",
                             "the same with the time of these after the span; shares of host time "
                             "are shares of its sum",
                             get(thread_at, &Row::host_time_ns))},
          .rows = [](const TraceSource& source) { return source.summary().threads.size(); }};
}

// What is known of works whose call is.
template <class Member>
auto of_launches(Member StreamRow::*member) {
  return [member](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
    const StreamRow& stream = stream_at(source, row);
    if (stream.with_launch == 0) return std::nullopt;
    return static_cast<std::int64_t>(stream.*member);
  };
}

std::optional<double> mean_queue(const StreamRow& stream) {
  if (stream.with_launch == 0) return std::nullopt;
  return stream.mean_queue;
}

// The stream in the summary without the start-up.
const StreamRow* steady_row(const TraceSource& source, const StreamRow& stream) {
  const auto& steady = source.summary().steady;
  if (steady == nullptr) return nullptr;
  const auto& rows = steady->waits.streams;
  const auto found = std::ranges::find_if(rows, [&](const StreamRow& row) {
    return row.device == stream.device && row.stream == stream.stream;
  });
  return found == rows.end() ? nullptr : &*found;
}

Table streams() {
  return {
      .name = "streams",
      .meaning = "streams of devices: launch delay and queue",
      .columns = {column("device", "", "the number of the device",
                         [](const TraceSource& source, std::size_t row) {
                           return stream_at(source, row).device;
                         }),
                  column("stream", "", "as the trace names it",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(stream_at(source, row).stream);
                         }),
                  column("works", "", "kernels, copies and memsets",
                         get(stream_at, &StreamRow::works)),
                  column("busy", "ns", "time in which it worked",
                         get(stream_at, &StreamRow::busy_ns)),
                  column("with_launch", "", "works whose call is known; delays are about these",
                         get(stream_at, &StreamRow::with_launch)),
                  column("median_delay", "ns", "from the end of the call to the start of the work",
                         of_launches(&StreamRow::median_delay_ns)),
                  column("p90_delay", "ns", "nine of ten are shorter",
                         of_launches(&StreamRow::p90_delay_ns)),
                  column("max_delay", "ns", "the longest", of_launches(&StreamRow::max_delay_ns)),
                  column("max_delay_at", "ns", "the start of that work",
                         of_launches(&StreamRow::max_delay_at_ns)),
                  column("longest_queue", "", "works launched and not started, at one time",
                         of_launches(&StreamRow::longest_queue)),
                  column("mean_queue", "", "the same over the span",
                         [](const TraceSource& source, std::size_t row) {
                           return mean_queue(stream_at(source, row));
                         }),
                  column("steady_mean_queue", "", "the same after a start-up, if there is one",
                         [](const TraceSource& source, std::size_t row) -> std::optional<double> {
                           const StreamRow* steady = steady_row(source, stream_at(source, row));
                           return steady == nullptr ? std::nullopt : mean_queue(*steady);
                         })},
      .rows = [](const TraceSource& source) { return source.summary().waits.streams.size(); }};
}

}  // namespace

std::vector<Table> wait_tables() { return {idle_causes(), runtime_calls(), threads(), streams()}; }

}  // namespace strobe::query
