#pragma once

#include <cstdint>
#include <vector>

#include "strobe/readers/trace_sink.h"

namespace strobe::readers::perfetto {

// Beginnings and ends of slices, as they come. A file need not have them in the order of their
// times, and may have all beginnings before all ends: they are joined when all are there.
class SpanEdges {
 public:
  // The slice has its row already, without its length.
  void begin(std::uint32_t place, std::int64_t time_ns, std::uint32_t row) {
    add(place, {time_ns, row, ArgsId()});
  }
  void end(std::uint32_t place, std::int64_t time_ns, ArgsId args) {
    add(place, {time_ns, kEnd, args});
  }
  // Gives the slices their lengths. What has no end lasts until `last_ns`.
  void join(std::int64_t last_ns, TraceSink& sink);

 private:
  static constexpr std::uint32_t kEnd = ~0u;
  struct Edge {
    std::int64_t time_ns;
    std::uint32_t row;  // of a beginning, or kEnd
    ArgsId args;
  };
  struct Line {
    std::vector<Edge> edges;
    bool is_in_order = true;
  };
  void add(std::uint32_t place, Edge edge) {
    if (place >= lines_.size()) lines_.resize(place + 1);
    Line& line = lines_[place];
    if (!line.edges.empty() && edge.time_ns < line.edges.back().time_ns) line.is_in_order = false;
    line.edges.push_back(edge);
  }
  static void join_line(Line& line, std::int64_t last_ns, TraceSink& sink);

  std::vector<Line> lines_;  // by place
};

}  // namespace strobe::readers::perfetto
