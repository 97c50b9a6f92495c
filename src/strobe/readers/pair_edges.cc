#include "strobe/readers/pair_edges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace strobe::readers {
namespace {

bool is_asynchronous(char phase) { return phase != 'B' && phase != 'E'; }
bool is_beginning(char phase) { return phase == 'B' || phase == 'b' || phase == 'S'; }

// What a beginning and its end have in common.
struct PairKey {
  TrackId track;        // of synchronous ones
  CategoryId category;  // of asynchronous ones, with the id
  std::uint64_t id = 0;
  auto operator<=>(const PairKey&) const = default;
};

class EdgePairing {
 public:
  EdgePairing(TraceBuilder& builder, ImportReport& report) : builder_(builder), report_(report) {}

  void run(std::vector<SpanEdgeRow> edges) {
    // Writers flush per thread, so the file's order is not the time's; equal times keep the file's.
    std::stable_sort(edges.begin(), edges.end(), [](const SpanEdgeRow& a, const SpanEdgeRow& b) {
      return a.time_ns < b.time_ns;
    });
    std::int64_t last_ns = edges.empty() ? 0 : edges.back().time_ns;
    for (std::size_t row = 0; row < builder_.slices().size(); ++row) {
      last_ns =
          std::max(last_ns, builder_.slices().starts_ns[row] + builder_.slices().durations_ns[row]);
    }
    for (const SpanEdgeRow& edge : edges) {
      auto& open = open_[key_of(edge)];
      if (is_beginning(edge.phase)) {
        open.push_back(edge);
      } else if (open.empty()) {
        report_.add(ImportIssue::kUnmatchedEnd, edge.byte_offset);
      } else {
        add(open.back(), edge.time_ns, edge.args, kNoFlags);
        open.pop_back();
      }
    }
    for (const auto& [key, open] : open_) {
      for (const SpanEdgeRow& edge : open) {
        report_.add(ImportIssue::kUnmatchedBegin, edge.byte_offset);
        add(edge, std::max(last_ns, edge.time_ns), ArgsId(), kUnfinished);
      }
    }
  }

 private:
  static PairKey key_of(const SpanEdgeRow& edge) {
    if (!is_asynchronous(edge.phase)) return {edge.track, CategoryId(), 0};
    return {TrackId(), edge.category, edge.id};
  }

  void add(const SpanEdgeRow& begin, std::int64_t end_ns, ArgsId end_args, std::uint8_t flags) {
    TraceBuilder::SliceRow slice;
    slice.start_ns = begin.time_ns;
    slice.duration_ns = end_ns - begin.time_ns;
    slice.name = begin.name.valid() ? begin.name : builder_.intern("");
    slice.track = is_asynchronous(begin.phase) ? async_track(begin) : begin.track;
    slice.category = begin.category;
    slice.flags = flags;
    slice.args = begin.args.valid() ? begin.args : end_args;
    builder_.add_slice(slice);
  }

  // Asynchronous slices of one process and category share a track: they may overlap there.
  TrackId async_track(const SpanEdgeRow& edge) {
    const Track& host = builder_.tracks()[edge.track.index()];
    const auto [found, is_new] =
        async_tracks_.try_emplace({host.process, edge.category}, TrackId());
    if (is_new) {
      Track track;
      track.kind = TrackKind::kAsync;
      track.process = host.process;
      track.process_number = host.process_number;
      track.process_name = host.process_name;
      track.thread = builder_.categories()[edge.category.index()].name;
      found->second = builder_.add_track(track);
    }
    return found->second;
  }

  TraceBuilder& builder_;
  ImportReport& report_;
  std::map<PairKey, std::vector<SpanEdgeRow>> open_;
  std::map<std::pair<StringId, CategoryId>, TrackId> async_tracks_;
};

}  // namespace

void pair_edges(std::vector<SpanEdgeRow> edges, TraceBuilder& builder, ImportReport& report) {
  EdgePairing(builder, report).run(std::move(edges));
}

}  // namespace strobe::readers
