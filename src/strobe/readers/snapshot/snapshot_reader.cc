#include "strobe/readers/snapshot/snapshot_reader.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/pickle.h"
#include "strobe/base/text.h"
#include "strobe/readers/snapshot/snapshot_events.h"
#include "strobe/readers/snapshot/snapshot_rows.h"

namespace strobe::readers {
namespace {

using SnapshotRow = SnapshotRows::Row;

// The first protocols have no mark: the words of a snapshot must be there, in a text that is not
// JSON.
bool looks_like_snapshot(const TraceInput& input) {
  const std::string_view first = input.first();
  if (begins_like_pickle(first)) return true;
  if (first.empty() || std::string_view("}](").find(first[0]) == std::string_view::npos) {
    return false;
  }
  const auto has = [&](std::string_view word) {
    return first.find(word) != std::string_view::npos;
  };
  return has("total_size") && has("address") && (has("segments") || has("blocks"));
}

Error no_snapshot() {
  return {ErrorCode::kMalformed, "a pickle, but no snapshot of an allocator", "",
          "torch.cuda.memory._dump_snapshot() writes one"};
}

// Puts the rows of the pickle into the order of its lists.
class SnapshotAssembler {
 public:
  SnapshotAssembler(const Pickle& pickle, SnapshotRows& rows, AllocatorSnapshot& snapshot,
                    ImportReport& report)
      : pickle_(pickle), rows_(rows), snapshot_(snapshot), report_(report) {}

  // False: there is nothing in it.
  bool assemble() {
    if (pickle_.root.is(PickleKind::kList)) {  // of segments, as older versions return it
      take_segments(pickle_.root);
      take_histories(PickleValue());
      return !snapshot_.segments.empty();
    }
    const auto segments = member("segments");
    const auto traces = member("device_traces");
    take_segments(segments.value_or(PickleValue()));
    take_histories(traces.value_or(PickleValue()));
    if (const auto settings = member("allocator_settings")) take_settings(*settings, "");
    if (const auto annotations = member("external_annotations")) take_annotations(*annotations);
    return segments || traces;
  }

 private:
  std::optional<PickleValue> member(std::string_view key) const {
    return pickle_.data.find(pickle_.root, key);
  }

  std::vector<std::size_t> rows_in(PickleValue list, SnapshotRow row) {
    std::vector<std::size_t> found;
    pickle_.data.for_each(list, [&](PickleValue item) {
      if (const auto number = rows_.find_row(pickle_.data, item, row)) {
        found.push_back(*number);
      } else {
        report_.add(ImportIssue::kMalformedEntry, 0);
      }
    });
    return found;
  }

  void take_segments(PickleValue list) {
    std::vector<AllocatorSegment> segments;
    std::vector<AllocatorBlock> blocks;
    for (const std::size_t row : rows_in(list, SnapshotRow::kSegment)) {
      AllocatorSegment segment = snapshot_.segments[row];
      segment.first_block = blocks.size();
      for (const std::size_t block :
           rows_in(rows_.blocks_of_segments()[row], SnapshotRow::kBlock)) {
        blocks.push_back(snapshot_.blocks[block]);
      }
      segment.block_count = blocks.size() - segment.first_block;
      place_blocks(segment, blocks);
      segments.push_back(segment);
    }
    snapshot_.segments = std::move(segments);
    snapshot_.blocks = std::move(blocks);
  }

  // Older snapshots give no addresses of blocks: they lie one after the other.
  static void place_blocks(const AllocatorSegment& segment, std::vector<AllocatorBlock>& blocks) {
    std::uint64_t address = segment.address;
    for (std::size_t i = segment.first_block; i < blocks.size(); ++i) {
      if (blocks[i].address == 0) blocks[i].address = address;
      address = blocks[i].address + static_cast<std::uint64_t>(blocks[i].bytes);
    }
  }

  void take_histories(PickleValue list) {
    std::vector<std::size_t> order;
    pickle_.data.for_each(list, [&](PickleValue history) {
      const std::vector<std::size_t> rows = rows_in(history, SnapshotRow::kEvent);
      if (snapshot_.histories.size() >= kMostHistories) {
        if (!rows.empty()) report_.add_many(ImportIssue::kMalformedEntry, rows.size());
        return;
      }
      snapshot_.histories.push_back({order.size(), rows.size()});
      order.insert(order.end(), rows.begin(), rows.end());
    });
    const bool is_in_order = order.size() == snapshot_.events.size() &&
                             std::ranges::adjacent_find(order, [](std::size_t a, std::size_t b) {
                               return b != a + 1;
                             }) == order.end();
    if (!is_in_order) reorder_events(order);
  }

