#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "strobe/report/render/format.h"
#include "strobe/report/render/idle_label.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::IdleKind;
using analysis::IdleRow;
using analysis::RuntimeCallRow;
using analysis::SortKey;
using analysis::StreamRow;
using analysis::TimeStat;
using analysis::Waits;
using device::RuntimeCall;

std::string_view purpose_word(RuntimeCall purpose) {
  switch (purpose) {
    case RuntimeCall::kLaunch:
      return "launch";
    case RuntimeCall::kCopy:
      return "copy";
    case RuntimeCall::kSynchronize:
      return "synchronize";
    case RuntimeCall::kAllocate:
      return "allocate";
    case RuntimeCall::kFree:
      return "free";
    case RuntimeCall::kLoadCode:
      return "load_code";
    default:
      return "other";
  }
}

const std::string& name_to_match(const RuntimeCallRow& row) { return row.name; }
std::string name_to_match(const IdleRow& row) { return idle_label(row.kind, row.name); }
const TimeStat& stat_of(const RuntimeCallRow& row) { return row.host; }
const TimeStat& stat_of(const IdleRow& row) { return row.idle; }

// These rows have host time only, so the keys of the device mean the total.
double sort_key(const TimeStat& stat, SortKey key) {
  switch (key) {
    case SortKey::kHostAverage:
      return stat.average_ns();
    case SortKey::kHostMax:
      return static_cast<double>(stat.max_ns);
    case SortKey::kHostMin:
      return -static_cast<double>(stat.min_ns);
    default:
      return static_cast<double>(stat.total_ns);
  }
}

template <class WaitRow>
struct ShownWaits {
  std::vector<const WaitRow*> rows;
  Omitted cut;
  Omitted filtered;
};

template <class WaitRow>
ShownWaits<WaitRow> shown_waits(const std::vector<WaitRow>& rows,
                                const analysis::TableOptions& options) {
  ShownWaits<WaitRow> shown;
  const auto omit = [](Omitted& omitted, const WaitRow& row) {
    ++omitted.rows;
    omitted.time_ns += stat_of(row).total_ns;
  };
  for (const WaitRow& row : rows) {
    if (options.keeps_name && !options.keeps_name(name_to_match(row))) {
      omit(shown.filtered, row);
    } else {
      shown.rows.push_back(&row);
    }
  }
  std::ranges::stable_sort(shown.rows, std::greater<>(), [&](const WaitRow* row) {
    return sort_key(stat_of(*row), options.sort);
  });
  if (options.top == 0 || shown.rows.size() <= options.top) return shown;
  for (std::size_t i = options.top; i < shown.rows.size(); ++i) omit(shown.cut, *shown.rows[i]);
  shown.rows.resize(options.top);
  return shown;
}

// Finds the rank that the longest stretch of a merged row comes from.
class LongestPlaces {
 public:
  template <class WaitRow>
  LongestPlaces(const SummaryInput& input, std::vector<WaitRow> Waits::*rows) {
    for (const RankInput& rank : input.ranks) {
      for (const WaitRow& row : rank.summary->waits.*rows) ranks_.emplace(key_of(row), &rank);
    }
  }

  template <class WaitRow>
  Cell rank(const WaitRow& row) const {
    const auto found = ranks_.find(key_of(row));
    return found == ranks_.end() ? Cell{Absent{}} : Cell{Text{found->second->name}};
  }
  template <class WaitRow>
  Cell start(const WaitRow& row) const {
    const auto found = ranks_.find(key_of(row));
    if (found == ranks_.end()) return Absent{};
    return Duration{since_origin_ns(*found->second, row.longest.start_ns)};
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::string_view>;
  template <class WaitRow>
  static Key key_of(const WaitRow& row) {
    return {row.longest.start_ns, row.longest.end_ns, row.name};
  }

  std::map<Key, const RankInput*> ranks_;
};

Column in_steps_column(const SummaryInput& input) {
  return {.key = "in_steps_ns",
          .header = "in\n" + input.step_word() + "s",
          .type = ColumnType::kDuration,
          .importance = 4,
          .for_tools = !input.merged.has_steps};
}

Column rank_of_longest_column(const SummaryInput& input) {
  return {.key = "longest_rank",
          .header = "of rank",
          .type = ColumnType::kName,
          .importance = 3,
          .for_tools = input.ranks.size() < 2,
          .least_width = 8};
}

std::string idle_lead(const SummaryInput& input) {
  const Waits& waits = input.merged.waits;
  std::string lead =
      "No " + input.device + " of the trace worked for " + input.duration(waits.idle_ns) + ", " +
      cell_text(share_of(waits.idle_ns, spans_ns(input))) + " of the " + span_words(input);
  if (input.merged.has_steps && !input.is_part()) {
    lead += "; " + input.duration(waits.idle_in_steps_ns) + " of it in " + input.step_word() + "s";
    const WarmUpTime warm_up = warm_up_time(input);
    if (warm_up.idle_ns > 0) lead += ", " + input.duration(warm_up.idle_ns) + " in their warm-up";
  }
  return lead +
         ". Each nanosecond counts once, by what the thread that launched the next work was doing.";
}

}  // namespace

