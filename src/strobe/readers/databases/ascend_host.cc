#include "strobe/readers/databases/ascend_host.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/json_write.h"
#include "strobe/readers/ascend/tasks.h"
#include "strobe/readers/equal_rows.h"

namespace strobe::readers {
namespace {

// The numbers that every version has used, for databases without their words.
struct ApiType {
  std::int64_t number;
  std::string_view word;
};
constexpr ApiType kApiTypes[] = {
    {5000, "runtime"}, {5500, "hccl"},   {10000, "node"},  {15000, "model"}, {20000, "acl"},
    {50001, "op"},     {50002, "queue"}, {50003, "trace"}, {50004, "mstx"},
};

constexpr std::string_view kEnqueueName = "Enqueue";

struct NpuMark {
  static constexpr std::int64_t kMarker = 0;
  static constexpr std::int64_t kStartEnd = 2;
  static constexpr std::int64_t kMarkerEx = 3;
};

class NpuHost {
 public:
  NpuHost(NpuTables& tables, NpuTexts& texts, const std::vector<NpuLaunchEnd>& ends,
          TraceSink& sink)
      : tables_(tables), texts_(texts), ends_(ends), sink_(sink) {}

  Result<void> add_all() {
    STROBE_TRY(api_types_, tables_.words("ENUM_API_TYPE"));
    add_arrow_ends();
    STROBE_TRY_VOID(add_calls());
    STROBE_TRY_VOID(add_framework());
    STROBE_TRY_VOID(add_marks());
    return add_steps();
  }

 private:
  std::string_view type_word(std::int64_t type) const {
    if (const std::string_view word = word_of(api_types_, type); !word.empty()) return word;
    const auto found = std::ranges::find(kApiTypes, type, &ApiType::number);
    return found == std::end(kApiTypes) ? std::string_view() : found->word;
  }

  // The low half is the thread, the high half its process.
  TrackId thread_at(const sqlite::Query& row, int column) {
    const auto both = static_cast<std::uint64_t>(row.integer(column));
    return sink_.tracks.thread(process_of(both), static_cast<std::int64_t>(both & 0xFFFFFFFFu));
  }
  std::int64_t process_of(std::uint64_t both) {
    process_ = static_cast<std::int64_t>(both >> 32);
    return process_;
  }

  struct Times {
    std::int64_t start_ns;
    std::int64_t end_ns;
  };
  std::optional<Times> times_at(const sqlite::Query& row, int start, int end,
                                std::string_view what) {
    const auto start_ns = time_at(row, start);
    const auto end_ns = time_at(row, end);
    if (start_ns && end_ns) return Times{*start_ns, *end_ns};
    sink_.report.add(ImportIssue::kMissingTime, 0, what);
    return std::nullopt;
  }

  void add_arrow(std::string_view category, FlowPhase phase, std::int64_t id, TrackId track,
                 std::int64_t time_ns) {
    FlowVectors& flows = sink_.builder.flows();
    flows.times_ns.push_back(time_ns);
    flows.ids.push_back(static_cast<std::uint64_t>(id));
    flows.tracks.push_back(track);
    flows.categories.push_back(sink_.builder.category(category));
    flows.phases.push_back(phase);
  }

  void add_arrow_ends() {
    for (const NpuLaunchEnd& end : ends_) {
      add_arrow(kLaunchArrow, FlowPhase::kEnd, end.connection, end.track, end.time_ns);
      add_arrow(kOperatorArrow, FlowPhase::kEnd, end.connection, end.track, end.time_ns);
    }
  }

  bool launches(std::int64_t connection) const {
    return std::ranges::binary_search(ends_, connection, {}, &NpuLaunchEnd::connection);
  }

