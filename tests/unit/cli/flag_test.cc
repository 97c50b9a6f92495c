#include "strobe/cli/flag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/cli/command_line.h"

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ValuesTest, a_number_is_whole_and_within_its_bounds) {
  EXPECT_EQ(*whole_number("--top", "12", 0), 12);
  EXPECT_EQ(whole_number("--top", "12x", 0).error().what, "'12x' is not a whole number");
  EXPECT_EQ(whole_number("--top", "1.5", 0).error().what, "'1.5' is not a whole number");
  EXPECT_EQ(whole_number("--top", "-1", 0).error().what, "-1 is less than 0");
  EXPECT_EQ(whole_number("--threads", "2000", 1, 1024).error().what, "2000 is more than 1024");
  EXPECT_EQ(whole_number("--top", "-1", 0).error().where, "--top");
}

TEST(ValuesTest, amounts_of_memory_have_units) {
  EXPECT_EQ(*byte_count("--memory", "100000000", 0), 100'000'000);
  EXPECT_EQ(*byte_count("--memory", "512M", 0), 512 << 20);
  EXPECT_EQ(*byte_count("--memory", "8g", 0), std::int64_t{8} << 30);
  EXPECT_EQ(*byte_count("--memory", "64KiB", 0), 64 << 10);
  EXPECT_EQ(*byte_count("--memory", "1TB", 0), std::int64_t{1} << 40);
  for (const char* typed : {"", "G", "8X", "-1G", "1.5G", "9000000000T", "8 G", "8\xc3"}) {
    EXPECT_EQ(byte_count("--memory", typed, 0).error().what,
              std::string("'") + typed + "' is not an amount of memory");
  }
  EXPECT_EQ(byte_count("--memory", "1M", 64 << 20).error().what,
            "1M is too little; 64M is the least");
}

TEST(ValuesTest, a_fraction_is_a_number_or_a_percentage) {
  EXPECT_DOUBLE_EQ(*fraction("--dram-roof", "0.9"), 0.9);
  EXPECT_DOUBLE_EQ(*fraction("--dram-roof", "93%"), 0.93);
  EXPECT_DOUBLE_EQ(*fraction("--dram-roof", "1"), 1);
  for (const char* typed : {"", "x", "0.9x", "-0.5", "9 of 10", "."}) {
    EXPECT_EQ(fraction("--dram-roof", typed).error().what,
              std::string("'") + typed + "' is not a fraction");
  }
  EXPECT_EQ(fraction("--dram-roof", "90").error().what, "90 is not above 0 and at most 1");
  EXPECT_EQ(fraction("--dram-roof", "0").error().hint, "write it as 0.9 or 90%");
}

TEST(ValuesTest, rates_have_prefixes_of_a_thousand) {
  EXPECT_DOUBLE_EQ(*byte_rate("--dram-rate", "4.3TB/s"), 4.3e12);
  EXPECT_DOUBLE_EQ(*byte_rate("--dram-rate", "3350 GB/s"), 3.35e12);
  EXPECT_DOUBLE_EQ(*byte_rate("--dram-rate", "4.3e12"), 4.3e12);
  EXPECT_DOUBLE_EQ(*flop_rate("--peak-flops", "790TFLOP/s"), 7.9e14);
  EXPECT_DOUBLE_EQ(*flop_rate("--peak-flops", "0.79 PFLOPS"), 7.9e14);
  EXPECT_DOUBLE_EQ(*flop_rate("--peak-flops", "790T"), 7.9e14);
  for (const char* typed : {"", "T", "4.3TB", "790TFLOP/s", "-1TB/s", "0", "1e999"}) {
    EXPECT_EQ(byte_rate("--dram-rate", typed).error().what,
              std::string("'") + typed + "' is not a rate");
  }
  EXPECT_EQ(flop_rate("--peak-flops", "4.3TB/s").error().hint, "write it as 790TFLOP/s");
}

// One of each kind.
struct Painting {
  std::string output = "wall";
  std::vector<std::string> colors = {};
  std::size_t layers = 2;
  std::optional<std::size_t> rows = {};
  std::optional<bool> detail = {};
  bool quiet = false;
  bool cached = true;
  int shade = 1;
};
constexpr Word<int> kShades[] = {{"dark", 1}, {"light", 2}, {"bright", 2, false}};

std::vector<Flag> painting_flags(Painting& painting) {
  return {flag("-o, --output FILE", "where", to(painting.output)),
          flag("--colors LIST", "which", to(painting.colors)),
          flag("--layers N", "how many", to_number(painting.layers, 1, 9)),
          flag("--rows N", "rows (default: 10)", to_rows(painting.rows)),
          flag("--[no-]detail", "more", to(painting.detail)),
          flag("-q, --quiet", "less", to(painting.quiet)),
          flag("--[no-]cache", "kept", to(painting.cached)),
          flag("--shade S", "dark or light", to_choice(painting.shade, kShades))};
}

