#include "strobe/readers/merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "strobe/base/text.h"
#include "strobe/base/threads.h"

namespace strobe::readers {
namespace {

bool is_asynchronous(char phase) { return phase != 'B' && phase != 'E'; }
bool is_beginning(char phase) { return phase == 'B' || phase == 'b' || phase == 'S'; }

// One of them with the trace's category instead of its shard's.
struct SpanEdge {
  SpanEdgeRow row;
  CategoryId category;
};

// The key that a beginning and its end share.
struct PairKey {
  TrackId track;        // of synchronous ones
  CategoryId category;  // of asynchronous ones, with the id
  std::uint64_t id = 0;
  auto operator<=>(const PairKey&) const = default;
};

// Turns B/E and asynchronous b/e (or S/F) pairs, given in file order with the builder's ids, into
// slices at the end of the columns; the caller sets their kind. A beginning without an end lasts
// until the trace's last time.
class EdgePairing {
 public:
  EdgePairing(TraceBuilder& builder, ImportReport& report) : builder_(builder), report_(report) {}

  void run(std::vector<SpanEdge> edges) {
    // Writers flush per thread, so the file is not sorted by time; equal times keep their order.
    std::stable_sort(edges.begin(), edges.end(), [](const SpanEdge& a, const SpanEdge& b) {
      return a.row.time_ns < b.row.time_ns;
    });
    std::int64_t last_ns = edges.empty() ? 0 : edges.back().row.time_ns;
    for (std::size_t row = 0; row < builder_.slices().size(); ++row) {
      last_ns =
          std::max(last_ns, builder_.slices().starts_ns[row] + builder_.slices().durations_ns[row]);
    }
    for (const SpanEdge& edge : edges) {
      auto& open = open_[key_of(edge)];
      if (is_beginning(edge.row.phase)) {
        open.push_back(edge);
      } else if (open.empty()) {
        report_.add(ImportIssue::kUnmatchedEnd, edge.row.byte_offset);
      } else {
        const auto begin = beginning_of(edge, open);
        add(*begin, edge.row.time_ns, edge.row.args, kNoFlags);
        open.erase(begin);
      }
    }
    for (const auto& [key, open] : open_) {
      for (const SpanEdge& edge : open) {
        report_.add(ImportIssue::kUnmatchedBegin, edge.row.byte_offset);
        add(edge, std::max(last_ns, edge.row.time_ns), ArgsId(), kUnfinished);
      }
    }
  }

 private:
  static PairKey key_of(const SpanEdge& edge) {
    if (!is_asynchronous(edge.row.phase)) return {edge.row.track, CategoryId(), 0};
    return {TrackId(), edge.category, edge.row.id};
  }

  // The last one of its name: what ran in parallel may share a thread. An end without a name, or
  // with one that is not open, ends the last one.
  static std::vector<SpanEdge>::iterator beginning_of(const SpanEdge& end,
                                                      std::vector<SpanEdge>& open) {
    constexpr std::ptrdiff_t kMostInParallel = 64;
    const auto last = open.end() - 1;
    if (is_asynchronous(end.row.phase) || !end.row.name.valid()) return last;
    for (auto begin = open.end(); begin != open.begin() && open.end() - begin < kMostInParallel;) {
      --begin;
      if (begin->row.name == end.row.name) return begin;
    }
    return last;
  }

  void add(const SpanEdge& begin, std::int64_t end_ns, ArgsId end_args, std::uint8_t flags) {
    const SpanEdgeRow& row = begin.row;
    TraceBuilder::SliceRow slice;
    slice.start_ns = row.time_ns;
    slice.duration_ns = end_ns - row.time_ns;
    slice.name = row.name.valid() ? row.name : builder_.intern("");
    slice.track = is_asynchronous(row.phase) ? async_track(begin) : row.track;
    slice.category = begin.category;
    slice.flags = flags;
    slice.correlation = row.correlation;
    slice.external = row.external;
    slice.args = row.args.valid() ? row.args : end_args;
    const SliceId added = builder_.add_slice(slice);
    if (row.sequence_number < 0) return;
    SequenceVectors& sequences = builder_.sequences();
    sequences.slices.push_back(added);
    sequences.sequence_numbers.push_back(row.sequence_number);
    sequences.forward_threads.push_back(row.forward_thread);
  }