  Result<void> add_calls() {
    const auto add = [&](const sqlite::Query& row) {
      const auto times = times_at(row, 0, 1, "a call");
      if (!times) return;
      TraceBuilder::SliceRow slice;
      slice.start_ns = times->start_ns;
      slice.track = thread_at(row, 3);
      slice.name = texts_.name(row.integer(5), sink_);
      slice.category = sink_.builder.category(npu_call_layer(type_word(row.integer(2))));
      slice.kind = SliceKind::kRuntimeCall;
      sink_.add(slice, times->end_ns);
      const std::int64_t connection = row.integer(4);
      if (row.is_null(4) || !launches(connection)) return;
      add_arrow(kLaunchArrow, FlowPhase::kStart, connection, slice.track, slice.start_ns);
      launch_times_.emplace_back(connection, slice.start_ns);
    };
    STROBE_TRY_VOID(tables_.each(
        "CANN_API", {"startNs", "endNs", "type", "globalTid", "connectionId", "name"}, add));
    std::ranges::sort(launch_times_);
    return {};
  }

  Result<void> add_framework() {
    STROBE_TRY_VOID(
        tables_.each("CONNECTION_IDS", {"id", "connectionId"}, [&](const sqlite::Query& row) {
          connections_.emplace_back(row.integer(0), row.integer(1));
        }));
    std::ranges::sort(connections_);
    STROBE_TRY_VOID(
        tables_.each("PYTORCH_API",
                     {"startNs", "endNs", "globalTid", "connectionId", "name", "sequenceNumber",
                      "fwdThreadId", "inputDtypes", "inputShapes", "type"},
                     [&](const sqlite::Query& row) { add_framework_row(row); }));
    add_operator_arrows();
    return {};
  }

  void add_framework_row(const sqlite::Query& row) {
    const auto times = times_at(row, 0, 1, "a range of the framework");
    if (!times) return;
    const std::string_view type = type_word(row.integer(9));
    TraceBuilder::SliceRow slice;
    slice.start_ns = times->start_ns;
    slice.track = thread_at(row, 2);
    slice.name = texts_.name(row.integer(4), sink_);
    slice.category = sink_.builder.category(type);
    const NameRule rule = host_rule(type, slice.category, slice.name);
    slice.kind = rule.kind;
    slice.flags = rule.flags;
    if (sink_.keeps_args()) slice.args = sink_.keep(operator_args(row));
    const SliceId added = sink_.add(slice, times->end_ns);
    has_steps_ = has_steps_ || rule.kind == SliceKind::kStep;
    if (!row.is_null(5) && row.integer(5) >= 0) {
      SequenceVectors& sequences = sink_.builder.sequences();
      sequences.slices.push_back(added);
      sequences.sequence_numbers.push_back(row.integer(5));
      sequences.forward_threads.push_back(row.integer(6));
    }
    if (!row.is_null(3)) add_connections(row.integer(3), type, slice);
  }

  // The numbers of an operator's connections lead to its launches, and to its backward; those have
  // numbers of their own kind, which may be equal.
  void add_connections(std::int64_t number, std::string_view type,
                       const TraceBuilder::SliceRow& slice) {
    const auto own =
        equal_rows(connections_, number, &std::pair<std::int64_t, std::int64_t>::first);
    for (const auto& [id, connection] : own) {
      if (type == "queue") {
        const bool starts = sink_.builder.strings()[slice.name].starts_with(kEnqueueName);
        add_arrow(kQueueArrow, starts ? FlowPhase::kStart : FlowPhase::kEnd, connection,
                  slice.track, slice.start_ns);
      } else if (launches(connection)) {
        operators_.push_back({connection, slice.start_ns, slice.track});
      }
    }
  }

  // The operator of a launch is the last one with its number that began before it.
  void add_operator_arrows() {
    std::ranges::sort(operators_, {}, [](const NpuLaunchEnd& one) {
      return std::pair(one.connection, one.time_ns);
    });
    for (auto first = operators_.begin(); first != operators_.end();) {
      const auto next = std::find_if(first, operators_.end(), [&](const NpuLaunchEnd& one) {
        return one.connection != first->connection;
      });
      const auto launch =
          std::ranges::lower_bound(launch_times_, std::pair(first->connection, INT64_MIN));
      const bool is_known = launch != launch_times_.end() && launch->first == first->connection;
      auto chosen = next - 1;
      while (is_known && chosen != first && chosen->time_ns > launch->second) --chosen;
      add_arrow(kOperatorArrow, FlowPhase::kStart, chosen->connection, chosen->track,
                chosen->time_ns);
      first = next;
    }
  }