Painting filled(const std::vector<std::string>& words) {
  Painting painting;
  const auto parsed = parse_flags(words, "paint", painting_flags(painting));
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().what);
  return painting;
}

TEST(FlagTest, a_spelling_is_taken_apart) {
  Painting painting;
  const std::vector<Flag> flags = painting_flags(painting);
  EXPECT_EQ(flags[0].name, "output");
  EXPECT_EQ(flags[0].value, "FILE");
  EXPECT_EQ(flags[0].letter, 'o');
  EXPECT_EQ(flags[1].letter, 0);
  EXPECT_EQ(flags[4].name, "detail");
  EXPECT_EQ(flags[4].value, "");
  EXPECT_TRUE(flags[4].is_negatable);
  EXPECT_FALSE(flags[5].is_negatable);
}

TEST(FlagTest, help_shows_the_default_that_the_member_has) {
  Painting painting;
  const std::vector<Flag> flags = painting_flags(painting);
  EXPECT_EQ(flags[0].help, "where (default: wall)");
  EXPECT_EQ(flags[1].help, "which");
  EXPECT_EQ(flags[2].help, "how many (default: 2)");
  EXPECT_EQ(flags[3].help, "rows (default: 10)");
  EXPECT_EQ(flags[4].help, "more");
  EXPECT_EQ(flags[6].help, "kept (default: on)");
  EXPECT_EQ(flags[7].help, "dark or light (default: dark)");
}

TEST(FlagTest, what_was_not_typed_keeps_its_default) {
  const Painting plain = filled({});
  EXPECT_EQ(plain.output, "wall");
  EXPECT_THAT(plain.colors, IsEmpty());
  EXPECT_EQ(plain.layers, 2u);
  EXPECT_FALSE(plain.rows);
  EXPECT_FALSE(plain.detail);
  EXPECT_TRUE(plain.cached);
}

TEST(FlagTest, the_last_value_counts) {
  EXPECT_EQ(filled({"--no-detail", "--detail"}).detail, true);
  EXPECT_EQ(filled({"--detail", "--no-detail"}).detail, false);
  EXPECT_EQ(filled({"--layers", "3", "--layers=4"}).layers, 4u);
}

TEST(FlagTest, no_rows_at_all_are_refused) {
  EXPECT_EQ(filled({"--rows", "1"}).rows, 1u);
  EXPECT_EQ(filled({"--rows", "ALL"}).rows, 0u);
  Painting painting;
  const auto none = parse_flags({"--rows", "0"}, "paint", painting_flags(painting));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "0 is less than 1");
  EXPECT_EQ(none.error().where, "--rows");
  EXPECT_EQ(none.error().hint, "`--rows all` shows all rows");
}

TEST(FlagTest, times_have_units) {
  EXPECT_EQ(duration_ms("--last", "60s", 1).value(), 60'000);
  EXPECT_EQ(duration_ms("--last", "500ms", 1).value(), 500);
  EXPECT_EQ(duration_ms("--last", "1.5s", 1).value(), 1500);
  EXPECT_EQ(duration_ms("--last", "10m", 1).value(), 600'000);
  EXPECT_EQ(duration_ms("--last", "10min", 1).value(), 600'000);
  EXPECT_EQ(duration_ms("--last", "2h", 1).value(), 7'200'000);
  EXPECT_EQ(duration_ms("--last", "3", 1).value(), 3000);
  for (const char* typed : {"", "s", "-3s", "3 days", "1e99s", "nan", "3S"}) {
    const Result<std::int64_t> time = duration_ms("--last", typed, 1);
    ASSERT_FALSE(time) << typed;
    EXPECT_EQ(time.error().where, "--last");
    EXPECT_EQ(time.error().hint, "write it as 60s, 500ms or 10m");
  }
  EXPECT_EQ(duration_ms("--last", "500ms", 1000).error().what,
            "500ms is too short; 1.00 s is the least");
}

TEST(FlagTest, a_list_is_cut_at_its_commas_and_empty_pieces_fall_out) {
  EXPECT_THAT(filled({"--colors", ",a,,b", "--colors=c,"}).colors, ElementsAre("a", "b", "c"));
}

TEST(FlagTest, every_kind_reaches_its_member) {
  const Painting all = filled({"-q", "-oout", "--rows", "all", "--shade", "LIGHT", "--no-cache"});
  EXPECT_TRUE(all.quiet);
  EXPECT_EQ(all.output, "out");
  EXPECT_EQ(all.rows, 0u);
  EXPECT_EQ(all.shade, 2);
  EXPECT_FALSE(all.cached);
  EXPECT_EQ(filled({"--shade=bright"}).shade, 2);
}

TEST(FlagTest, a_word_that_is_not_listed_is_not_suggested) {
  Painting painting;
  const auto refused = parse_flags({"--shade=birght"}, "paint", painting_flags(painting));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "'birght' is not one of dark, light");
  EXPECT_EQ(parse_flags({"--layers=10"}, "paint", painting_flags(painting)).error().what,
            "10 is more than 9");
}

}  // namespace
}  // namespace strobe::cli
