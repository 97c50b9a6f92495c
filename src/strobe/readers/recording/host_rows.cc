#include "strobe/readers/recording/host_rows.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "strobe/readers/dialect.h"
#include "strobe/readers/recording/recording_args.h"
#include "strobe/readers/recording/recording_names.h"
#include "strobe/readers/recording/step_ranges.h"
#include "strobe/readers/recording/text_names.h"
#include "strobe/readers/slice_memory.h"
#include "strobe/readers/start_order.h"

namespace strobe::readers {
namespace {

using wire::ChunkKind;
using wire::RangeWhat;

// The tracks of a process's threads by their numbers in the file.
class ThreadTracks {
 public:
  ThreadTracks(const RecordedFile& file, std::int64_t process, TrackFinder& tracks)
      : file_(file), process_(process), tracks_(tracks), known_(file.segments().size()) {}

  // Those of one segment. A thread that is unknown or lost has a track, too: that of nobody.
  class InSegment {
   public:
    TrackId find(std::uint64_t thread) {
      TrackId& track = known_[std::min<std::uint64_t>(thread, known_.size() - 1)];
      if (!track.valid()) [[unlikely]]
        track = all_.track_of(segment_, thread);
      return track;
    }

   private:
    friend class ThreadTracks;
    InSegment(ThreadTracks& all, const RecordedSegment& segment, std::vector<TrackId>& known)
        : all_(all), segment_(segment), known_(known) {}

    ThreadTracks& all_;
    const RecordedSegment& segment_;
    std::vector<TrackId>& known_;
  };

  InSegment in(std::uint32_t segment) {
    const RecordedSegment& from = file_.segments()[segment];
    if (known_[segment].empty()) known_[segment].resize(from.threads.size() + 1);  // the last: lost
    return {*this, from, known_[segment]};
  }

 private:
  TrackId track_of(const RecordedSegment& segment, std::uint64_t thread) {
    const bool is_known = thread < segment.threads.size() && segment.threads[thread].is_known;
    return tracks_.thread(
        process_, is_known ? static_cast<std::int64_t>(segment.threads[thread][wire::kThreadId])
                           : TrackFinder::kNobody);
  }

  const RecordedFile& file_;
  std::int64_t process_;
  TrackFinder& tracks_;
  std::vector<std::vector<TrackId>> known_;  // by segment
};

constexpr std::int64_t kNoSequence = -1;

// What the name of a range says about its slices.
struct RangeText {
  std::int64_t sequence_number = kNoSequence;
  bool sequence_is_payload = false;
  StringId name;
  ArgsId args;  // without what a single range has besides
  CategoryId category;
  SliceKind kind = SliceKind::kAnnotation;
  std::uint8_t flags = kNoFlags;
};

class RecordedRanges {
 public:
  RecordedRanges(const RecordedFile& file, std::int64_t process, TraceSink& sink)
      : file_(file),
        process_(process),
        sink_(sink),
        first_(sink.builder.slices().size()),
        threads_(file, process, sink.tracks),
        texts_(file) {}

  bool add_all() {
    const auto add_block = [&](const DecodedRows& rows) {
      auto texts = texts_.in(rows.segment);
      auto threads = threads_.in(rows.segment);
      for (std::size_t row = 0; row < rows.rows; ++row) {
        const RangeText& text = texts.find(rows.at(wire::kRangeName, row), sink_,
                                           [&](std::string_view words) { return text_of(words); });
        add(text, threads.find(rows.at(wire::kRangeThread, row)), rows, row);
      }
      return sink_.pulse(rows.rows);
    };
    if (!file_.for_each_block(ChunkKind::kRanges, sink_.report, add_block)) return false;
    add_sequences(order_by_start(sink_.builder.slices(), first_).new_rows());
    mark_steps(sink_.builder, first_);
    return true;
  }

 private:
  void add(const RangeText& text, TrackId thread, const DecodedRows& rows, std::size_t row) {
    const auto what = static_cast<RangeWhat>(rows.at(wire::kRangeWhat, row));
    const ArgsId args = args_of(text, rows, row);
    if (what == RangeWhat::kMark) {
      sink_.add_instant(rows.time(wire::kRangeStart, row), text.name, thread, text.category, args);
      return;
    }
    const SliceId slice = sink_.builder.add_slice(
        {.start_ns = rows.time(wire::kRangeStart, row),
         .duration_ns = rows.time(wire::kRangeDuration, row),
         .name = text.name,
         .track =
             what == RangeWhat::kFree ? sink_.tracks.beside_threads(process_, "ranges") : thread,
         .category = text.category,
         .kind = text.kind,
         .flags = text.flags,
         .args = args});
    const std::int64_t sequence = text.sequence_is_payload
                                      ? static_cast<std::int64_t>(rows.at(wire::kRangePayload, row))
                                      : text.sequence_number;
    if (sequence == kNoSequence) return;
    sequences_.push_back({slice, sequence, (text.flags & kBackwardWork) != 0});
  }

