#include <optional>

#include "strobe/query/table.h"

// The trace itself: its tracks and devices, and what was read.
namespace strobe::query {
namespace {

const Track& track_at(const TraceSource& source, std::size_t row) {
  return source.trace().tracks()[row];
}

std::string_view track_word(TrackKind kind) {
  switch (kind) {
    case TrackKind::kHostThread:
      return "host thread";
    case TrackKind::kDeviceStream:
      return "device stream";
    case TrackKind::kAsync:
      return "async";
    case TrackKind::kOther:
      break;
  }
  return "other";
}

Table tracks() {
  return {.name = "tracks",
          .meaning = "lines of the timeline: host threads, device streams, others",
          .columns = {column("track_id", "", "its number",
                             [](const TraceSource&, std::size_t row) {
                               return static_cast<std::int64_t>(row);
                             }),
                      column("kind", "", "host thread, device stream, async or other",
                             [](const TraceSource& source, std::size_t row) {
                               return track_word(track_at(source, row).kind);
                             }),
                      column("process", "", "as written",
                             [](const TraceSource& source, std::size_t row) {
                               return source.name(track_at(source, row).process);
                             }),
                      column("thread", "", "the thread or stream, as written",
                             [](const TraceSource& source, std::size_t row) {
                               return source.name(track_at(source, row).thread);
                             }),
                      column("process_name", "", "absent if the trace gives none",
                             [](const TraceSource& source, std::size_t row) {
                               return source.name(track_at(source, row).process_name);
                             }),
                      column("thread_name", "", "absent if the trace gives none",
                             [](const TraceSource& source, std::size_t row) {
                               return source.name(track_at(source, row).thread_name);
                             }),
                      column("device", "", "of a device stream",
                             [](const TraceSource& source, std::size_t row) {
                               return track_at(source, row).device;
                             })},
          .rows = [](const TraceSource& source) { return source.trace().tracks().size(); }};
}

const DeviceProperties& device_at(const TraceSource& source, std::size_t row) {
  return source.trace().metadata().devices[row];
}

// 0 means unknown.
std::optional<std::int64_t> known(std::int64_t number) {
  if (number == 0) return std::nullopt;
  return number;
}

Table devices() {
  return {
      .name = "devices",
      .meaning = "accelerators, as the trace describes them",
      .columns = {column("device", "", "its number",
                         [](const TraceSource& source, std::size_t row) {
                           return device_at(source, row).id;
                         }),
                  column("name", "", "its model",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(device_at(source, row).name);
                         }),
                  column("memory", "bytes", "its memory",
                         [](const TraceSource& source, std::size_t row) {
                           return known(device_at(source, row).memory_bytes);
                         }),
                  column("multiprocessors", "", "how many",
                         [](const TraceSource& source, std::size_t row) {
                           return known(device_at(source, row).multiprocessors);
                         }),
                  column("compute_major", "", "compute capability, before the point",
                         [](const TraceSource& source, std::size_t row) {
                           return known(device_at(source, row).compute_major);
                         }),
                  column("compute_minor", "", "and after it",
                         [](const TraceSource& source, std::size_t row) {
                           return device_at(source, row).compute_minor;
                         })},
      .rows = [](const TraceSource& source) { return source.trace().metadata().devices.size(); }};
}

Table traces() {
  using Source = const TraceSource&;
  return {
      .name = "traces",
      .meaning = "the files that were opened; a row per trace",
      .columns =
          {column("path", "", "of the file",
                  [](Source source, std::size_t) { return std::string_view(source.input().path); }),
           column("dialect", "", "who wrote it",
                  [](Source source, std::size_t) {
                    return std::string_view(source.trace().traits().dialect);
                  }),
           column("device_label", "", "what tables call a device: GPU",
                  [](Source source, std::size_t) {
                    return std::string_view(source.trace().traits().device_label);
                  }),
           column("slices", "", "how many",
                  [](Source source, std::size_t) {
                    return static_cast<std::int64_t>(source.trace().slice_count());
                  }),
           column("steps", "", "how many",
                  [](Source source, std::size_t) {
                    const analysis::Summary& all = source.summary();
                    return static_cast<std::int64_t>(all.has_steps ? all.steps.size() : 0);
                  }),
           column("start", "ns", "the start of the first slice that counts for the span",
                  [](Source source, std::size_t) { return source.summary().extent.start_ns; }),
           column("stop", "ns", "the end of the last one",
                  [](Source source, std::size_t) { return source.summary().extent.end_ns; }),
           column("span", "ns", "stop - start: what shares of time are shares of",
                  [](Source source, std::size_t) { return source.summary().span_ns; }),
           column("origin", "ns", "the start of the earliest slice: 0 on the timeline",
                  [](Source source, std::size_t) { return source.summary().origin_ns; }),
           column("steady_start", "ns",
                  "where a start-up ends that summaries leave out of averages",
                  [](Source source, std::size_t) -> std::optional<std::int64_t> {
                    const auto& steady = source.summary().steady;
                    if (steady == nullptr) return std::nullopt;
                    return steady->extent.start_ns;
                  }),
           column("total", "ns", "host time in steps, or of the host if there are none",
                  [](Source source, std::size_t) { return source.summary().total_ns; }),
           column("device_time", "ns", "all device work, streams added up",
                  [](Source source, std::size_t) { return source.summary().device_time_ns; }),
           column("orphans", "", "device work whose launch was not recorded",
                  [](Source source, std::size_t) {
                    return static_cast<std::int64_t>(source.summary().orphan_device_slices);
                  }),
           column(
               "base_time", "ns", "added to a time, it gives the wall clock",
               [](Source source, std::size_t) { return source.trace().metadata().base_time_ns; }),
           column("world_size", "", "ranks of the program, if the trace says so",
                  [](Source source, std::size_t) {
                    return source.trace().metadata().distributed.world_size;
                  }),
           column("file_bytes", "bytes", "on disk",
                  [](Source source, std::size_t) {
                    return static_cast<std::int64_t>(source.input().import->file_bytes);
                  }),
           column("text_bytes", "bytes", "not compressed",
                  [](Source source, std::size_t) {
                    return static_cast<std::int64_t>(source.input().import->text_bytes);
                  })},
      .rows = [](Source) { return std::size_t{1}; }};
}

struct KindRow {
  bool is_host = false;
  const analysis::TypeRow* type = nullptr;
};

KindRow kind_at(const TraceSource& source, std::size_t row) {
  const analysis::Summary& all = source.summary();
  const std::size_t on_host = all.host_types.size();
  if (row < on_host) return {true, &all.host_types[row]};
  return {false, &all.device_types[row - on_host]};
}

Table kinds() {
  using Source = const TraceSource&;
  return {.name = "kinds",
          .meaning = "kinds of slices on the host and on devices; each slice is in one row",
          .columns = {column("side", "", "host, or what tables call a device",
                             [](Source source, std::size_t row) {
                               return kind_at(source, row).is_host
                                          ? std::string_view("host")
                                          : std::string_view(source.trace().traits().device_label);
                             }),
                      column("kind", "", "the kind; of other slices the category, if they have one",
                             [](Source source, std::size_t row) {
                               const analysis::TypeRow& type = *kind_at(source, row).type;
                               return type.kind == SliceKind::kOther && !type.label.empty()
                                          ? std::string_view(type.label)
                                          : word_of(type.kind);
                             }),
                      column("slices", "", "how many",
                             [](Source source, std::size_t row) {
                               return static_cast<std::int64_t>(kind_at(source, row).type->calls);
                             }),
                      column("busy", "ns", "in which at least one was open",
                             [](Source source, std::size_t row) {
                               return kind_at(source, row).type->busy_ns;
                             })},
          .rows = [](Source source) {
            const analysis::Summary& all = source.summary();
            return all.host_types.size() + all.device_types.size();
          }};
}

const TraceSource::Module& module_at(const TraceSource& source, std::size_t row) {
  return source.modules()[row];
}

Table modules() {
  return {
      .name = "modules",
      .meaning = "modules of the model at their places in it, if the profiler recorded them",
      .columns = {column("module_id", "", "its number",
                         [](const TraceSource&, std::size_t row) {
                           return static_cast<std::int64_t>(row);
                         }),
                  column("parent_id", "", "the module around it",
                         [](const TraceSource& source,
                            std::size_t row) -> std::optional<std::int64_t> {
                           const std::int64_t parent = module_at(source, row).parent;
                           if (parent < 0) return std::nullopt;
                           return parent;
                         }),
                  column("depth", "", "how many modules are around it",
                         [](const TraceSource& source, std::size_t row) {
                           return module_at(source, row).depth;
                         }),
                  column("name", "", "its name",
                         [](const TraceSource& source, std::size_t row) {
                           return std::string_view(module_at(source, row).row->name);
                         }),
                  column("calls", "", "how many",
                         [](const TraceSource& source, std::size_t row) {
                           return static_cast<std::int64_t>(module_at(source, row).row->calls);
                         }),
                  column("host", "ns", "time of its calls",
                         [](const TraceSource& source, std::size_t row) {
                           return module_at(source, row).row->host_ns;
                         }),
                  column("host_self", "ns", "the same without the modules inside",
                         [](const TraceSource& source, std::size_t row) {
                           return module_at(source, row).row->host_self_ns;
                         }),
                  column("device_time", "ns", "device work launched during its calls",
                         [](const TraceSource& source, std::size_t row) {
                           return module_at(source, row).row->device_ns;
                         }),
                  column("self_device_time", "ns", "the same without that of the modules inside",
                         [](const TraceSource& source, std::size_t row) {
                           return module_at(source, row).row->device_self_ns;
                         })},
      .rows = [](const TraceSource& source) { return source.modules().size(); }};
}

constexpr std::size_t kIssues = static_cast<std::size_t>(ImportIssue::kCount_);

std::string_view severity_word(ImportSeverity severity) {
  switch (severity) {
    case ImportSeverity::kLost:
      return "lost";
    case ImportSeverity::kRepaired:
      return "repaired";
    case ImportSeverity::kInfo:
      break;
  }
  return "info";
}

Table import_report() {
  return {.name = "import_report",
          .meaning = "what was wrong with the input; a row per possible issue",
          .columns = {column("issue", "", "a word for it",
                             [](const TraceSource&, std::size_t row) {
                               return word_of(static_cast<ImportIssue>(row));
                             }),
                      column("severity", "", "lost, repaired or info",
                             [](const TraceSource&, std::size_t row) {
                               return severity_word(severity_of(static_cast<ImportIssue>(row)));
                             }),
                      column("count", "", "how often; 0 if never",
                             [](const TraceSource& source, std::size_t row) {
                               const auto& line =
                                   (*source.input().import)[static_cast<ImportIssue>(row)];
                               return static_cast<std::int64_t>(line.count);
                             }),
                      column("sentence", "", "what it means",
                             [](const TraceSource&, std::size_t row) {
                               return sentence_of(static_cast<ImportIssue>(row));
                             })},
          .rows = [](const TraceSource&) { return kIssues; }};
}

}  // namespace

std::vector<Table> trace_tables() {
  return {tracks(), devices(), kinds(), modules(), traces(), import_report()};
}

}  // namespace strobe::query
