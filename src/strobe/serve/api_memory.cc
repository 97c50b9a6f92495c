#include "strobe/serve/api_memory.h"

#include "strobe/analysis/tables/memory.h"
#include "strobe/report/memory/allocator_report.h"
#include "strobe/report/render/render.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

constexpr std::int64_t kUsualColumns = 2000;

void write_place(const OpenTrace& open, const analysis::MemoryCurve& curve, std::uint32_t columns,
                 JsonWriter& json) {
  const analysis::MemoryPoint& peak = curve.points[curve.peak];
  json.begin_object()
      .member("place", curve.place)
      .member("peak_bytes", peak.allocated_bytes)
      .member("peak_ns", since_origin(open, peak.time_ns))
      .member("reserved_peak_bytes", curve.reserved_peak_bytes);
  NumberList points;
  for (const analysis::MemoryPoint& point : analysis::thinned(curve.points, columns)) {
    points.begin_list();
    points.add(since_origin(open, point.time_ns));
    points.add(point.allocated_bytes);
    points.add(point.reserved_bytes);
    points.end_list();
  }
  json.key("points").raw(points.json());
  json.key("at_peak").begin_array();
  for (const analysis::MemoryOwner& owner : analysis::owners_at_peak(open.attributed(), curve)) {
    json.begin_object()
        .member("name", owner.name)
        .member("bytes", owner.bytes)
        .member("count", owner.count)
        .end_object();
  }
  json.end_array()
      .member("events", curve.events.size())
      .member("not_freed_bytes", analysis::not_freed_bytes(open.trace(), curve))
      .end_object();
}

constexpr std::size_t kMostPlaces = 1000;  // rows of a table; stacks are long

std::string snapshot_document(const OpenTrace& open, std::size_t top, std::uint32_t columns) {
  return report::render_json(report::allocator_document(
      *open.snapshot(), open.allocator_study(), open.report(),
      {.path = open.name(), .top = top, .verbose = false, .columns = columns}));
}

}  // namespace

Result<std::string> memory_answer(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const std::uint32_t columns, columns_of(query, kUsualColumns));
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("places").begin_array();
  // A snapshot tells the same and more.
  if (open.snapshot() == nullptr) {
    for (const analysis::MemoryCurve& curve : analysis::list_memory_curves(open.trace())) {
      write_place(open, curve, columns, json);
    }
  }
  json.end_array().key("snapshot");
  if (open.snapshot() == nullptr) {
    json.null();
  } else {
    json.raw(snapshot_document(open, kMostPlaces, columns));
  }
  json.end_object();
  return out;
}

std::string snapshot_summary(const OpenTrace& open) { return snapshot_document(open, 0, 0); }

}  // namespace strobe::serve