  RangeText text_of(std::string_view words) {
    const RecordedName name = parse_recorded_name(words);
    RangeText text = plain_text_of(name);
    text.sequence_number = name.sequence_number.value_or(kNoSequence);
    text.sequence_is_payload = name.sequence_is_payload;
    text.args = keep_args_of(name, {});
    return text;
  }

  // PyTorch gives every call of an operator a name of its own; what it is depends on the rest.
  RangeText plain_text_of(const RecordedName& name) {
    const StringId id = sink_.name(name.plain);
    const auto [entry, is_new] = plain_texts_.try_emplace({id, name.is_operator}, RangeText());
    if (is_new) {
      const std::string_view category = name.is_operator ? "cpu_op" : "user_annotation";
      const NameRule rule = kKinetoDialect.name_rule(
          name.is_operator ? SliceKind::kOperator : SliceKind::kAnnotation, category, name.plain);
      RangeText& text = entry->second;
      text.name = id;
      text.category = sink_.builder.category(category);
      text.kind = rule.kind;
      text.flags = rule.flags;
    }
    return entry->second;
  }

  ArgsId args_of(const RangeText& text, const DecodedRows& rows, std::size_t row) {
    const std::uint64_t domain = rows.at(wire::kRangeDomain, row);
    const std::uint64_t category = rows.at(wire::kRangeCategory, row);
    const std::uint64_t payload_type = rows.at(wire::kRangePayloadType, row);
    const bool has_details = domain != 0 || category != 0 || payload_type != 0;
    if (!has_details || !sink_.keeps_args()) return text.args;
    const RecordedSegment& segment = file_.segments()[rows.segment];
    const std::uint64_t name = rows.at(wire::kRangeName, row);
    const auto write = [&] {
      return keep_args_of(parse_recorded_name(segment.text(name).value_or(kLostName)),
                          {.domain = segment.text(domain).value_or(std::string_view()),
                           .category = segment.text(category).value_or(std::string_view()),
                           .payload_type = static_cast<wire::PayloadType>(payload_type),
                           .payload = rows.at(wire::kRangePayload, row)});
    };
    if (payload_type != 0) return write();
    const auto [entry, is_new] =
        detailed_args_.try_emplace({rows.segment, name, domain, category}, ArgsId());
    if (is_new) entry->second = write();
    return entry->second;
  }

  ArgsId keep_args_of(const RecordedName& name, const RangeDetails& details) {
    if (!sink_.keeps_args()) return {};
    write_range_args(name, details, scratch_);
    return sink_.keep(scratch_);
  }

  void add_sequences(const std::vector<std::uint32_t>& new_rows) {
    for (Sequence& one : sequences_) {
      if (!new_rows.empty()) one.slice = SliceId(new_rows[one.slice.index() - first_]);
    }
    std::ranges::sort(sequences_, {}, &Sequence::slice);
    SequenceVectors& columns = sink_.builder.sequences();
    for (const Sequence& one : sequences_) {
      columns.slices.push_back(one.slice);
      columns.sequence_numbers.push_back(one.number);
      // The recording does not say which thread ran the forward pass, only that another one did.
      columns.forward_threads.push_back(one.is_backward ? 1 : 0);
    }
  }

  struct Sequence {
    SliceId slice;
    std::int64_t number;
    bool is_backward;
  };
  using DetailsKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;

  const RecordedFile& file_;
  std::int64_t process_;
  TraceSink& sink_;
  std::size_t first_;
  ThreadTracks threads_;
  ByText<RangeText> texts_;
  std::map<std::pair<StringId, bool>, RangeText> plain_texts_;  // by name and is_operator
  std::map<DetailsKey, ArgsId> detailed_args_;                  // segment, name, domain, category
  std::vector<Sequence> sequences_;
  std::string scratch_;
};

// What the name of a call says about its slices.
struct CallText {
  StringId name;
  CategoryId category;
};

class RecordedCalls {
 public:
  RecordedCalls(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
                TraceSink& sink)
      : file_(file),
        launches_(launches),
        sink_(sink),
        first_(sink.builder.slices().size()),
        threads_(file, process, sink.tracks),
        texts_(file) {}

  bool add_all() {
    const auto add_block = [&](const DecodedRows& rows) {
      add(rows);
      return sink_.pulse(rows.rows);
    };
    if (!file_.for_each_block(ChunkKind::kCalls, sink_.report, add_block)) return false;
    launches_.number_segments();
    for (const Stretch& stretch : stretches_) number(stretch);
    order_by_start(sink_.builder.slices(), first_);
    return true;
  }