  // Asynchronous slices of one process and category share a track: they may overlap there.
  TrackId async_track(const SpanEdge& edge) {
    const Track& host = builder_.tracks()[edge.row.track.index()];
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
  std::map<PairKey, std::vector<SpanEdge>> open_;
  std::map<std::pair<StringId, CategoryId>, TrackId> async_tracks_;
};

// Maps one shard's ids to the trace's ids, filled when they are first used.
struct Renumbering {
  std::vector<StringId> strings;
  std::vector<TrackId> tracks;
  std::vector<CategoryId> categories;
};

class Merge {
 public:
  Merge(std::vector<Shard>& shards, std::vector<Piece>& pieces, TraceBuilder& builder,
        ImportReport& report)
      : shards_(shards),
        pieces_(pieces),
        builder_(builder),
        report_(report),
        renumbered_(shards.size()) {
    for (std::size_t i = 0; i < shards.size(); ++i) {
      renumbered_[i].strings.resize(shards[i].strings.size());
      renumbered_[i].tracks.resize(shards[i].tracks.size());
      renumbered_[i].categories.resize(shards[i].categories.size());
    }
  }

  void run(FileOrder& order) {
    find_lanes();
    for (Piece& piece : pieces_) {
      report_.append(piece.report);
      args_before_.push_back(static_cast<std::uint32_t>(builder_.args().size()));
      builder_.args().append(std::move(piece.args));
    }
    move_slices(order);
    move_sequences();
    move_early_work(order);
    move_flows();
    move_instants();
    move_counters();
    move_memory(order);
    std::vector<SpanEdge> edges = take_edges();
    apply_namings();
    report_.add_many(ImportIssue::kTooManyCategories, lost_categories_.size());
    if (!edges.empty()) EdgePairing(builder_, report_).run(std::move(edges));
  }

 private:
  StringId string_of(std::size_t shard, StringId local) {
    if (!local.valid()) return {};
    StringId& global = renumbered_[shard].strings[local.index()];
    if (!global.valid()) [[unlikely]]
      global = builder_.intern(shards_[shard].strings[local]);
    return global;
  }

  CategoryId category_of(std::size_t shard, ShardCategoryId local) {
    CategoryId& global = renumbered_[shard].categories[local.index()];
    if (!global.valid()) [[unlikely]] {
      const StringId name = string_of(shard, shards_[shard].categories[local.index()].name);
      global = builder_.category(builder_.strings()[name]);
      if (builder_.categories()[global.index()].name != name) lost_categories_.insert(name);
    }
    return global;
  }

  TrackId track_of(std::size_t shard, TrackId local) {
    TrackId& global = renumbered_[shard].tracks[local.index()];
    if (!global.valid()) [[unlikely]] {
      const TrackKey& key = shards_[shard].tracks[local.index()];
      global =
          find_or_add_track({string_of(shard, key.process), real_thread(shard, key), key.device});
    }
    return global;
  }

  // Before the first track is made, so that threads with lanes keep their places.
  void find_lanes() {
    for (const Shard& shard : shards_) {
      for (std::size_t row = 0; row < shard.namings.size(); ++row) {
        const NamingRow& naming = shard.namings[row];
        if (naming.what != NamingRow::What::kLaneOf) continue;
        const TrackKey& key = shard.tracks[naming.track.index()];
        lanes_[{shard.strings[key.process], shard.strings[key.thread]}] =
            shard.strings[naming.text];
      }
    }
  }

