#include "strobe/trace/args_store.h"

#include <gmock/gmock.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace strobe {
namespace {

std::vector<std::string> some_texts(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < count; ++row) {
    texts.push_back(R"({"External id": )" + std::to_string(random()) + R"(, "Input Dims": [[)" +
                    std::to_string(row % 7) + R"(, 1024]]})");
  }
  return texts;
}

std::optional<ArgsStore> borrow_all(const ArgsStore& store) {
  const auto blocks = store.blocks();
  return ArgsStore::borrow({blocks.begin(), blocks.end()},
                           static_cast<std::uint32_t>(store.size()));
}

TEST(ArgsStoreTest, every_text_reads_back_in_any_order) {
  const std::vector<std::string> texts = some_texts(20'000, 1);
  ArgsWriter writer;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    ASSERT_EQ(writer.add(texts[row]), ArgsId(row));
  }
  const ArgsStore store = writer.finish();
  EXPECT_EQ(store.size(), texts.size());
  ArgsReader reader(store);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    ASSERT_EQ(reader.text(ArgsId(row)), texts[row]);
  }
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t row = random() % texts.size();
    ASSERT_EQ(reader.text(ArgsId(row)), texts[row]);
  }
}

TEST(ArgsStoreTest, going_back_and_forth_between_blocks_reads_the_same) {
  const std::vector<std::string> texts = some_texts(20'000, 3);
  ArgsWriter writer;
  for (const std::string& text : texts) writer.add(text);
  const ArgsStore store = writer.finish();
  ASSERT_GT(store.blocks().size(), 16u) << "more than a reader keeps";
  ArgsReader reader(store);
  for (std::size_t row = 0; row < 500; ++row) {
    for (const std::size_t block : {0, 1, 8, 0, 16, 1}) {
      const std::size_t id = store.blocks()[block].first + row % 100;
      ASSERT_EQ(reader.text(ArgsId(id)), texts[id]);
    }
  }
}

TEST(ArgsStoreTest, repetitive_texts_take_a_fraction_of_their_size) {
  ArgsWriter writer;
  std::size_t raw_bytes = 0;
  for (const std::string& text : some_texts(20'000, 3)) {
    writer.add(text);
    raw_bytes += text.size();
  }
  EXPECT_LT(writer.finish().bytes(), raw_bytes / 2);
}

TEST(ArgsStoreTest, empty_texts_newlines_and_zero_bytes_survive) {
  const std::vector<std::string> texts = {"", "{}", "{\n}", std::string("{\"a\":\"\0\"}", 9), ""};
  ArgsWriter writer;
  for (const std::string& text : texts) writer.add(text);
  const ArgsStore store = writer.finish();
  ArgsReader reader(store);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    EXPECT_EQ(reader.text(ArgsId(row)), texts[row]);
  }
}

TEST(ArgsStoreTest, a_text_larger_than_a_block_has_its_own) {
  std::mt19937 random(4);
  std::string noise(3'000'000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  const std::vector<std::string> texts = {"{1}", std::string(1'000'000, 'x'), "{2}",
                                          noise, std::string(64 * 1024, 'y'), "{3}"};
  ArgsWriter writer;
  for (const std::string& text : texts) writer.add(text);
  const ArgsStore store = writer.finish();
  ArgsReader reader(store);
  for (std::size_t row = texts.size(); row-- > 0;) {
    EXPECT_TRUE(reader.text(ArgsId(row)) == texts[row]) << row;
  }
}

TEST(ArgsStoreTest, texts_of_every_length_around_a_block_survive) {
  for (std::size_t length = 64 * 1024 - 20; length < 64 * 1024 + 20; ++length) {
    ArgsWriter writer;
    writer.add("{}");
    writer.add(std::string(length, 'z'));
    writer.add("{}");
    const ArgsStore store = writer.finish();
    ArgsReader reader(store);
    EXPECT_EQ(reader.text(ArgsId(1)).size(), length);
    EXPECT_EQ(reader.text(ArgsId(2)), "{}");
  }
}

TEST(ArgsStoreTest, an_appended_part_keeps_its_texts_behind_the_earlier_ones) {
  const std::vector<std::string> first = some_texts(3'000, 5);
  const std::vector<std::string> second = some_texts(2'000, 6);
  ArgsWriter writer;
  for (const std::string& text : first) writer.add(text);
  ArgsStore store = writer.finish();
  store.append(writer.finish());
  for (const std::string& text : second) writer.add(text);
  store.append(writer.finish());
  ASSERT_EQ(store.size(), 5'000u);
  ArgsReader reader(store);
  for (std::size_t row = 0; row < 5'000; ++row) {
    ASSERT_EQ(reader.text(ArgsId(row)), row < 3'000 ? first[row] : second[row - 3'000]);
  }
}

TEST(ArgsStoreTest, an_id_that_names_nothing_has_no_text) {
  ArgsWriter writer;
  writer.add("{}");
  const ArgsStore store = writer.finish();
  ArgsReader reader(store);
  EXPECT_EQ(reader.text(ArgsId()), "");
  EXPECT_EQ(reader.text(ArgsId(1)), "");
  const ArgsStore none;
  ArgsReader reader_of_none(none);
  EXPECT_EQ(reader_of_none.text(ArgsId(0)), "");
}

TEST(ArgsStoreTest, a_borrowed_store_reads_like_its_owner) {
  const std::vector<std::string> texts = some_texts(5'000, 7);
  ArgsWriter writer;
  for (const std::string& text : texts) writer.add(text);
  const ArgsStore store = writer.finish();
  const std::optional<ArgsStore> borrowed = borrow_all(store);
  ASSERT_TRUE(borrowed.has_value());
  EXPECT_EQ(borrowed->bytes(), store.bytes());
  ArgsReader reader(*borrowed);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    ASSERT_EQ(reader.text(ArgsId(row)), texts[row]);
  }
}

TEST(ArgsStoreTest, blocks_that_cannot_be_are_not_borrowed) {
  const std::vector<char> bytes(100, 'x');
  const auto can_borrow = [&](std::vector<ArgsStore::Block> blocks, std::uint32_t count) {
    return ArgsStore::borrow(std::move(blocks), count).has_value();
  };
  EXPECT_TRUE(can_borrow({}, 0));
  EXPECT_TRUE(can_borrow({{0, 100, bytes}, {3, 25'000, bytes}}, 4));
  EXPECT_FALSE(can_borrow({}, 1)) << "texts without a block";
  EXPECT_FALSE(can_borrow({{0, 100, bytes}}, 0)) << "a block without texts";
  EXPECT_FALSE(can_borrow({{1, 100, bytes}}, 2)) << "no block holds text 0";
  EXPECT_FALSE(can_borrow({{0, 100, bytes}, {0, 100, bytes}}, 2)) << "ids that do not ascend";
  EXPECT_FALSE(can_borrow({{0, 100, bytes}, {2, 100, bytes}}, 2)) << "a block behind the end";
  EXPECT_FALSE(can_borrow({{0, 1'000'000, bytes}}, 1)) << "more than LZ4 can unpack";
  EXPECT_FALSE(can_borrow({{0, 99, bytes}}, 1)) << "packed to more than it was";
}

TEST(ArgsStoreTest, a_damaged_block_has_empty_texts_and_no_others) {
  ArgsWriter writer;
  writer.add(std::string(1'000, 'a'));
  const ArgsStore store = writer.finish();
  const ArgsStore::Block& good = store.blocks()[0];
  std::vector<char> packed(good.packed.begin(), good.packed.end());
  for (std::size_t at = 0; at < packed.size(); ++at) {
    packed[at] = static_cast<char>(~packed[at]);
    const ArgsStore damaged = ArgsStore::borrow({{0, good.raw_bytes, packed}}, 1).value();
    ArgsReader reader(damaged);
    EXPECT_LE(reader.text(ArgsId(0)).size(), good.raw_bytes);
    packed[at] = static_cast<char>(~packed[at]);
  }
  const std::string too_long = "\x7fonly this";
  const ArgsStore cut = ArgsStore::borrow({{0, too_long.size(), too_long}}, 1).value();
  ArgsReader reader(cut);
  EXPECT_EQ(reader.text(ArgsId(0)), "");
}

TEST(ArgsStoreDeathTest, ids_never_wrap_around) {
  // Doubling a store of 2^20 texts eleven times would need 2^31, a twelfth time 2^32.
  const auto grow = [] {
    ArgsWriter writer;
    for (int text = 0; text < (1 << 20); ++text) writer.add("");
    ArgsStore store = writer.finish();
    for (int doubling = 0; doubling < 12; ++doubling) store.append(borrow_all(store).value());
  };
  EXPECT_EXIT(grow(), ::testing::ExitedWithCode(70), "kMostEvents");
}

}  // namespace
}  // namespace strobe
