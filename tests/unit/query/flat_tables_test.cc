#include "strobe/query/flat_tables.h"

#include <cstring>

#include <gtest/gtest.h>

namespace strobe::query {
namespace {

// Follows the offsets of a tree, as any reader does.
class FlatReader {
 public:
  explicit FlatReader(const std::string& bytes) : bytes_(bytes) {}

  template <class Number>
  Number at(std::size_t place) const {
    EXPECT_EQ(place % sizeof(Number), 0u) << "numbers lie at multiples of their size";
    Number value;
    std::memcpy(&value, bytes_.data() + place, sizeof value);
    return value;
  }
  std::size_t follow(std::size_t place) const { return place + at<std::uint32_t>(place); }
  // 0: the table has no such field.
  std::size_t field(std::size_t table, std::size_t position) const {
    const auto start =
        static_cast<std::size_t>(static_cast<std::int64_t>(table) - at<std::int32_t>(table));
    if (4 + 2 * position >= at<std::uint16_t>(start)) return 0;
    const auto offset = at<std::uint16_t>(start + 4 + 2 * position);
    return offset == 0 ? 0 : table + offset;
  }
  std::string text(std::size_t place) const {
    return bytes_.substr(place + 4, at<std::uint32_t>(place));
  }

 private:
  const std::string& bytes_;
};

TEST(FlatTablesTest, fields_are_found_by_their_position) {
  FlatNode inner = FlatNode::table();
  inner.child(0, FlatNode::text("name"));
  FlatNode root = FlatNode::table();
  root.number(0, std::int16_t{4}).child(2, std::move(inner)).number(3, std::int64_t{1} << 40);
  const std::string bytes = root.bytes();
  EXPECT_EQ(bytes.size() % 8, 0u);
  const FlatReader reader(bytes);
  const std::size_t table = reader.follow(0);
  EXPECT_EQ(reader.at<std::int16_t>(reader.field(table, 0)), 4);
  EXPECT_EQ(reader.field(table, 1), 0u);
  EXPECT_EQ(reader.at<std::int64_t>(reader.field(table, 3)), std::int64_t{1} << 40);
  EXPECT_EQ(reader.field(table, 4), 0u);
  const std::size_t child = reader.follow(reader.field(table, 2));
  EXPECT_EQ(reader.text(reader.follow(reader.field(child, 0))), "name");
}

TEST(FlatTablesTest, elements_of_vectors_are_aligned) {
  const std::int64_t numbers[] = {7, 8, 9};
  std::vector<FlatNode> elements;
  for (const char value : {'a', 'b'}) {
    FlatNode element = FlatNode::table();
    element.number(1, value);
    elements.push_back(std::move(element));
  }
  FlatNode root = FlatNode::table();
  root.child(0, FlatNode::structs(3, {reinterpret_cast<const char*>(numbers), sizeof numbers}))
      .child(1, FlatNode::tables(std::move(elements)))
      .child(2, FlatNode::tables({}));
  const std::string bytes = root.bytes();
  const FlatReader reader(bytes);
  const std::size_t table = reader.follow(0);
  const std::size_t structs = reader.follow(reader.field(table, 0));
  EXPECT_EQ(reader.at<std::uint32_t>(structs), 3u);
  EXPECT_EQ(reader.at<std::int64_t>(structs + 4 + 2 * 8), 9);
  const std::size_t tables = reader.follow(reader.field(table, 1));
  EXPECT_EQ(reader.at<std::uint32_t>(tables), 2u);
  const std::size_t second = reader.follow(tables + 8);
  EXPECT_EQ(reader.at<char>(reader.field(second, 1)), 'b');
  EXPECT_EQ(reader.at<std::uint32_t>(reader.follow(reader.field(table, 2))), 0u);
}

}  // namespace
}  // namespace strobe::query