  StringId real_thread(std::size_t shard, const TrackKey& key) {
    const StringPool& strings = shards_[shard].strings;
    const auto lane = lanes_.find({strings[key.process], strings[key.thread]});
    return lane == lanes_.end() ? string_of(shard, key.thread) : builder_.intern(lane->second);
  }

  TrackId find_or_add_track(const TrackKey& key) {
    if (key.device == TrackKey::kAnyDevice) {
      const auto found = any_track_.find({key.process, key.thread});
      if (found != any_track_.end()) return found->second;
    }
    const auto [entry, is_new] =
        track_ids_.try_emplace({key.process, key.thread, key.device}, TrackId());
    if (!is_new) return entry->second;
    Track track;
    track.kind = key.device >= 0 ? TrackKind::kDeviceStream : TrackKind::kHostThread;
    track.process = key.process;
    track.thread = key.thread;
    track.process_number = parse_whole_number(builder_.strings()[key.process]);
    track.thread_number = parse_whole_number(builder_.strings()[key.thread]);
    if (key.device >= 0) track.device = key.device;
    entry->second = builder_.add_track(track);
    any_track_.try_emplace({key.process, key.thread}, entry->second);
    return entry->second;
  }

  ArgsId args_of(std::size_t piece, ArgsId local) const {
    return local.valid() ? ArgsId(local.index() + args_before_[piece]) : ArgsId();
  }

  // Appends rows [from, to) of each piece to `target` and frees the shard's blocks that were read.
  template <class T, class Select, class Convert>
  void move_column(std::vector<T>& target, Select select, Convert convert) {
    target.resize(slice_count_);
    T* out = target.data();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const Piece& piece = pieces_[p];
      auto& column = select(shards_[piece.shard].slices);
      for (std::size_t row = piece.begin.slices; row < piece.end.slices; ++row)
        *out++ = convert(p, column[row]);
      column.release_before(piece.end.slices);
    }
    for (Shard& shard : shards_) select(shard.slices).clear();
  }

  template <class T, class Select>
  void move_column(std::vector<T>& target, Select select) {
    move_column(target, select, [](std::size_t, T value) { return value; });
  }

  void move_slices(FileOrder& order) {
    bool has_relative_times = false;
    for (const Piece& piece : pieces_) {
      slices_before_.push_back(static_cast<std::uint32_t>(slice_count_));
      slice_count_ += piece.end.slices - piece.begin.slices;
      has_relative_times =
          has_relative_times || shards_[piece.shard].slices.relative_starts_ns.size() > 0;
    }
    SliceVectors& slices = builder_.slices();
    // PERF: two threads merge what two threads scanned; numbers are moved in parallel with ids,
    // which must be processed in order.
    const auto move_numbers = [&] {
      move_column(
          slices.starts_ns, [](SliceRows & rows) -> auto& { return rows.starts_ns; });
      move_column(
          slices.durations_ns, [](SliceRows & rows) -> auto& { return rows.durations_ns; });
      move_column(
          slices.correlations, [](SliceRows & rows) -> auto& { return rows.correlations; });
      move_column(
          slices.externals, [](SliceRows & rows) -> auto& { return rows.externals; });
      slices.kinds.resize(slice_count_);
    };
    const auto move_ids = [&] {
      move_column(
          slices.names, [](SliceRows & rows) -> auto& { return rows.names; },
          [&](std::size_t p, StringId id) { return string_of(pieces_[p].shard, id); });
      move_column(
          slices.tracks, [](SliceRows & rows) -> auto& { return rows.tracks; },
          [&](std::size_t p, TrackId id) { return track_of(pieces_[p].shard, id); });
      move_column(
          slices.categories, [](SliceRows & rows) -> auto& { return rows.categories; },
          [&](std::size_t p, ShardCategoryId id) { return category_of(pieces_[p].shard, id); });
      move_column(
          slices.args, [](SliceRows & rows) -> auto& { return rows.args; },
          [&](std::size_t p, ArgsId id) { return args_of(p, id); });
      move_column(
          slices.flags, [](SliceRows & rows) -> auto& { return rows.flags; });
    };
    if (shards_.size() > 1) {
      run_in_threads(2, [&](unsigned half) { half == 0 ? move_ids() : move_numbers(); });
    } else {
      move_numbers();
      move_ids();
    }
    if (!has_relative_times) return;
    move_column(
        order.relative_starts_ns,
        [](SliceRows & rows) -> auto& { return rows.relative_starts_ns; });
    move_column(
        order.relative_ends_ns, [](SliceRows & rows) -> auto& { return rows.relative_ends_ns; });
  }

