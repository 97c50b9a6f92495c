#include <algorithm>
#include <optional>

#include "strobe/query/table.h"

// What has a time and no duration: instants, counters, samples, flows, allocator events.
namespace strobe::query {
namespace {

template <class Columns>
Column time_column(const Columns& (Trace::*table)() const) {
  return lying(
      column("time", "ns", "when, on the clock of the trace",
             [table](const TraceSource& source, std::size_t row) {
               return (source.trace().*table)().times_ns[row];
             }),
      [table](const TraceSource& source) -> const auto& {
        return (source.trace().*table)().times_ns;
      });
}

template <class Columns>
Column track_column(const Columns& (Trace::*table)() const) {
  return column("track_id", "", "its track: a row of `tracks`",
                [table](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
                  const TrackId track = (source.trace().*table)().tracks[row];
                  if (!track.valid()) return std::nullopt;
                  return track.value;
                });
}

template <class Columns>
Column category_column(const Columns& (Trace::*table)() const) {
  return column("category", "", "the file's own name for its kind",
                [table](const TraceSource& source, std::size_t row) {
                  const CategoryId category = (source.trace().*table)().categories[row];
                  if (!category.valid()) return Name{};
                  return source.name(source.trace().categories()[category.index()].name);
                });
}

template <class Columns>
std::function<std::size_t(const TraceSource&)> rows_of(const Columns& (Trace::*table)() const) {
  return [table](const TraceSource& source) { return (source.trace().*table)().size(); };
}

std::string_view flow_word(FlowPhase phase) {
  switch (phase) {
    case FlowPhase::kStart:
      return "start";
    case FlowPhase::kStep:
      return "step";
    case FlowPhase::kEnd:
      break;
  }
  return "end";
}

std::string_view action_word(MemoryAction action) {
  switch (action) {
    case MemoryAction::kAllocate:
      return "allocate";
    case MemoryAction::kFree:
      return "free";
    case MemoryAction::kReserve:
      return "reserve";
    case MemoryAction::kUnreserve:
      break;
  }
  return "unreserve";
}

Column total(std::string name, std::string meaning,
             ::strobe::Column<std::int64_t> MemoryColumns::*values) {
  return column(
      std::move(name), "bytes", std::move(meaning),
      [values](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
        const std::int64_t bytes = (source.trace().memory().*values)[row];
        if (bytes < 0) return std::nullopt;
        return bytes;
      });
}

Table memory_events() {
  constexpr auto kTable = &Trace::memory;
  return {.name = "memory_events",
          .meaning = "what allocators did",
          .columns = {time_column(kTable), track_column(kTable),
                      column("action", "", "allocate, free, reserve or unreserve",
                             [](const TraceSource& source, std::size_t row) {
                               return action_word(source.trace().memory().actions[row]);
                             }),
                      column("place", "", "where, as the trace writes it",
                             [](const TraceSource& source, std::size_t row) {
                               return source.name(source.trace().memory().places[row]);
                             }),
                      column("bytes", "bytes", "negative when freed",
                             [](const TraceSource& source, std::size_t row) {
                               return source.trace().memory().bytes[row];
                             }),
                      column("owner", "", "the innermost range that was open on its thread",
                             [](const TraceSource& source, std::size_t row) {
                               const analysis::AttributedTrace& input = source.attributed();
                               const analysis::NodeId node = input.attribution.memory_owners[row];
                               if (!node.valid() || input.tree.is_thread(node)) return Name{};
                               return source.name(input.tree.slices[node.index()]);
                             }),
                      column("outer_owner", "",
                             "the outermost operator around it, or else the innermost range",
                             [](const TraceSource& source, std::size_t row) {
                               const analysis::OpTree& tree = source.attributed().tree;
                               analysis::NodeId owner =
                                   source.attributed().attribution.memory_owners[row];
                               if (!owner.valid() || tree.is_thread(owner)) return Name{};
                               const analysis::NodeId outermost = tree.outermost_operator(owner);
                               if (outermost.valid()) owner = outermost;
                               return source.name(tree.slices[owner.index()]);
                             }),
                      column("address", "", "absent if it is not known",
                             [](const TraceSource& source,
                                std::size_t row) -> std::optional<std::int64_t> {
                               const std::uint64_t address = source.trace().memory().addresses[row];
                               if (address == 0) return std::nullopt;
                               return static_cast<std::int64_t>(address);
                             }),
                      total("allocated", "allocated after it", &MemoryColumns::allocated_bytes),
                      total("reserved", "reserved after it", &MemoryColumns::reserved_bytes),
                      total("peak_allocated", "the most allocated so far",
                            &MemoryColumns::peak_allocated_bytes),
                      total("peak_reserved", "the most reserved so far",
                            &MemoryColumns::peak_reserved_bytes)},
          .rows = rows_of(kTable)};
}

// The row of a series, and of a value in it.
struct SamplePlace {
  const MetricSeries* series;
  std::size_t value;
};

SamplePlace sample_at(const TraceSource& source, std::size_t row) {
  for (const MetricSeries& series : *source.input().metrics) {
    if (row < series.values.size()) return {&series, row};
    row -= series.values.size();
  }
  return {&source.input().metrics->back(), 0};  // rows are numbered below their count
}

Table metrics() {
  return {.name = "metrics",
          .meaning = "what was sampled beside the run: clocks, power, use",
          .columns = {column("device", "", "GPU 0, ..., Host",
                             [](const TraceSource& source, std::size_t row) {
                               return std::string_view(sample_at(source, row).series->device);
                             }),
                      column("metric", "", "the sampler's name for it",
                             [](const TraceSource& source, std::size_t row) {
                               return std::string_view(sample_at(source, row).series->metric);
                             }),
                      column("time", "ns", "when, on the clock of the sampler",
                             [](const TraceSource& source, std::size_t row) {
                               const SamplePlace place = sample_at(source, row);
                               return place.series->times_ns[place.value];
                             }),
                      column("value", "", "in the unit that the name of the metric says",
                             [](const TraceSource& source, std::size_t row) {
                               const SamplePlace place = sample_at(source, row);
                               return place.series->values[place.value];
                             })},
          .rows = [](const TraceSource& source) {
            std::size_t rows = 0;
            if (source.input().metrics == nullptr) return rows;
            for (const MetricSeries& series : *source.input().metrics) rows += series.values.size();
            return rows;
          }};
}

}  // namespace

std::vector<Table> event_tables() {
  Table instants{.name = "instants",
                 .meaning = "what has a time and no duration",
                 .columns = {time_column(&Trace::instants),
                             column("name", "", "its name",
                                    [](const TraceSource& source, std::size_t row) {
                                      return source.name(source.trace().instants().names[row]);
                                    }),
                             track_column(&Trace::instants), category_column(&Trace::instants)},
                 .rows = rows_of(&Trace::instants)};
  Table counters{.name = "counters",
                 .meaning = "values that the trace itself records over time",
                 .columns = {time_column(&Trace::counters), track_column(&Trace::counters),
                             column("name", "", "the counter",
                                    [](const TraceSource& source, std::size_t row) {
                                      return source.name(source.trace().counters().names[row]);
                                    }),
                             column("series", "", "which of its values",
                                    [](const TraceSource& source, std::size_t row) {
                                      return source.name(source.trace().counters().series[row]);
                                    }),
                             column("value", "", "as written",
                                    [](const TraceSource& source, std::size_t row) {
                                      return source.trace().counters().values[row];
                                    })},
                 .rows = rows_of(&Trace::counters)};
  Table flows{
      .name = "flows",
      .meaning = "ends of arrows between slices",
      .columns = {time_column(&Trace::flows), track_column(&Trace::flows),
                  category_column(&Trace::flows),
                  column("flow_id", "", "equal at the ends of an arrow, within a category",
                         [](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(source.trace().flows().ids[row]);
                         }),
                  column("phase", "", "start, step or end",
                         [](const TraceSource& source, std::size_t row) {
                           return flow_word(source.trace().flows().phases[row]);
                         })},
      .rows = rows_of(&Trace::flows)};
  return {std::move(instants), std::move(counters), metrics(), std::move(flows), memory_events()};
}

}  // namespace strobe::query
