#include "strobe/base/pickle.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/pickle_sketch.h"

namespace strobe {
namespace {

using namespace std::string_literals;

using sketch::again;
using sketch::dict;
using sketch::list;
using sketch::text;
using sketch::whole;

Result<Pickle> read(const std::string& bytes, PickleFolder* folder = nullptr) {
  const auto stream = open_stream(std::string_view(bytes));
  return read_pickle(**stream, {.folder = folder});
}

// As Python prints it, as far as the tests need it.
std::string shown(const Pickle& pickle, PickleValue value) {
  const PickleData& data = pickle.data;
  std::string out;
  const auto items = [&] {
    data.for_each(value, [&](PickleValue item) { out += shown(pickle, item) + ","; });
  };
  switch (value.kind()) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return data.whole(value) == 1 ? "True" : "False";
    case PickleKind::kWhole:
    case PickleKind::kWideWhole:
      return std::to_string(*data.whole(value));
    case PickleKind::kHuge:
      return "huge";
    case PickleKind::kReal:
      return std::to_string(*data.number(value));
    case PickleKind::kText:
      return std::string(data.text(value));
    case PickleKind::kBytes:
      return "bytes";
    case PickleKind::kList:
      items();
      return "[" + out + "]";
    case PickleKind::kTuple:
      items();
      return "(" + out + ")";
    case PickleKind::kDict:
      items();
      return "{" + out + "}";
    case PickleKind::kFolded:
      return "#" + std::to_string(value.payload());
  }
  return "";
}

std::string shown(const std::string& bytes) {
  const auto pickle = read(bytes);
  if (!pickle) return pickle.error().what + " at " + pickle.error().where;
  if (pickle->damage) {
    return "damage at " + std::to_string(pickle->damage->offset) + ": " + pickle->damage->what +
           " in " + shown(*pickle, pickle->root);
  }
  return shown(*pickle, pickle->root);
}

// {'a': [1, -2, 2**40, -2**62, 2**80], 'b': (1.5, None, True, False, b'xy', 'é')}, by Python.
TEST(PickleTest, all_protocols_say_the_same) {
  const std::string expected =
      "{a,[1,-2,1099511627776,-4611686018427387904,huge,],b,(1.500000,None,True,False,";
  const std::string protocol_0 =
      "(dp0\nVa\np1\n(lp2\nI1\naI-2\naL1099511627776L\naL-4611686018427387904L\n"
      "aL1208925819614629174706176L\nasVb\np3\n(F1.5\nNI01\nI00\nV\\u00e9\np4\ntp5\ns.";
  EXPECT_EQ(shown(protocol_0), expected + "\xC3\xA9,),}");
  const std::string protocol_2 =
      "\x80\x02}q\x00(X\x01\x00\x00\x00"
      "aq\x01]q\x02(K\x01J\xfe\xff\xff\xff\x8a\x06\x00\x00\x00\x00\x00\x01"
      "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\xc0\x8a\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
      "eX\x01\x00\x00\x00"
      "bq\x03(G?\xf8\x00\x00\x00\x00\x00\x00N\x88\x89X\x02\x00\x00\x00\xc3\xa9q\x04tq\x05u."s;
  EXPECT_EQ(shown(protocol_2), expected + "\xC3\xA9,),}");
  const std::string protocol_4 =
      "\x80\x04\x95\x3c\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
      "a\x94]\x94(K\x01J\xfe\xff\xff\xff"
      "\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x08\x00\x00\x00\x00\x00\x00\x00\xc0\x8a\x0b\x00\x00\x00"
      "\x00\x00"
      "\x00\x00\x00\x00\x00\x01"
      "e\x8c\x01"
      "b\x94(G?\xf8\x00\x00\x00\x00\x00\x00N\x88\x89"
      "C\x02xy\x94t\x94u."s;
  EXPECT_EQ(shown(protocol_4), expected + "bytes,),}");
}

TEST(PickleTest, numbers_of_every_width) {
  EXPECT_EQ(shown("\x80\x04M\xff\xff."), "65535");
  EXPECT_EQ(shown(sketch::pickle(whole(INT64_MIN))), std::to_string(INT64_MIN));
  EXPECT_EQ(shown(sketch::pickle(whole(INT64_MAX))), std::to_string(INT64_MAX));
  // 2**63 needs nine bytes, and no int64 holds it.
  EXPECT_EQ(shown("\x80\x04\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."s), "huge");
  EXPECT_EQ(shown("\x80\x04\x8a\x00."s), "0");
}

TEST(PickleTest, a_reference_shares_what_it_refers_to) {
  EXPECT_EQ(shown("\x80\x04](]\x94"
                  "K\x01"
                  "a" +
                  again(0) + again(0) + "e."),
            "[[1,],[1,],[1,],]");
}

TEST(PickleTest, code_is_refused_by_name_and_place) {
  EXPECT_EQ(shown("\x80\x04"
                  "cos\nsystem\n."),
            "the pickle is more than plain data: it asks for GLOBAL at byte 2");
  struct Case {
    char code;
    std::string_view name;
  };
  for (const Case& one : std::vector<Case>{{'R', "REDUCE"},
                                           {'b', "BUILD"},
                                           {'i', "INST"},
                                           {'o', "OBJ"},
                                           {'P', "PERSID"},
                                           {'Q', "BINPERSID"},
                                           {'\x81', "NEWOBJ"},
                                           {'\x82', "EXT1"},
                                           {'\x84', "EXT4"},
                                           {'\x92', "NEWOBJ_EX"},
                                           {'\x93', "STACK_GLOBAL"}}) {
    EXPECT_EQ(
        shown(std::string("\x80\x04N") + one.code + "."),
        "the pickle is more than plain data: it asks for " + std::string(one.name) + " at byte 3");
  }
}

TEST(PickleTest, nothing_contains_itself) {
  EXPECT_NE(shown("\x80\x04]\x94" + again(0) + "a.").find("contains itself"), std::string::npos);
  // a = [b]; b gets a.
  EXPECT_NE(shown("\x80\x04]\x94]\x94"
                  "a" +
                  again(1) + again(0) + "a.")
                .find("damage"),
            std::string::npos);
  EXPECT_NE(shown("\x80\x04]\x94}\x94K\x01" + again(0) + "sa.").find("damage"), std::string::npos);
}

TEST(PickleTest, a_million_lists_inside_each_other) {
  constexpr std::size_t kDepth = 1'000'000;
  const auto pickle =
      read("\x80\x04" + std::string(kDepth, ']') + std::string(kDepth - 1, 'a') + ".");
  ASSERT_TRUE(pickle);
  PickleValue value = pickle->root;
  std::size_t depth = 0;
  while (value.is(PickleKind::kList)) {
    PickleValue inner;
    pickle->data.for_each(value, [&](PickleValue item) { inner = item; });
    value = inner;
    ++depth;
  }
  EXPECT_EQ(depth, kDepth);
}

TEST(PickleTest, a_pickle_that_makes_much_of_little_is_refused) {
  const auto pickle = read("\x80\x04" + std::string(std::size_t{40} << 20, ']'));
  ASSERT_FALSE(pickle);
  EXPECT_EQ(pickle.error().what, "the pickle describes far more than its size allows");
}

TEST(PickleTest, a_length_beyond_the_bytes_allocates_nothing) {
  EXPECT_EQ(shown("\x80\x04](K\x01" + std::string("\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"
                                                  "abc")),
            "damage at 18: inside the pickle in [1,]");
  EXPECT_NE(shown("\x80\x04Nr\xff\xff\xff\x7f.").find("out of order"), std::string::npos);
}

TEST(PickleTest, what_is_cut_keeps_what_was_there) {
  const std::string whole_pickle = sketch::pickle(
      dict({{"a", list({whole(1), whole(2)})}, {"b", list({list({whole(3), whole(4)})})}}));
  EXPECT_EQ(shown(whole_pickle), "{a,[1,2,],b,[[3,4,],],}");
  // Inside the last list, whose neighbours are all open.
  const std::string cut = whole_pickle.substr(0, whole_pickle.size() - 8);
  EXPECT_NE(shown(cut).find("{a,[1,2,],b,[[3,],],}"), std::string::npos) << shown(cut);
}

TEST(PickleTest, an_only_item_that_is_cut_stays_in_its_list) {
  // {'b': [[3, 4]]} as Python writes it: no mark before an only item.
  const std::string bytes = "\x80\x04}(" + text("b") +
                            "]](K\x03K\x04"
                            "eau.";
  EXPECT_EQ(shown(bytes), "{b,[[3,4,],],}");
  EXPECT_NE(shown(bytes.substr(0, bytes.size() - 4)).find("{b,[[3,4,],],}"), std::string::npos);
}

TEST(PickleTest, a_dict_keeps_the_last_of_equal_keys) {
  const auto pickle =
      read(sketch::pickle(dict({{"a", whole(1)}, {"b", whole(2)}, {"a", whole(3)}})));
  ASSERT_TRUE(pickle);
  EXPECT_EQ(pickle->data.whole(*pickle->data.find(pickle->root, "a")), 3);
  EXPECT_FALSE(pickle->data.find(pickle->root, "c"));
}

TEST(PickleTest, every_cut_and_every_spoilt_byte_ends) {
  const std::string bytes = sketch::small_snapshot();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto cut = read(bytes.substr(0, i));
    ASSERT_TRUE(cut) << i;
    EXPECT_TRUE(cut->damage) << i;
    std::string spoilt = bytes;
    spoilt[i] = static_cast<char>(~spoilt[i]);
    const auto answer = read(spoilt);
    EXPECT_TRUE(answer || !answer.error().what.empty());
  }
}

