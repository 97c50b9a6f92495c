#include "strobe/wire/run_file_writer.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

#include "strobe/wire/run_file_chunks.h"
#include "tests/support/temporary_folder.h"

namespace strobe::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using testing::bytes_of;
using testing::TemporaryFolder;

struct WrittenFile {
  std::string bytes;  // the chunks refer to them
  std::vector<Chunk> chunks;
  std::vector<DamagedBytes> damage;

  std::vector<ChunkKind> kinds() const {
    std::vector<ChunkKind> kinds;
    for (const Chunk& chunk : chunks) kinds.push_back(chunk.header.kind);
    return kinds;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Chunk& chunk : chunks) {
      if (chunk.header.kind != ChunkKind::kTexts) continue;
      for (const std::string_view text : decode_texts(chunk)) all.emplace_back(text);
    }
    return all;
  }
  Columns columns_of(ChunkKind kind) const {
    Columns columns;
    for (const Chunk& chunk : chunks) {
      if (chunk.header.kind != kind) continue;
      EXPECT_TRUE(decode_columns(chunk, columns));
    }
    return columns;
  }
};

// `file` must stay where it is.
void read_back(const std::filesystem::path& path, WrittenFile& file) {
  file.bytes = bytes_of(path);
  ChunkCursor cursor({reinterpret_cast<const std::uint8_t*>(file.bytes.data()), file.bytes.size()});
  while (const auto chunk = cursor.next()) file.chunks.push_back(*chunk);
  file.damage = cursor.damage();
}

// While it lives, no file grows beyond this.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

TEST(RunFileWriterTest, rows_come_after_their_texts_and_read_back) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  ChunkRows calls(ChunkKind::kCalls);
  calls.add({0, writer.text("cudaMalloc"), 1'000'000, 25, 7, 0});
  calls.add({0, writer.text("cudaFree"), 999'000, 30, 6, 2});
  writer.write(calls);
  EXPECT_EQ(calls.rows(), 0u) << "they are written and cleared";
  writer.close();
  WrittenFile file;
  read_back(folder / "a.strobe", file);
  EXPECT_THAT(file.kinds(), ElementsAre(ChunkKind::kSegment, ChunkKind::kTexts, ChunkKind::kCalls));
  EXPECT_THAT(file.texts(), ElementsAre("", "cudaMalloc", "cudaFree"));
  const Columns columns = file.columns_of(ChunkKind::kCalls);
  EXPECT_THAT(columns[kCallName], ElementsAre(1, 2));
  EXPECT_THAT(columns[kCallStart], ElementsAre(1'000'000, 999'000));
  EXPECT_THAT(columns[kCallCorrelation], ElementsAre(7, 6));
  EXPECT_THAT(columns[kCallResult], ElementsAre(0, 2));
  EXPECT_THAT(file.damage, IsEmpty());
}

TEST(RunFileWriterTest, equal_texts_have_one_number) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  EXPECT_EQ(writer.text("a"), 1u);
  EXPECT_EQ(writer.text("b"), 2u);
  EXPECT_EQ(writer.text("a"), 1u);
  EXPECT_EQ(writer.text(""), 0u);
}

TEST(RunFileWriterTest, a_chunk_knows_how_many_rows_came_before) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  ChunkRows threads(ChunkKind::kThreads);
  for (const std::uint64_t id : {11, 12, 13}) threads.add({id, 0});
  writer.write(threads);
  threads.add({14, writer.text("late")});
  writer.write(threads);
  writer.next_segment();
  threads.add({15, 0});
  writer.write(threads);
  writer.close();
  WrittenFile file;
  read_back(folder / "a.strobe", file);
  std::vector<std::uint64_t> threads_before;
  std::vector<std::uint64_t> texts_before;
  for (const Chunk& chunk : file.chunks) {
    if (chunk.header.kind == ChunkKind::kThreads) threads_before.push_back(chunk.header.first_row);
    if (chunk.header.kind == ChunkKind::kTexts) texts_before.push_back(chunk.header.first_row);
  }
  EXPECT_THAT(threads_before, ElementsAre(0, 3, 0)) << "a segment counts from 0";
  EXPECT_THAT(texts_before, ElementsAre(0, 1, 0));
}

TEST(RunFileWriterTest, facts_are_pairs_of_texts) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  writer.fact(kFactProcess, "17");
  writer.fact(kFactProgram, "");
  writer.close();
  WrittenFile file;
  read_back(folder / "a.strobe", file);
  ASSERT_GE(file.chunks.size(), 3u);
  EXPECT_THAT(decode_texts(file.chunks[1]), ElementsAre("process", "17"));
  EXPECT_THAT(decode_texts(file.chunks[2]), ElementsAre("program", ""));
}