  NameRule host_rule(std::string_view type, CategoryId category, StringId name) {
    const auto [found, is_new] = host_rules_.try_emplace({category, name});
    if (!is_new) return found->second;
    const CategoryRule rule = npu_host_rule(type);
    found->second = rule.asks_name
                        ? npu_host_name_rule(rule.kind, type, sink_.builder.strings()[name])
                        : NameRule{rule.kind, kNoFlags};
    return found->second;
  }

  std::string operator_args(const sqlite::Query& row) const {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    if (!row.is_null(5)) json.member("Sequence number", row.integer(5));
    write_text("Input type", row, 7, json);
    write_text("Input Dims", row, 8, json);
    json.end_object();
    return text == "{}" ? std::string() : text;
  }

  void write_text(std::string_view key, const sqlite::Query& row, int column,
                  JsonWriter& json) const {
    if (row.is_null(column)) return;
    const std::string_view text = texts_.text(row.integer(column));
    if (!text.empty()) json.member(key, text);
  }

  // What the program marked.
  Result<void> add_marks() {
    return tables_.each("MSTX_EVENTS", {"startNs", "endNs", "eventType", "message", "globalTid"},
                        [&](const sqlite::Query& row) {
                          const auto times = times_at(row, 0, row.is_null(1) ? 0 : 1, "a mark");
                          if (times) add_mark(row, *times);
                        });
  }

  void add_mark(const sqlite::Query& row, const Times& times) {
    constexpr std::string_view kMarks = "mstx";
    const std::int64_t kind = row.integer(2);
    TraceBuilder::SliceRow slice;
    slice.track = thread_at(row, 4);
    slice.name = texts_.name(row.integer(3), sink_);
    slice.category = sink_.builder.category(kMarks);
    if (kind == NpuMark::kMarker || kind == NpuMark::kMarkerEx) {
      sink_.add_instant(times.start_ns, slice.name, slice.track, slice.category);
      return;
    }
    slice.start_ns = times.start_ns;
    if (kind == NpuMark::kStartEnd) slice.track = sink_.tracks.beside_threads(process_, "ranges");
    const NameRule rule = host_rule(kMarks, slice.category, slice.name);
    slice.kind = rule.kind;
    slice.flags = rule.flags;
    has_steps_ = has_steps_ || rule.kind == SliceKind::kStep;
    sink_.add(slice, times.end_ns);
  }

  // The steps that a framework marked are ranges as well.
  Result<void> add_steps() {
    if (has_steps_) return {};
    return tables_.each("STEP_TIME", {"id", "startNs", "endNs"}, [&](const sqlite::Query& row) {
      const auto times = times_at(row, 1, 2, "a step");
      if (!times) return;
      TraceBuilder::SliceRow slice;
      slice.start_ns = times->start_ns;
      slice.track = sink_.tracks.beside_threads(process_, "steps");
      slice.name = sink_.builder.intern("ProfilerStep#" + std::to_string(row.integer(0)));
      slice.category = sink_.builder.category("step");
      slice.kind = SliceKind::kStep;
      sink_.add(slice, times->end_ns);
    });
  }

  NpuTables& tables_;
  NpuTexts& texts_;
  const std::vector<NpuLaunchEnd>& ends_;
  TraceSink& sink_;
  NpuTables::Words api_types_;
  std::vector<std::pair<std::int64_t, std::int64_t>> launch_times_;  // connection, start
  std::vector<std::pair<std::int64_t, std::int64_t>> connections_;   // number, connection
  std::vector<NpuLaunchEnd> operators_;                              // with launches
  std::map<std::pair<CategoryId, StringId>, NameRule> host_rules_;
  std::int64_t process_ = 0;  // of the row that was read last
  bool has_steps_ = false;
};

}  // namespace

Result<void> add_npu_host(NpuTables& tables, NpuTexts& texts, const std::vector<NpuLaunchEnd>& ends,
                          TraceSink& sink) {
  return NpuHost(tables, texts, ends, sink).add_all();
}

}  // namespace strobe::readers