Section idle_section(const SummaryInput& input) {
  const Waits& waits = input.merged.waits;
  Section section;
  section.key = "idle";
  section.title = "What the host did while the " + input.device + " was idle";
  section.lead = idle_lead(input);
  section.table.columns = {{.key = "label",
                            .header = "the host was in",
                            .type = ColumnType::kName,
                            .importance = 9,
                            .least_width = 18},
                           tool_column("word", ColumnType::kText),
                           tool_column("name", ColumnType::kName),
                           {.key = "inside",
                            .header = "inside",
                            .type = ColumnType::kName,
                            .importance = 7,
                            .least_width = 14},
                           {"gaps", "gaps", ColumnType::kCount, 2},
                           {"idle_total_ns", "idle\ntotal", ColumnType::kDuration, 8},
                           {.key = "idle_share",
                            .header = "share of\nidle",
                            .type = ColumnType::kShare,
                            .importance = 6,
                            .share_of = "idle time of the " + input.device},
                           in_steps_column(input),
                           {"idle_max_ns", "longest", ColumnType::kDuration, 7},
                           {"longest_at_ns", "starts\nat", ColumnType::kDuration, 6},
                           rank_of_longest_column(input),
                           {"source", "called from", ColumnType::kName, 1}};
  section.for_tools = !input.has_device && input.shows_all_views();
  const LongestPlaces places(input, &Waits::idle);
  const auto shown = shown_waits(waits.idle, input.options);
  for (const IdleRow* row : shown.rows) {
    section.table.rows.push_back(
        {{Text{idle_label(row->kind, row->name)}, Text{std::string(analysis::word_of(row->kind))},
          text_or_absent(row->name), text_or_absent(row->inside), Count{row->idle.calls},
          Duration{row->idle.total_ns}, share_of(row->idle.total_ns, waits.idle_ns),
          Duration{row->in_steps_ns}, Duration{row->longest.length_ns()}, places.start(*row),
          places.rank(*row), text_or_absent(row->source)},
         RowStyle::kPlain});
  }
  say_left_out(section, input, shown.cut, shown.filtered, "idle time", "cause");
  return section;
}

namespace {

// A few calls, mostly the first ones, take so long that the average tells nothing of the others.
bool has_misleading_average(const RuntimeCallRow* row) {
  return row->host.average_ns() > 2 * static_cast<double>(row->median_ns);
}

}  // namespace

Section runtime_call_section(const SummaryInput& input) {
  const std::int64_t host_ns = host_time_ns(input);
  const auto shown = shown_waits(input.merged.waits.calls, input.options);
  const bool needs_median = std::ranges::any_of(shown.rows, has_misleading_average);
  Section section;
  section.key = "runtime_calls";
  section.title = "Runtime calls";
  section.lead =
      "Calls into the device's runtime and driver, by name. The share is their total divided by "
      "the host time of all threads" +
      (input.has_device ? "; " + input.device + " idle is the part of the total in which no " +
                              input.device + " worked."
                        : std::string("."));
  section.table.columns = {{"call", "call", ColumnType::kName, 9},
                           tool_column("purpose", ColumnType::kText),
                           {"calls", "calls", ColumnType::kCount, 5},
                           {"host_total_ns", "host\ntotal", ColumnType::kDuration, 8},
                           {.key = "host_share",
                            .header = "share of\nhost time",
                            .type = ColumnType::kShare,
                            .importance = 3,
                            .share_of = host_time_words(input)},
                           in_steps_column(input),
                           {.key = "device_idle_ns",
                            .header = input.device + "\nidle",
                            .type = ColumnType::kDuration,
                            .importance = 6,
                            .for_tools = !input.has_device},
                           {"host_per_call_ns", "per call", ColumnType::kDuration, 2},
                           {.key = "host_median_ns",
                            .header = "median",
                            .type = ColumnType::kDuration,
                            .importance = 5,
                            .for_tools = !needs_median},
                           {"host_max_ns", "longest", ColumnType::kDuration, 7},
                           tool_column("host_min_ns", ColumnType::kDuration),
                           {"longest_at_ns", "starts\nat", ColumnType::kDuration, 6},
                           rank_of_longest_column(input),
                           {"longest_inside", "inside", ColumnType::kName, 2},
                           {"longest_source", "called from", ColumnType::kName, 1}};
  const LongestPlaces places(input, &Waits::calls);
  for (const RuntimeCallRow* row : shown.rows) {
    section.table.rows.push_back(
        {{Text{row->name}, Text{std::string(purpose_word(row->purpose))}, Count{row->host.calls},
          Duration{row->host.total_ns}, share_of(row->host.total_ns, host_ns),
          Duration{row->in_steps_ns}, Duration{row->device_idle_ns}, average_of(row->host),
          Duration{row->median_ns}, Duration{row->host.max_ns}, min_of(row->host),
          places.start(*row), places.rank(*row), text_or_absent(row->longest_inside),
          text_or_absent(row->longest_source)},
         RowStyle::kPlain});
  }
  say_left_out(section, input, shown.cut, shown.filtered, "host time", "call");
  return section;
}