TEST(RunFileWriterTest, only_its_owner_may_read_the_file_and_no_other_is_overwritten) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.strobe").string();
  RunFileWriter writer;
  ASSERT_TRUE(writer.open(path));
  EXPECT_FALSE(writer.open((folder / "b.strobe").string())) << "it is open";
  RunFileWriter other;
  EXPECT_FALSE(other.open(path));
  struct stat seen = {};
  ASSERT_EQ(stat(path.c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 0777, 0600u);
}

TEST(RunFileWriterTest, the_next_file_has_its_own_numbers) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.part0").string()));
  writer.text("first");
  ASSERT_TRUE(writer.next_file((folder / "a.part1").string()));
  EXPECT_EQ(writer.text("second"), 1u);
  writer.note(NoteWhat::kRemark, "hello");
  writer.close();
  WrittenFile file;
  read_back(folder / "a.part1", file);
  EXPECT_THAT(file.texts(), ElementsAre("", "second", "hello"));
}

TEST(RunFileWriterTest, a_full_disk_loses_whole_chunks_and_a_later_note_counts_their_rows) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  ChunkRows threads(ChunkKind::kThreads);
  threads.add({1, writer.text("kept")});
  writer.write(threads);
  {
    const SmallDisk disk(writer.file_bytes() + 20);
    for (std::uint64_t id = 2; id < 102; ++id) threads.add({id, 0});
    writer.write(threads);
    EXPECT_EQ(writer.lost_rows(), 100u);
  }
  threads.add({200, writer.text("there is room again")});
  writer.write(threads);
  writer.close();
  WrittenFile file;
  read_back(folder / "a.strobe", file);
  EXPECT_THAT(file.damage, IsEmpty()) << "half a chunk is taken back";
  EXPECT_THAT(file.texts(),
              ElementsAre("", "kept", "there is room again", "rows could not be written"));
  EXPECT_THAT(file.columns_of(ChunkKind::kThreads)[kThreadId], ElementsAre(200));
  const Columns notes = file.columns_of(ChunkKind::kNotes);
  EXPECT_THAT(notes[kNoteWhat], ElementsAre(static_cast<std::uint64_t>(NoteWhat::kDiskFull)));
  EXPECT_THAT(notes[kNoteCount], ElementsAre(100));
  for (const Chunk& chunk : file.chunks) {
    if (chunk.header.kind != ChunkKind::kThreads || chunk.header.first_row == 0) continue;
    EXPECT_EQ(chunk.header.first_row, 101u) << "lost rows keep their numbers";
  }
}

TEST(RunFileWriterTest, texts_wait_for_room_on_a_full_disk) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  ChunkRows threads(ChunkKind::kThreads);
  {
    const testing::FullDisk disk;
    threads.add({1, writer.text("main")});
    writer.write(threads);
  }
  threads.add({2, writer.text("other")});
  writer.write(threads);
  writer.close();
  WrittenFile file;
  read_back(folder / "a.strobe", file);
  EXPECT_THAT(file.texts(), ElementsAre("", "main", "other", "rows could not be written"));
}

TEST(RunFileWriterTest, an_abandoned_file_stays_as_it_is) {
  const TemporaryFolder folder;
  RunFileWriter writer;
  ASSERT_TRUE(writer.open((folder / "a.strobe").string()));
  writer.text("never written");
  const std::uint64_t before = writer.file_bytes();
  writer.abandon();
  EXPECT_FALSE(writer.is_open());
  writer.note(NoteWhat::kRemark, "nor is this");
  EXPECT_EQ(bytes_of(folder / "a.strobe").size(), before);
}

TEST(RunFileWriterTest, rows_of_another_width_are_refused) {
  ChunkRows rows(ChunkKind::kThreads);
  rows.add({1, 2, 3});
  EXPECT_EQ(rows.rows(), 0u);
  rows.add({1, 2});
  EXPECT_EQ(rows.rows(), 1u);
  EXPECT_EQ(rows.bytes(), 2u);
}

TEST(RunFileWriterTest, the_clock_and_its_difference_give_the_wall_clock) {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t unix_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  EXPECT_NEAR(static_cast<double>(run_clock_ns() + run_clock_to_unix_ns()),
              static_cast<double>(unix_ns), 5e9);
}

}  // namespace
}  // namespace strobe::wire
