#include "strobe/readers/rocm/json_stream.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "strobe/readers/rocm/json_leaves.h"
#include "strobe/readers/text_source.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

// Every element of the array under a key; what comes beside it is skipped.
std::vector<std::string> elements_of(const std::string& text, bool& is_cut) {
  const TextSource source(text);
  const auto stream = source.stream_from(0);
  JsonStream json(*stream);
  std::vector<std::string> elements;
  std::string key;
  if (json.begin_object()) {
    while (json.next_member(key)) {
      if (key != "rows" || !json.begin_array()) {
        json.skip();
        continue;
      }
      while (json.next_element()) {
        std::string_view element;
        if (!json.take(element)) break;
        elements.emplace_back(element);
      }
    }
  }
  is_cut = json.is_cut();
  return elements;
}

TEST(JsonStreamTest, one_array_is_found_among_other_members) {
  bool is_cut = true;
  EXPECT_THAT(
      elements_of(R"({"a": [1, {"b": "]}"}], "rows": [{"x": 1}, 2, "three" ], "c": null})", is_cut),
      ElementsAre(R"({"x": 1})", "2", R"("three")"));
  EXPECT_FALSE(is_cut);
}

TEST(JsonStreamTest, values_larger_than_a_window_are_skipped) {
  const std::string large =
      "[" + std::string(3'000'000, ' ') + "{\"k\": \"" + std::string(1'000'000, 'x') + "\"}]";
  bool is_cut = true;
  EXPECT_THAT(elements_of("{\"large\": " + large + ", \"rows\": [7]}", is_cut), ElementsAre("7"));
  EXPECT_FALSE(is_cut);
}

TEST(JsonStreamTest, a_cut_at_any_byte_keeps_what_came_before) {
  const std::string whole = R"({"a": {"b": ["c"]}, "rows": [{"x": 1}, {"y": 2}]})";
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    bool is_cut = false;
    EXPECT_LE(elements_of(whole.substr(0, bytes), is_cut).size(), 2u);
    EXPECT_TRUE(is_cut) << bytes;
  }
}

TEST(JsonLeavesTest, each_leaf_comes_with_its_keys) {
  std::vector<std::string> leaves;
  EXPECT_TRUE(for_each_leaf(
      R"({"a": 1, "b": {"c": "x\"y", "d": [2, [3]]}, "e": null})", [&](const JsonLeaf& leaf) {
        leaves.push_back(std::string(leaf.parent) + "." + std::string(leaf.key) + "=" +
                         std::string(leaf.text));
      }));
  EXPECT_THAT(leaves, ElementsAre(".a=1", R"(b.c=x\"y)", "b.d=2", "b.d=3", ".e=null"));
  EXPECT_FALSE(for_each_leaf("{\"a\": \"open", [](const JsonLeaf&) {}));
  EXPECT_FALSE(for_each_leaf("{\"a\": 1", [](const JsonLeaf&) {}));
}

}  // namespace
}  // namespace strobe::readers
