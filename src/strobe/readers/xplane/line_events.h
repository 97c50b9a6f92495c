#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/protobuf_stream.h"
#include "strobe/readers/start_order.h"
#include "strobe/readers/trace_sink.h"
#include "strobe/readers/xplane/event_args.h"
#include "strobe/readers/xplane/event_reader.h"
#include "strobe/readers/xplane/plane_names.h"
#include "strobe/readers/xplane/xla_words.h"

namespace strobe::readers::xplane {

// Where a plane's events belong.
struct PlanePlace {
  std::optional<xla::DevicePlane> device;
  bool is_host = false;  // "/host:..."
  std::string process;   // of a host's threads
};

// Puts the events of lines into a trace.
class LineEvents {
 public:
  LineEvents(ProtobufStream& stream, TraceSink& sink)
      : stream_(stream), sink_(sink), reader_(sink.keeps_args()) {}

  void begin_plane(const PlaneNames& names, PlanePlace place);
  // Reads the line that the stream has entered. False if loading must end.
  bool read_line();
  // Where no event of the host is a step, the ranges of the devices' lines of steps become steps of
  // this process.
  void finish(const std::string& process);

 private:
  // What a line's events are.
  enum class Role : std::uint8_t { kWork, kHost, kDerived };

  // What the events of one name have in common on the lines of a role.
  struct Shape {
    StringId name;
    SliceKind kind = SliceKind::kOther;
    std::uint8_t flags = kNoFlags;
    bool is_made = false;
    bool is_memory = false;
    bool frees = false;
    std::string_view shared_stats;
    std::uint64_t args_seed = 0;  // the same statistics mean something else in another plane
  };

  struct Allocator {
    std::string name;
    StringId place;  // invalid if its memory is not that of a device
  };

  // Rows that are not in the builder yet. PERF: ten vectors that each take one value more cost as
  // much as reading the event.
  struct StagedRows {
    static constexpr std::size_t kRows = 256;
    std::size_t count = 0;
    std::array<std::int64_t, kRows> starts_ns;
    std::array<std::int64_t, kRows> durations_ns;
    std::array<StringId, kRows> names;
    std::array<TrackId, kRows> tracks;  // that of the line
    std::array<CategoryId, kRows> categories;
    std::array<SliceKind, kRows> kinds;
    std::array<std::uint8_t, kRows> flags;
    std::array<std::uint32_t, kRows> correlations;
    std::array<ArgsId, kRows> args;
  };

  void stage(const TraceBuilder::SliceRow& row) {
    const std::size_t at = staged_.count++;
    staged_.starts_ns[at] = row.start_ns;
    staged_.durations_ns[at] = row.duration_ns;
    staged_.names[at] = row.name;
    staged_.categories[at] = row.category;
    staged_.kinds[at] = row.kind;
    staged_.flags[at] = row.flags;
    staged_.correlations[at] = row.correlation;
    staged_.args[at] = row.args;
    if (staged_.count == StagedRows::kRows) [[unlikely]]
      add_staged();
  }
  void add_staged();
  void pack_rows();
  void place_rest_of_line();
  bool starts_are_in_order() const;
  void take_back_places();
  void place_rows();
  bool take_event(std::string_view message);
  bool note_progress();
  void begin_line();
  void forget_shapes();
  TrackId track_of_line();
  bool add_event(std::string_view message);
  void take_stats(const Event& event, const Shape& shape, TraceBuilder::SliceRow& row);
  const Shape& shape_of(std::uint64_t metadata_id) {
    const Shape* const made = shapes_.find(metadata_id);
    return made != nullptr && made->is_made ? *made : new_shape(metadata_id);
  }
  const Shape& new_shape(std::uint64_t metadata_id);
  Shape make_shape(const EventName& known);
  ArgsId args_of(const Event& event, const Shape& shape, std::string_view message);
  std::uint32_t correlation_of(const Event& event);
  void add_flow(FlowPhase phase, std::uint64_t type, std::uint64_t id, std::int64_t time_ns);
  StringId place_of(std::string_view allocator);
  void add_memory(const Shape& shape, std::int64_t time_ns);
  CategoryId category_of(SliceKind kind) {
    const CategoryId known = categories_[static_cast<std::size_t>(kind)];
    return known.valid() ? known : new_category(kind);
  }
  CategoryId new_category(SliceKind kind);

  ProtobufStream& stream_;
  TraceSink& sink_;
  const PlaneNames* names_ = nullptr;
  PlanePlace place_;

  // The line that is read.
  std::uint64_t line_id_ = 0;
  std::string line_name_;
  std::string display_name_;
  std::int64_t line_time_ns_ = 0;
  bool has_begun_ = false;
  Role role_ = Role::kDerived;
  TrackId track_;
  std::uint64_t reported_bytes_ = 0;
  std::size_t first_row_ = 0;
  std::size_t placed_rows_ = 0;      // of all that were read: they are in the order of their starts
  std::vector<RowMoves> row_moves_;  // that brought them into it
  std::size_t most_unpacked_ = 0;    // before rows are packed again

  StagedRows staged_;
  EventReader reader_;
  Event event_;
  ById<Shape> shapes_;  // of the plane's names, on the lines of the role below
  Shape lost_shape_;    // of the names that the plane does not have
  Role shapes_role_ = Role::kDerived;
  bool shapes_are_of_profiler_ = false;
  RecentArgs recent_args_;
  EventArgs args_;
  std::vector<Allocator> allocators_;
  std::array<CategoryId, kSliceKinds> categories_;  // by kind
  CategoryId flow_category_;
  struct Rows {
    std::size_t first;
    std::size_t end;
    std::string device;
  };
  std::vector<Rows> step_rows_;
  bool has_steps_ = false;
};

}  // namespace strobe::readers::xplane
