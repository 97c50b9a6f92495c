#include "strobe/query/arrow_stream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/query/opened_tables.h"

namespace strobe::query {
namespace {

// What a reader of the interface does: schema, batches until one has no release.
class Reader {
 public:
  explicit Reader(std::vector<NamedColumn> columns, std::size_t rows) {
    arrow::export_stream(std::move(columns), rows, stream_);
    EXPECT_EQ(stream_.get_schema(&stream_, &schema), 0);
    EXPECT_EQ(stream_.get_next(&stream_, &batch), 0);
    arrow::Array end{};
    EXPECT_EQ(stream_.get_next(&stream_, &end), 0);
    EXPECT_EQ(end.release, nullptr);
    stream_.release(&stream_);
    EXPECT_EQ(stream_.release, nullptr);
  }
  ~Reader() {
    if (schema.release != nullptr) schema.release(&schema);
    if (batch.release != nullptr) batch.release(&batch);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::size_t find(std::string_view name) const {
    std::size_t i = 0;
    while (name != schema.children[i]->name) ++i;
    return i;
  }
  const arrow::Schema& field(std::string_view name) const { return *schema.children[find(name)]; }
  const arrow::Array& column(std::string_view name) const { return *batch.children[find(name)]; }

  arrow::Schema schema{};
  arrow::Array batch{};

 private:
  arrow::Stream stream_{};
};

TEST(ArrowStreamTest, buffers_are_the_memory_of_the_columns) {
  const Opened run = opened();
  const Reader reader(run.columns("kernels"), 2);
  EXPECT_STREQ(reader.schema.format, "+s");
  EXPECT_EQ(reader.batch.length, 2);
  EXPECT_STREQ(reader.field("dur").format, "l");
  EXPECT_EQ(reader.column("dur").buffers[1], run.column("kernels", "dur")->values);
  EXPECT_EQ(reader.column("dur").buffers[0], nullptr);
  EXPECT_EQ(reader.column("correlation").null_count, 1);
  EXPECT_EQ(reader.column("correlation").buffers[0],
            run.column("kernels", "correlation")->present.data());
}

TEST(ArrowStreamTest, names_are_dictionaries_and_texts_have_their_ends) {
  const Opened run = opened();
  const Reader reader(run.columns("kernels"), 2);
  EXPECT_STREQ(reader.field("name").format, "i");
  EXPECT_STREQ(reader.field("name").dictionary->format, "U");
  const arrow::Array& texts = *reader.column("name").dictionary;
  ASSERT_EQ(texts.length, 2);
  const auto* ends = static_cast<const std::int64_t*>(texts.buffers[1]);
  EXPECT_EQ(std::string(static_cast<const char*>(texts.buffers[2]) + ends[1],
                        static_cast<std::size_t>(ends[2] - ends[1])),
            "zgemm");
}

TEST(ArrowStreamTest, truth_values_become_bits) {
  const Opened run = opened();
  const std::size_t rows = run.trace().slice_count();
  const Reader reader(run.columns("slices"), rows);
  EXPECT_STREQ(reader.field("communicates").format, "b");
  const auto* bits = static_cast<const std::uint8_t*>(reader.column("communicates").buffers[1]);
  const auto values = values_of<bool>(*run.column("slices", "communicates"));
  for (std::size_t row = 0; row < rows; ++row) {
    EXPECT_EQ(((bits[row / 8] >> (row % 8)) & 1) != 0, values[row]);
  }
}

TEST(ArrowStreamTest, a_child_that_was_moved_away_outlives_its_batch) {
  arrow::Array moved{};
  {
    const Opened run = opened();
    const Reader reader(run.columns("kernels"), 2);
    arrow::Array& child = *reader.batch.children[reader.find("name")];
    moved = child;
    child.release = nullptr;
  }
  EXPECT_EQ(moved.length, 2);
  EXPECT_EQ(moved.dictionary->length, 2);
  moved.release(&moved);
  EXPECT_EQ(moved.release, nullptr);
}

}  // namespace
}  // namespace strobe::query