// Numbers the dicts that have a member "n".
class Numbers final : public PickleFolder {
 public:
  std::optional<std::uint64_t> fold_dict(const PickleData& data,
                                         std::span<const PickleValue> members) override {
    if (data.text(members[0]) != "n") return std::nullopt;
    return static_cast<std::uint64_t>(*data.whole(members[1]));
  }
  std::optional<std::uint64_t> fold_list(const PickleData&, std::span<const PickleValue>) override {
    return std::nullopt;
  }
};

TEST(PickleTest, a_folded_value_is_its_number_wherever_it_is_referred_to) {
  Numbers folder;
  const std::string one = "}\x94(" + text("n") + whole(7) + "u";
  const auto pickle = read("\x80\x04](" + one + again(0) + dict({{"m", whole(1)}}) + "e.", &folder);
  ASSERT_TRUE(pickle);
  EXPECT_EQ(shown(*pickle, pickle->root), "[#7,#7,{m,1,},]");
}

TEST(PickleTest, what_is_referred_to_while_it_grows_is_not_folded) {
  Numbers folder;
  const std::string twice = "}\x94\x94(" + text("n") + whole(7) + "u";
  const auto pickle = read("\x80\x04](" + twice + again(0) + again(1) + "e.", &folder);
  ASSERT_TRUE(pickle);
  EXPECT_EQ(shown(*pickle, pickle->root), "[{n,7,},{n,7,},{n,7,},]");
}

TEST(PickleTest, reading_can_be_stopped) {
  const std::string bytes = sketch::pickle(whole(1));
  const auto stream = open_stream(std::string_view(bytes));
  const auto pickle = read_pickle(**stream, {.pulse = [](std::uint64_t) { return false; }});
  ASSERT_FALSE(pickle);
  EXPECT_EQ(pickle.error().code, ErrorCode::kInterrupted);
}

TEST(PickleTest, the_beginning_of_a_pickle) {
  EXPECT_TRUE(begins_like_pickle("\x80\x04\x95"));
  EXPECT_TRUE(begins_like_pickle("\x80\x02}"));
  EXPECT_FALSE(begins_like_pickle("\x80\x09}"));
  EXPECT_FALSE(begins_like_pickle("[{}]"));
  EXPECT_FALSE(begins_like_pickle(""));
}

}  // namespace
}  // namespace strobe