  // Calls f(piece number, shard number, row) for every row of a table, in file order, then frees
  // the table.
  template <class Row, class F>
  void for_each_row(BlockList<Row> Shard::*table, std::size_t RowMarks::*mark, F f) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const Piece& piece = pieces_[p];
      const BlockList<Row>& rows = shards_[piece.shard].*table;
      for (std::size_t row = piece.begin.*mark; row < piece.end.*mark; ++row)
        f(p, piece.shard, rows[row]);
    }
    for (Shard& shard : shards_) (shard.*table).clear();
  }

  // The trace's number of a slice, or of the slices before something, in a piece.
  std::uint32_t slice_of(std::size_t piece, std::size_t local) const {
    return static_cast<std::uint32_t>(local - pieces_[piece].begin.slices + slices_before_[piece]);
  }

  void move_early_work(FileOrder& order) {
    for_each_row(&Shard::early_work, &RowMarks::early_work,
                 [&](std::size_t p, std::size_t, const EarlyWork& row) {
                   order.early_work.push_back({slice_of(p, row.slice), row.byte_offset});
                 });
  }

  void move_sequences() {
    SequenceVectors& columns = builder_.sequences();
    for_each_row(&Shard::sequences, &RowMarks::sequences,
                 [&](std::size_t p, std::size_t, const SequenceRow& row) {
                   columns.slices.push_back(SliceId(slice_of(p, row.slice)));
                   columns.sequence_numbers.push_back(row.sequence_number);
                   columns.forward_threads.push_back(row.forward_thread);
                 });
  }

  void move_flows() {
    FlowVectors& columns = builder_.flows();
    std::size_t count = 0;
    for (const Piece& piece : pieces_) count += piece.end.flows - piece.begin.flows;
    columns.times_ns.reserve(count);
    columns.ids.reserve(count);
    columns.tracks.reserve(count);
    columns.categories.reserve(count);
    columns.phases.reserve(count);
    for_each_row(&Shard::flows, &RowMarks::flows,
                 [&](std::size_t, std::size_t shard, const FlowRow& row) {
                   columns.times_ns.push_back(row.time_ns);
                   columns.ids.push_back(row.id);
                   columns.tracks.push_back(track_of(shard, row.track));
                   columns.categories.push_back(category_of(shard, row.category));
                   columns.phases.push_back(row.phase);
                 });
  }

  void move_instants() {
    InstantVectors& columns = builder_.instants();
    for_each_row(&Shard::instants, &RowMarks::instants,
                 [&](std::size_t p, std::size_t shard, const InstantRow& row) {
                   columns.times_ns.push_back(row.time_ns);
                   columns.names.push_back(string_of(shard, row.name));
                   columns.tracks.push_back(track_of(shard, row.track));
                   columns.categories.push_back(category_of(shard, row.category));
                   columns.args.push_back(args_of(p, row.args));
                 });
  }

  void move_counters() {
    CounterVectors& columns = builder_.counters();
    for_each_row(&Shard::counters, &RowMarks::counters,
                 [&](std::size_t, std::size_t shard, const CounterRow& row) {
                   columns.times_ns.push_back(row.time_ns);
                   columns.tracks.push_back(track_of(shard, row.track));
                   columns.names.push_back(string_of(shard, row.name));
                   columns.series.push_back(string_of(shard, row.series));
                   columns.values.push_back(row.value);
                 });
  }