namespace {

struct StreamOfRank {
  const RankInput* rank;
  const StreamRow* stream;
};

// The same stream after the start-up of its rank.
const StreamRow* steady_stream(const StreamOfRank& one) {
  const auto& steady = one.rank->summary->steady;
  if (steady == nullptr) return nullptr;
  const auto& streams = steady->waits.streams;
  const auto found = std::ranges::find_if(streams, [&](const StreamRow& stream) {
    return stream.device == one.stream->device && stream.stream == one.stream->stream;
  });
  return found == streams.end() ? nullptr : &*found;
}

Cell mean_queue_cell(const StreamRow* stream) {
  if (stream == nullptr || stream->with_launch == 0) return Absent{};
  return Measure{.text = three_digits(stream->mean_queue), .value = stream->mean_queue};
}

Row stream_row(const SummaryInput& input, const StreamOfRank& one) {
  const StreamRow& stream = *one.stream;
  const auto delay = [&](std::int64_t delay_ns) {
    return stream.with_launch == 0 ? Cell{Absent{}} : Cell{Duration{delay_ns}};
  };
  return {{Text{one.rank->name}, Text{input.device + " " + std::to_string(stream.device)},
           Count{static_cast<std::uint64_t>(std::max(stream.device, 0))}, Text{stream.stream},
           Count{stream.works}, Duration{stream.busy_ns},
           share_of(stream.busy_ns, one.rank->summary->span_ns), Count{stream.with_launch},
           delay(stream.median_delay_ns), delay(stream.p90_delay_ns), delay(stream.max_delay_ns),
           delay(since_origin_ns(*one.rank, stream.max_delay_at_ns)),
           stream.with_launch == 0 ? Cell{Absent{}} : Cell{Count{stream.longest_queue}},
           mean_queue_cell(&stream), mean_queue_cell(steady_stream(one))},
          RowStyle::kPlain};
}

}  // namespace

Section stream_section(const SummaryInput& input) {
  Section section;
  section.key = "streams";
  section.title = "Streams: launch delay and queue";
  section.lead =
      "The delay is the time from the end of the launching call to the start of the work; the "
      "queue is what was launched and had not started. If both are near zero, the " +
      input.device + " waits for the host; if they are large, the host is ahead." +
      (input.has_start_up() ? " The mean queue is that of the time after the start-up." : "");
  section.table.columns = {rank_column(input),
                           {"device", "device", ColumnType::kText, 7},
                           tool_column("device_id", ColumnType::kCount),
                           {"stream", "stream", ColumnType::kName, 9},
                           {"works", "work", ColumnType::kCount, 3},
                           {"busy_ns", "busy", ColumnType::kDuration, 6},
                           {.key = "busy_share",
                            .header = "share\nof " + span_word(input),
                            .type = ColumnType::kShare,
                            .importance = 4,
                            .share_of = rank_span_words(input)},
                           tool_column("with_launch", ColumnType::kCount),
                           {"median_delay_ns", "median\ndelay", ColumnType::kDuration, 8},
                           {"p90_delay_ns", "90 %\nbelow", ColumnType::kDuration, 5},
                           {"max_delay_ns", "longest\ndelay", ColumnType::kDuration, 6},
                           {"max_delay_at_ns", "until", ColumnType::kDuration, 3},
                           {"longest_queue", "longest\nqueue", ColumnType::kCount, 5},
                           {.key = "mean_queue",
                            .header = "mean\nqueue",
                            .type = ColumnType::kNumber,
                            .importance = 5,
                            .for_tools = input.has_start_up()},
                           {.key = "steady_mean_queue",
                            .header = "mean queue,\nsteady",
                            .type = ColumnType::kNumber,
                            .importance = 5,
                            .for_tools = !input.has_start_up()}};
  std::vector<StreamOfRank> streams;
  for (const RankInput& rank : input.ranks) {
    for (const StreamRow& stream : rank.summary->waits.streams) streams.push_back({&rank, &stream});
  }
  const std::size_t top = input.options.top == 0 ? streams.size() : input.options.top;
  if (streams.size() > top) {
    std::ranges::stable_sort(streams, std::greater<>(),
                             [](const StreamOfRank& one) { return one.stream->busy_ns; });
  }
  Omitted cut;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (i < top) {
      section.table.rows.push_back(stream_row(input, streams[i]));
    } else {
      ++cut.rows;
      cut.time_ns += streams[i].stream->busy_ns;
    }
  }
  say_left_out(section, input, cut, {}, "busy time", "stream");
  return section;
}

}  // namespace strobe::report