  // What stands in no list is left out.
  void reorder_events(const std::vector<std::size_t>& order) {
    const auto take = [&](auto& column) {
      auto taken = column;
      taken.clear();
      for (const std::size_t row : order) taken.push_back(column[row]);
      column = std::move(taken);
    };
    AllocatorEvents& events = snapshot_.events;
    take(events.times_ns);
    take(events.actions);
    take(events.addresses);
    take(events.bytes);
    take(events.streams);
    take(events.stacks);
    take(events.contexts);
    take(events.remarks);
  }

  std::string setting_text(PickleValue value) const {
    const PickleData& data = pickle_.data;
    if (value.is(PickleKind::kText)) return sanitize_utf8(data.text(value));
    if (value.is(PickleKind::kBool)) return data.whole(value) == 1 ? "true" : "false";
    if (const auto whole = data.whole(value)) return std::to_string(*whole);
    if (const auto number = data.number(value)) return fmt::format("{}", *number);
    return value.is(PickleKind::kNone) ? "" : counted(data.size(value), "item");
  }

  // Settings below a setting are "name.key"; there is one such level.
  void take_settings(PickleValue dict, const std::string& prefix) {
    if (!dict.is(PickleKind::kDict)) return;
    std::optional<PickleValue> key;
    pickle_.data.for_each(dict, [&](PickleValue item) {
      if (!key) {
        key = item;
        return;
      }
      const std::string name = prefix + setting_text(*key);
      key.reset();
      if (item.is(PickleKind::kDict) && prefix.empty()) {
        take_settings(item, name + ".");
      } else {
        snapshot_.settings.emplace_back(name, setting_text(item));
      }
    });
  }

  void take_annotations(PickleValue list) {
    const PickleData& data = pickle_.data;
    data.for_each(list, [&](PickleValue item) {
      if (!item.is(PickleKind::kDict)) {
        report_.add(ImportIssue::kMalformedEntry, 0);
        return;
      }
      const auto text = [&](std::string_view key) {
        return sanitize_utf8(data.text(data.find(item, key).value_or(PickleValue())));
      };
      snapshot_.annotations.push_back({text("name"), text("stage"),
                                       rows_.device_of(data, data.find(item, "device")),
                                       rows_.time_of(data, data.find(item, "time_us"))});
    });
  }

  static constexpr std::size_t kMostHistories = 1024;

  const Pickle& pickle_;
  SnapshotRows& rows_;
  AllocatorSnapshot& snapshot_;
  ImportReport& report_;
};

// The bytes of the pickle, and what was wrong with the packed file around it.
class WatchedStream final : public ByteStream {
 public:
  explicit WatchedStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  Result<std::size_t> read(std::span<char> out) override {
    Result<std::size_t> bytes = stream_->read(out);
    if (!bytes && !damage_) damage_ = bytes.error();
    return bytes;
  }
  std::uint64_t consumed_bytes() const override { return stream_->consumed_bytes(); }
  const std::optional<Error>& damage() const { return damage_; }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::optional<Error> damage_;
};

void report_pickle_damage(const Pickle& pickle, const WatchedStream& stream, ImportReport& report) {
  if (stream.damage()) {
    report.add(ImportIssue::kBadCompressedData, pickle.damage ? pickle.damage->offset : 0,
               stream.damage()->what + " (" + stream.damage()->where + ")");
  } else if (pickle.damage) {
    report.add(pickle.damage->is_cut ? ImportIssue::kTruncatedFile : ImportIssue::kDamagedRest,
               pickle.damage->offset, pickle.damage->what);
  }
}

Result<void> read_snapshot(const TraceInput& input, TraceSink& sink) {
  STROBE_TRY(auto bytes, input.stream());
  WatchedStream stream(std::move(bytes));
  auto snapshot = std::make_shared<AllocatorSnapshot>();
  SnapshotRows rows(*snapshot, sink.report);
  sink.expect(std::max<std::uint64_t>(1, input.file_bytes()));
  std::uint64_t consumed = 0;
  const auto pulse = [&](std::uint64_t offset) {
    const std::uint64_t now = stream.consumed_bytes();
    const bool goes_on = sink.pulse(now - std::exchange(consumed, now));
    rows.set_offset(offset);
    return goes_on;
  };
  STROBE_TRY(Pickle pickle,
             read_pickle(stream, {.texts = snapshot_keys(), .folder = &rows, .pulse = pulse}));
  SnapshotAssembler assembler(pickle, rows, *snapshot, sink.report);
  const bool has_content = assembler.assemble();
  report_pickle_damage(pickle, stream, sink.report);
  if (!has_content) return no_snapshot();
  sink.report.text_bytes = pickle.bytes;
  snapshot->strings = std::move(pickle.data.texts());
  add_allocator_events(*snapshot, sink);
  sink.snapshot = std::move(snapshot);
  return {};
}

}  // namespace

const FileFormat kAllocatorSnapshots{"allocator snapshot", looks_like_snapshot, read_snapshot};

}  // namespace strobe::readers