  void move_memory(FileOrder& order) {
    MemoryVectors& columns = builder_.memory();
    for_each_row(&Shard::memory, &RowMarks::memory,
                 [&](std::size_t p, std::size_t shard, const MemoryEventRow& row) {
                   columns.times_ns.push_back(row.time_ns);
                   columns.tracks.push_back(track_of(shard, row.track));
                   columns.actions.push_back(row.action);
                   columns.places.push_back(string_of(shard, row.place));
                   columns.bytes.push_back(row.bytes);
                   columns.addresses.push_back(row.address);
                   columns.allocated_bytes.push_back(row.allocated_bytes);
                   columns.reserved_bytes.push_back(row.reserved_bytes);
                   columns.peak_allocated_bytes.push_back(row.peak_allocated_bytes);
                   columns.peak_reserved_bytes.push_back(row.peak_reserved_bytes);
                   columns.owners.emplace_back();
                   order.slices_before_memory.push_back(slice_of(p, row.slices_before));
                 });
  }

  std::vector<SpanEdge> take_edges() {
    std::vector<SpanEdge> edges;
    for_each_row(&Shard::edges, &RowMarks::edges,
                 [&](std::size_t p, std::size_t shard, SpanEdgeRow row) {
                   row.name = string_of(shard, row.name);
                   row.track = track_of(shard, row.track);
                   row.args = args_of(p, row.args);
                   edges.push_back({row, category_of(shard, row.category)});
                 });
    return edges;
  }

  // Names apply to every track of their process or thread, whether it has slices or not.
  void apply_namings() {
    using What = NamingRow::What;
    std::map<StringId, StringId> process_names;
    std::map<std::pair<StringId, StringId>, StringId> thread_names;
    std::map<std::pair<StringId, StringId>, std::int64_t> sort_indices;
    for_each_row(&Shard::namings, &RowMarks::namings,
                 [&](std::size_t, std::size_t shard, const NamingRow& row) {
                   const TrackKey& key = shards_[shard].tracks[row.track.index()];
                   const StringId process = string_of(shard, key.process);
                   const StringId thread = string_of(shard, key.thread);
                   if (row.what == What::kProcessName) {
                     process_names[process] = string_of(shard, row.text);
                   } else if (row.what == What::kThreadName) {
                     thread_names[{process, thread}] = string_of(shard, row.text);
                   } else if (row.what == What::kSortIndex) {
                     sort_indices[{process, thread}] = row.number;
                   }
                 });
    for (Track& track : builder_.tracks()) {
      if (const auto found = process_names.find(track.process); found != process_names.end()) {
        track.process_name = found->second;
      }
      const std::pair key{track.process, track.thread};
      if (const auto found = thread_names.find(key); found != thread_names.end()) {
        track.thread_name = found->second;
      }
      if (const auto found = sort_indices.find(key); found != sort_indices.end()) {
        track.sort_index = found->second;
      }
    }
  }

  std::vector<Shard>& shards_;
  std::vector<Piece>& pieces_;
  TraceBuilder& builder_;
  ImportReport& report_;
  std::vector<Renumbering> renumbered_;
  std::vector<std::uint32_t> args_before_;
  std::vector<std::uint32_t> slices_before_;
  std::size_t slice_count_ = 0;
  std::unordered_set<StringId> lost_categories_;  // that became TraceBuilder::kOtherCategory
  // By process and lane: the thread that the lane's slices belong to. Texts of the shards.
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> lanes_;
  std::map<std::tuple<StringId, StringId, std::int32_t>, TrackId> track_ids_;
  std::map<std::pair<StringId, StringId>, TrackId> any_track_;
};

}  // namespace

void merge_pieces(std::vector<Shard>& shards, std::vector<Piece>& pieces, TraceBuilder& builder,
                  FileOrder& order, ImportReport& report) {
  Merge(shards, pieces, builder, report).run(order);
}

}  // namespace strobe::readers
