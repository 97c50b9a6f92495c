#include "strobe/readers/perfetto/span_edges.h"

#include <algorithm>

namespace strobe::readers::perfetto {

void SpanEdges::join(std::int64_t last_ns, TraceSink& sink) {
  for (Line& line : lines_) {
    join_line(line, last_ns, sink);
    line = {};
  }
}

// At one time, the file's order decides; but where the file has no order, an end comes first: it
// belongs to the slice before, as neighbours touch more often than slices have no length.
void SpanEdges::join_line(Line& line, std::int64_t last_ns, TraceSink& sink) {
  if (!line.is_in_order) {
    std::ranges::stable_sort(line.edges, [](const Edge& a, const Edge& b) {
      return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : (a.row == kEnd) > (b.row == kEnd);
    });
  }
  SliceVectors& slices = sink.builder.slices();
  struct Open {
    std::uint32_t row;
    std::int64_t begin_ns;
  };
  std::vector<Open> open;
  std::vector<Edge> early_ends;  // of this time, before their beginnings
  const auto close = [&](std::int64_t time_ns, ArgsId args) {
    const auto [row, begin_ns] = open.back();
    open.pop_back();
    // Neither overflows: times are checked before they get here.
    slices.durations_ns[row] = time_ns - begin_ns;
    slices.flags[row] = static_cast<std::uint8_t>(slices.flags[row] & ~kUnfinished);
    if (!args.valid()) return;
    if (!slices.args[row].valid()) {
      slices.args[row] = args;
    } else {
      sink.report.add(ImportIssue::kRecorderRemark, 0,
                      "arguments of an end, left out beside those of its beginning");
    }
  };
  for (std::size_t i = 0; i < line.edges.size(); ++i) {
    const Edge& edge = line.edges[i];
    if (edge.row != kEnd) {
      open.push_back({edge.row, edge.time_ns});
    } else if (!open.empty()) {
      close(edge.time_ns, edge.args);
    } else if (!line.is_in_order) {
      early_ends.push_back(edge);
    } else {
      sink.report.add(ImportIssue::kUnmatchedEnd, 0);
    }
    const bool is_last_of_time =
        i + 1 == line.edges.size() || line.edges[i + 1].time_ns != edge.time_ns;
    if (!is_last_of_time || early_ends.empty()) continue;
    for (const Edge& end : early_ends) {
      if (!open.empty() && open.back().begin_ns == end.time_ns) {
        close(end.time_ns, end.args);
      } else {
        sink.report.add(ImportIssue::kUnmatchedEnd, 0);
      }
    }
    early_ends.clear();
  }
  for (const auto& [row, begin_ns] : open) {
    slices.durations_ns[row] = std::max<std::int64_t>(0, last_ns - begin_ns);
    sink.report.add(ImportIssue::kUnmatchedBegin, 0);
  }
}

}  // namespace strobe::readers::perfetto
