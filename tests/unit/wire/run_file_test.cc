#include "strobe/wire/run_file.h"

#include <gtest/gtest.h>

namespace strobe::wire {
namespace {

TEST(RunFileTest, every_kind_with_rows_has_columns) {
  EXPECT_EQ(codings_of(ChunkKind::kWork).size(), std::size_t{kWorkColumns});
  EXPECT_EQ(codings_of(ChunkKind::kShapes).size(), std::size_t{kShapeColumns});
  EXPECT_EQ(codings_of(ChunkKind::kNotes).size(), std::size_t{kNoteColumns});
  EXPECT_EQ(codings_of(ChunkKind::kWork)[kWorkStart], Coding::kDelta);
}

TEST(RunFileTest, texts_and_unknown_kinds_have_none) {
  EXPECT_TRUE(codings_of(ChunkKind::kTexts).empty());
  EXPECT_TRUE(codings_of(ChunkKind::kSegment).empty());
  EXPECT_TRUE(codings_of(static_cast<ChunkKind>(999)).empty());
}

TEST(RunFileTest, there_is_room_for_every_kind) {
  EXPECT_EQ(static_cast<std::size_t>(ChunkKind::kNotes) + 1, kChunkKinds);
}

}  // namespace
}  // namespace strobe::wire
