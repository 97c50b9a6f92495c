#include "strobe/fleet/digest/call_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CallFactsTest, a_kernel_may_say_everything) {
  CallFacts facts;
  add_facts(R"({"Collective name": "allreduce", "In msg nelems": 32, "Out msg nelems": 32,
                "dtype": "BFloat16", "Process Group Name": "7", "Process Group Description": "tp",
                "Process Group Ranks": "[0, 2]", "Group size": 2, "Seq": 41})",
            FactSource::kKernel, facts);
  EXPECT_EQ(facts.collective, "allreduce");
  EXPECT_EQ(facts.in_elements, 32u);
  EXPECT_EQ(facts.out_elements, 32u);
  EXPECT_EQ(facts.element_type, "BFloat16");
  EXPECT_EQ(facts.group, "7");
  EXPECT_EQ(facts.group_purpose, "tp");
  EXPECT_THAT(facts.group_ranks, ElementsAre(0, 2));
  EXPECT_EQ(facts.group_size, 2u);
  EXPECT_EQ(facts.sequence, 41);
}

TEST(CallFactsTest, a_shortened_list_of_ranks_is_not_taken_for_the_whole) {
  CallFacts facts;
  add_facts(R"({"Process Group Ranks": "[0, 1, 2, ...]", "Group size": 64})", FactSource::kKernel,
            facts);
  EXPECT_THAT(facts.group_ranks, IsEmpty());
  EXPECT_EQ(facts.group_size, 64u);
}

TEST(CallFactsTest, ranks_may_be_told_by_their_first_one_and_their_distance) {
  CallFacts facts;
  add_facts(R"({"Global rank start": 1, "Global rank stride": 4, "Group size": 3})",
            FactSource::kKernel, facts);
  EXPECT_THAT(facts.group_ranks, ElementsAre(1, 5, 9));
}

TEST(CallFactsTest, the_range_of_a_library_has_the_buffers_and_the_note_the_numbers) {
  CallFacts facts;
  add_facts(R"({"Concrete Inputs": [""], "Input type": ["c10::Half"],
                "Input Dims": [[4, 2048, 4096]]})",
            FactSource::kLibraryRange, facts);
  add_facts(R"({"Concrete Inputs": ["", "337", "93825114103440", "0", "", "[]", "[]", "8"],
                "Input type": ["TensorList"], "Input Dims": [[[4, 2048, 4096]], [], []]})",
            FactSource::kNote, facts);
  EXPECT_EQ(facts.in_elements, 4u * 2048 * 4096);
  EXPECT_EQ(facts.element_type, "c10::Half");
  EXPECT_EQ(facts.sequence, 337);
  EXPECT_EQ(facts.group_size, 8u);
  EXPECT_EQ(facts.group, "") << "an address is no name: other processes have other ones";
  EXPECT_EQ(facts.own_group, "93825114103440");
}

TEST(CallFactsTest, newer_notes_name_the_group_and_the_collective) {
  CallFacts facts;
  add_facts(R"({"Concrete Inputs": ["", "5", "['0', 'default_pg']", "3", "allreduce", "[]", "[]",
                "0", "1", "16"]})",
            FactSource::kNote, facts);
  EXPECT_EQ(facts.group, "0");
  EXPECT_EQ(facts.group_purpose, "default_pg");
  EXPECT_EQ(facts.collective, "allreduce");
  EXPECT_EQ(facts.group_size, 16u);
}

TEST(CallFactsTest, the_note_about_waiting_says_nothing) {
  CallFacts facts;
  add_facts(R"({"Concrete Inputs": ["337", "0", "0", "", "[]", "[]", "1"]})", FactSource::kNote,
            facts);
  EXPECT_FALSE(facts.sequence);
  EXPECT_FALSE(facts.group_size);
}

TEST(CallFactsTest, what_the_first_source_says_stays) {
  CallFacts facts;
  add_facts(R"({"Seq": 1})", FactSource::kKernel, facts);
  add_facts(R"({"Seq": 2, "Group size": 4})", FactSource::kKernel, facts);
  EXPECT_EQ(facts.sequence, 1);
  EXPECT_EQ(facts.group_size, 4u);
}

TEST(CallFactsTest, absurd_values_are_no_facts) {
  CallFacts facts;
  add_facts(R"({"Seq": -4, "Group size": 1e30, "In msg nelems": "x",
                "Process Group Ranks": "[99999999999]", "Input Dims": [[4294967296, 4294967296,
                4294967296]], "Input type": ["float"]})",
            FactSource::kLibraryRange, facts);
  EXPECT_FALSE(facts.sequence);
  EXPECT_FALSE(facts.group_size);
  EXPECT_FALSE(facts.in_elements);
  EXPECT_THAT(facts.group_ranks, IsEmpty());
}

}  // namespace
}  // namespace strobe::fleet
