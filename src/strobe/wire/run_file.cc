#include "strobe/wire/run_file.h"

namespace strobe::wire {

static_assert(std::size(kThreadCodings) == kThreadColumns);
static_assert(std::size(kShapeCodings) == kShapeColumns);
static_assert(std::size(kWorkCodings) == kWorkColumns);
static_assert(std::size(kCopyCodings) == kCopyColumns);
static_assert(std::size(kCallCodings) == kCallColumns);
static_assert(std::size(kSyncCodings) == kSyncColumns);
static_assert(std::size(kAllocationCodings) == kAllocationColumns);
static_assert(std::size(kRangeCodings) == kRangeColumns);
static_assert(std::size(kSeriesCodings) == kSeriesColumns);
static_assert(std::size(kSampleCodings) == kSampleColumns);
static_assert(std::size(kWaitCodings) == kWaitColumns);
static_assert(std::size(kProcessCodings) == kProcessColumns);
static_assert(std::size(kNoteCodings) == kNoteColumns);

std::span<const Coding> codings_of(ChunkKind kind) noexcept {
  switch (kind) {
    case ChunkKind::kThreads:
      return kThreadCodings;
    case ChunkKind::kShapes:
      return kShapeCodings;
    case ChunkKind::kWork:
      return kWorkCodings;
    case ChunkKind::kCopies:
      return kCopyCodings;
    case ChunkKind::kCalls:
      return kCallCodings;
    case ChunkKind::kSyncs:
      return kSyncCodings;
    case ChunkKind::kAllocations:
      return kAllocationCodings;
    case ChunkKind::kRanges:
      return kRangeCodings;
    case ChunkKind::kSeries:
      return kSeriesCodings;
    case ChunkKind::kSamples:
      return kSampleCodings;
    case ChunkKind::kWaits:
      return kWaitCodings;
    case ChunkKind::kProcesses:
      return kProcessCodings;
    case ChunkKind::kNotes:
      return kNoteCodings;
    case ChunkKind::kSegment:
    case ChunkKind::kFacts:
    case ChunkKind::kTexts:
      break;
  }
  return {};
}

}  // namespace strobe::wire
