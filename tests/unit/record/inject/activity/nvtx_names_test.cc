#include "strobe/record/inject/activity/nvtx_names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace strobe::record {
namespace {

NvtxNames::Number number_of(NvtxNames& names, const std::string& text) {
  return names.of(NvtxMessage::text(text.c_str()));
}

NvtxMessage registered(std::uintptr_t handle) {
  NvtxMessage message;
  message.kind = NvtxMessage::Kind::kRegistered;
  message.value = reinterpret_cast<const void*>(handle);
  return message;
}

TEST(NvtxNames, a_text_is_told_by_its_content_and_not_by_its_place) {
  NvtxNames names;
  char room[16] = "forward";
  const auto forward = names.of(NvtxMessage::text(room));
  std::snprintf(room, sizeof room, "backward");
  const auto backward = names.of(NvtxMessage::text(room));
  EXPECT_NE(forward, backward);
  EXPECT_EQ(names.text(forward), "forward");
  EXPECT_EQ(names.text(backward), "backward");
  EXPECT_EQ(number_of(names, "forward"), forward);
}

TEST(NvtxNames, no_text_is_the_empty_name) {
  NvtxNames names;
  EXPECT_EQ(names.of(NvtxMessage{}), NvtxNames::kNoName);
  EXPECT_EQ(names.of(NvtxMessage::text(nullptr)), NvtxNames::kNoName);
  EXPECT_EQ(names.of(NvtxMessage::wide(nullptr)), NvtxNames::kNoName);
  EXPECT_EQ(number_of(names, ""), NvtxNames::kNoName);
  EXPECT_EQ(names.text(NvtxNames::kNoName), "");
}

TEST(NvtxNames, the_number_of_torch_is_taken_off_only_where_there_is_a_place_for_it) {
  NvtxNames names;
  const NvtxMessage message = NvtxMessage::text("aten::add, seq = 5");
  EXPECT_EQ(names.text(names.of(message)), "aten::add, seq = 5");
  const NvtxText split(message, true);
  EXPECT_EQ(names.text(names.of(split)), "aten::add, seq = payload");
  EXPECT_EQ(split.torch.value, 5u);
}

TEST(NvtxNames, a_registered_text_is_found_by_its_handle) {
  NvtxNames names;
  const auto name = names.of(NvtxMessage::wide(L"Gr\u00F6\u00DFe"));
  EXPECT_EQ(names.of(registered(name)), name);
  EXPECT_EQ(names.text(name),
            "Gr\xC3\xB6\xC3\x9F"
            "e");
}

TEST(NvtxNames, a_handle_that_nobody_made_is_no_text) {
  NvtxNames names;
  EXPECT_EQ(names.of(registered(1)), NvtxNames::kNoName);
  EXPECT_EQ(names.of(registered(std::uintptr_t{1} << 40)), NvtxNames::kNoName);
  EXPECT_EQ(names.of(registered((std::uintptr_t{1} << 32) | NvtxNames::kNoName)),
            NvtxNames::kNoName);
}

TEST(NvtxNames, a_long_text_is_cut_between_characters) {
  NvtxNames names;
  std::string accents = "a";
  while (accents.size() < 2 * kMostNameBytes) accents += "\xC3\xA9";
  const std::string& kept = names.text(number_of(names, accents));
  EXPECT_EQ(kept, accents.substr(0, kMostNameBytes - 1));
}

TEST(NvtxNames, a_name_is_asked_for_once_per_file) {
  NvtxNames names;
  const auto name = number_of(names, "forward");
  int asked = 0;
  const auto ask = [&](const std::string& text) {
    EXPECT_EQ(text, "forward");
    return std::uint64_t{40} + static_cast<std::uint64_t>(++asked);
  };
  EXPECT_EQ(names.number_in_file(name, 1, ask), 41u);
  EXPECT_EQ(names.number_in_file(name, 1, ask), 41u);
  EXPECT_EQ(names.number_in_file(name, 2, ask), 42u);
  EXPECT_EQ(names.number_in_file(name, 2, ask), 42u);
}

TEST(NvtxNames, a_redacted_name_tells_nothing_but_that_it_is_the_same) {
  NvtxNames names;
  names.redact();
  const auto name = number_of(names, "my secret");
  EXPECT_EQ(names.text(name).find("secret"), std::string::npos);
  EXPECT_EQ(number_of(names, "my secret"), name);
  EXPECT_NE(names.text(number_of(names, "my other")), names.text(name));
  EXPECT_EQ(names.text(NvtxNames::kNoName), "");
}

TEST(NvtxNames, a_program_that_makes_up_names_without_end_does_not_fill_the_memory) {
  const auto names = std::make_unique<NvtxNames>();
  for (NvtxNames::Number i = 1; i < NvtxNames::kMostNames; ++i) {
    number_of(*names, "step " + std::to_string(i));
  }
  EXPECT_FALSE(names->is_crowded());
  const auto kept = number_of(*names, "step 17");
  EXPECT_EQ(names->text(kept), "step 17");
  const auto merged = number_of(*names, "epoch 1 batch 2");
  EXPECT_TRUE(names->is_crowded());
  EXPECT_EQ(names->text(merged), "epoch # batch #");
  EXPECT_EQ(number_of(*names, "epoch 3 batch 4"), merged);
  EXPECT_EQ(number_of(*names, "step 17"), kept);
  // Without numbers to leave out, even that has an end.
  for (NvtxNames::Number i = 0; i < NvtxNames::kMostWithoutNumbers + 10; ++i) {
    std::string letters;
    for (NvtxNames::Number rest = i + 1; rest > 0; rest /= 26) {
      letters += static_cast<char>('a' + rest % 26);
    }
    number_of(*names, "request " + letters);
  }
  const auto other = number_of(*names, "request zzzzz");
  EXPECT_EQ(names->text(other), "(other names)");
  EXPECT_EQ(number_of(*names, "request yyyyy"), other);
  EXPECT_EQ(number_of(*names, "epoch 5 batch 6"), merged);
}

}  // namespace
}  // namespace strobe::record