 private:
  void add(const DecodedRows& rows) {
    const std::size_t first = sink_.builder.slices().size();
    if (stretches_.empty() || stretches_.back().segment != rows.segment) {
      stretches_.push_back({rows.segment, first, first});
    }
    stretches_.back().end = first + rows.rows;
    auto texts = texts_.in(rows.segment);
    auto threads = threads_.in(rows.segment);
    const NewRows to = append_rows(sink_.builder.slices(), rows.rows);
    const std::uint64_t* const names = rows.column(wire::kCallName);
    const std::uint64_t* const callers = rows.column(wire::kCallThread);
    const std::uint64_t* const starts = rows.column(wire::kCallStart);
    const std::uint64_t* const durations = rows.column(wire::kCallDuration);
    const std::uint64_t* const correlations = rows.column(wire::kCallCorrelation);
    const std::uint64_t* const results = rows.column(wire::kCallResult);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const CallText text =
          texts.find(names[row], sink_, [&](std::string_view words) { return text_of(words); });
      launches_.note_call(rows.segment, correlations[row]);
      to.starts_ns[row] = static_cast<std::int64_t>(starts[row]);
      to.durations_ns[row] = static_cast<std::int64_t>(durations[row]);
      to.names[row] = text.name;
      to.tracks[row] = threads.find(callers[row]);
      to.categories[row] = text.category;
      to.kinds[row] = SliceKind::kRuntimeCall;
      to.correlations[row] =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(correlations[row], kNoLaunchId));
      to.externals[row] = kNoLaunchId;
      to.args[row] = args_of(results[row]);
    }
  }

  // The slices of a segment. Their correlations are the file's until all calls are known.
  struct Stretch {
    std::uint32_t segment;
    std::size_t first;
    std::size_t end;
  };
  void number(const Stretch& stretch) {
    std::vector<std::uint32_t>& correlations = sink_.builder.slices().correlations;
    for (std::size_t row = stretch.first; row < stretch.end; ++row) {
      correlations[row] = launches_.of(stretch.segment, correlations[row]);
    }
  }

  CallText text_of(std::string_view words) {
    return {sink_.name(words), sink_.builder.category(category_of_call(words))};
  }

  ArgsId args_of(std::uint64_t result) {
    if (result == 0 || !sink_.keeps_args()) return {};
    const auto [entry, is_new] = failures_.try_emplace(result, ArgsId());
    if (is_new) entry->second = sink_.keep(call_args(result));
    return entry->second;
  }

  const RecordedFile& file_;
  LaunchNumbers& launches_;
  TraceSink& sink_;
  std::size_t first_;
  ThreadTracks threads_;
  ByText<CallText> texts_;
  std::vector<Stretch> stretches_;
  std::map<std::uint64_t, ArgsId> failures_;  // by result
};

}  // namespace

bool add_ranges(const RecordedFile& file, std::int64_t process, TraceSink& sink) {
  return RecordedRanges(file, process, sink).add_all();
}

bool add_calls(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
               TraceSink& sink) {
  return RecordedCalls(file, process, launches, sink).add_all();
}

// Waits of several threads overlap.
bool add_syncs(const RecordedFile& file, std::int64_t process, LaunchNumbers& launches,
               TraceSink& sink) {
  ByText<StringId> names(file);
  std::map<std::pair<std::uint64_t, std::uint64_t>, ArgsId> args;  // by context and stream
  const auto add_block = [&](const DecodedRows& rows) {
    const TrackId track = sink.tracks.beside_threads(process, "waits for the device");
    const CategoryId category = sink.builder.category("cuda_sync");
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const std::pair key{rows.at(wire::kSyncContext, row), rows.at(wire::kSyncStream, row)};
      const auto [entry, is_new] = args.try_emplace(key, ArgsId());
      if (is_new) entry->second = sink.keep(sync_args(key.first, key.second));
      sink.builder.add_slice(
          {.start_ns = rows.time(wire::kSyncStart, row),
           .duration_ns = rows.time(wire::kSyncDuration, row),
           .name = names.in(rows.segment)
                       .find(rows.at(wire::kSyncName, row), sink,
                             [&](std::string_view words) { return sink.name(words); }),
           .track = track,
           .category = category,
           .kind = SliceKind::kSync,
           .correlation = launches.of(rows.segment, rows.at(wire::kSyncCorrelation, row)),
           .args = entry->second});
    }
    return sink.pulse(rows.rows);
  };
  return file.for_each_block(ChunkKind::kSyncs, sink.report, add_block);
}

}  // namespace strobe::readers
