#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "strobe/base/pickle.h"
#include "strobe/trace/allocator_snapshot.h"
#include "strobe/trace/import_report.h"

namespace strobe::readers {

// The texts that a snapshot uses as keys, in the order in which they get their ids.
enum class SnapshotKey : std::uint8_t {
  kAction,
  kAddr,
  kSize,
  kStream,
  kTimeUs,
  kFrames,
  kCompileContext,
  kUserMetadata,
  kDeviceFree,
  kName,
  kFilename,
  kLine,
  kAddress,
  kRequestedSize,
  kState,
  kHistory,
  kRealSize,
  kDevice,
  kTotalSize,
  kSegmentType,
  kSegmentPoolId,
  kIsExpandable,
  kBlocks,
  kStage,
  kCount_,
};
StringPool snapshot_keys();

// Turns the dicts of a snapshot into rows while its pickle is read. In the data a row is a folded
// value: its number and what it is.
class SnapshotRows final : public PickleFolder {
 public:
  enum class Row : std::uint8_t { kFrame, kStack, kEvent, kBlock, kSegment };

  SnapshotRows(AllocatorSnapshot& snapshot, ImportReport& report)
      : snapshot_(snapshot), report_(report) {}

  std::optional<std::uint64_t> fold_dict(const PickleData& data,
                                         std::span<const PickleValue> members) override;
  std::optional<std::uint64_t> fold_list(const PickleData& data,
                                         std::span<const PickleValue> items) override;

  // The number of the row; nothing if the value is not one of this kind.
  static std::optional<std::size_t> row_of(PickleValue value, Row row);
  // The same of a dict that was not folded: one that was filled in small portions.
  std::optional<std::size_t> find_row(const PickleData& data, PickleValue value, Row row);

  // Of every segment row the value of its member "blocks".
  const std::vector<PickleValue>& blocks_of_segments() const { return blocks_of_segments_; }
  // Bytes that can be; anything else is reported and becomes 0.
  std::int64_t bytes_of(const PickleData& data, std::optional<PickleValue> value);
  std::int64_t time_of(const PickleData& data, std::optional<PickleValue> value);
  std::int32_t device_of(const PickleData& data, std::optional<PickleValue> value);
  void set_offset(std::uint64_t offset) { offset_ = offset; }

 private:
  class Members;

  std::uint32_t add_frame(const PickleData& data, const Members& members);
  std::uint64_t add_event(const PickleData& data, const Members& members);
  std::uint64_t add_block(const PickleData& data, const Members& members);
  std::uint64_t add_segment(const PickleData& data, const Members& members);
  std::optional<std::uint64_t> add_row(const PickleData& data, const Members& members);
  StackId add_stack(std::span<const std::uint32_t> frames);
  StackId stack_of(const PickleData& data, std::optional<PickleValue> frames);
  std::uint32_t stream_of(const PickleData& data, std::optional<PickleValue> value);
  std::int64_t whole(const PickleData& data, std::optional<PickleValue> value);
  AllocatorAction action_of(const PickleData& data, PickleValue value);
  BlockState state_of(const PickleData& data, PickleValue value);
  void report_bad_number() { report_.add(ImportIssue::kBadNumber, offset_); }

  AllocatorSnapshot& snapshot_;
  ImportReport& report_;
  std::uint64_t offset_ = 0;                                          // about where reading is
  std::int64_t bytes_told_ = 0;                                       // the sum of all sizes
  std::unordered_multimap<std::uint64_t, std::uint32_t> frame_rows_;  // by hash
  std::unordered_multimap<std::uint64_t, std::uint32_t> stack_rows_;
  std::unordered_map<std::int64_t, std::uint32_t> stream_rows_;
  std::vector<std::uint32_t> frames_;  // scratch
  std::vector<PickleValue> blocks_of_segments_;
};

}  // namespace strobe::readers
