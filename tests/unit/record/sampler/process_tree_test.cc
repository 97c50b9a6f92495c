#include "strobe/record/sampler/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<pid_t> ids_in(const ProcessTree& tree) {
  std::vector<pid_t> ids;
  for (const TreeProcess& process : tree.processes()) ids.push_back(process.id);
  return ids;
}

TEST(ProcessTree, has_the_children_of_children) {
  const HostFolder host;
  host.process(10, {.name = "bash", .parent = 1});
  host.process(11, {.name = "python3", .parent = 10, .threads = 2});
  host.process(12, {.name = "worker", .parent = 11});
  host.process(90, {.name = "other", .parent = 1});
  host.children(10, "11 ");
  host.children(11, "12 ");
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10, 11, 12));
  EXPECT_TRUE(tree.contains(12));
  EXPECT_FALSE(tree.contains(90));
  EXPECT_EQ(tree.processes()[1].name, "python3");
  EXPECT_EQ(tree.processes()[1].parent, 10);
  EXPECT_EQ(tree.processes()[1].threads, 2u);
}

TEST(ProcessTree, is_found_without_lists_of_children_and_in_any_order) {
  const HostFolder host;
  host.process(30, {.parent = 1});
  host.process(20, {.parent = 30});
  host.process(10, {.parent = 20});
  host.process(40, {.parent = 2});
  ProcessTree tree(host.proc(), 30);
  tree.refresh();
  EXPECT_THAT(ids_in(tree), UnorderedElementsAre(10, 20, 30));
}

TEST(ProcessTree, keeps_a_process_whose_parent_has_ended) {
  const HostFolder host;
  host.process(10);
  host.process(11, {.parent = 10});
  host.process(12, {.parent = 11});
  host.children(10, "11 ");
  host.children(11, "12 ");
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  host.end(11);
  host.process(12, {.parent = 1});  // adopted
  host.children(10, "");
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10, 12));
  EXPECT_EQ(tree.processes()[1].parent, 1);

  host.end(10);
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(12));
}

TEST(ProcessTree, takes_another_process_with_an_old_number_for_what_it_is) {
  const HostFolder host;
  host.process(10);
  host.process(11, {.parent = 10, .start_ticks = 500});
  host.children(10, "11 ");
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  ASSERT_THAT(ids_in(tree), ElementsAre(10, 11));
  host.process(11, {.parent = 1, .start_ticks = 900});  // of somebody else
  host.children(10, "");
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10));

  host.process(11, {.name = "again", .parent = 10, .start_ticks = 950});
  host.children(10, "11 ");
  tree.refresh();
  ASSERT_THAT(ids_in(tree), ElementsAre(10, 11));
  EXPECT_EQ(tree.processes()[1].start_ticks, 950u);
}

TEST(ProcessTree, does_not_begin_again_with_another_root) {
  const HostFolder host;
  host.process(10, {.start_ticks = 5});
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  host.process(10, {.start_ticks = 6});
  for (int i = 0; i < 8; ++i) tree.refresh();
  EXPECT_THAT(ids_in(tree), IsEmpty());
}

TEST(ProcessTree, leaves_out_what_has_ended_and_nobody_has_waited_for) {
  const HostFolder host;
  host.process(10);
  host.process(11, {.state = 'Z', .parent = 10});
  host.children(10, "11 ");
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10));
  host.process(10, {.state = 'Z'});
  tree.refresh();
  EXPECT_THAT(ids_in(tree), IsEmpty());
}

TEST(ProcessTree, what_a_second_thread_starts_is_found_at_the_fourth_look_at_the_latest) {
  const HostFolder host;
  host.process(10);
  host.children(10, "");
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  host.process(15, {.parent = 10});  // in no list of the first thread
  for (int i = 0; i < 4; ++i) tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10, 15));
}

TEST(ProcessTree, children_are_not_searched_while_nothing_was_started) {
  const HostFolder host;
  host.write("proc/loadavg", "0.10 0.10 0.10 1/90 500\n");
  host.process(10);
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  EXPECT_TRUE(tree.was_thorough());
  host.process(11, {.parent = 10});
  host.children(10, "11 ");
  tree.refresh();
  EXPECT_FALSE(tree.was_thorough());
  EXPECT_THAT(ids_in(tree), ElementsAre(10));
  host.write("proc/loadavg", "0.10 0.10 0.10 1/90 501\n");
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10, 11));
}

TEST(ProcessTree, has_what_the_adopter_adopts) {
  const HostFolder host;
  host.process(5, {.name = "strobe"});
  host.process(10, {.parent = 5});
  host.process(14, {.parent = 5});  // its parent has ended before anybody looked
  host.process(15, {.parent = 14});
  ProcessTree alone(host.proc(), 10);
  alone.refresh();
  EXPECT_THAT(ids_in(alone), ElementsAre(10));
  ProcessTree tree(host.proc(), 10, 5);
  tree.refresh();
  EXPECT_THAT(ids_in(tree), UnorderedElementsAre(10, 14, 15));
  host.end(10);
  host.process(16, {.parent = 5});
  for (int i = 0; i < 4; ++i) tree.refresh();
  EXPECT_THAT(ids_in(tree), UnorderedElementsAre(14, 15, 16));
}

TEST(ProcessTree, survives_files_that_make_no_sense) {
  const HostFolder host;
  host.process(10);
  host.children(10, "eleven 12 999999");
  host.write("proc/12/stat", "12 (app");
  host.write("proc/13/stat", "");
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  EXPECT_THAT(ids_in(tree), ElementsAre(10));
  ProcessTree none(host.proc(), 77);
  none.refresh();
  EXPECT_THAT(ids_in(none), IsEmpty());
}

TEST(ProcessTree, follows_a_new_name) {
  const HostFolder host;
  host.process(10, {.name = "strobe"});
  ProcessTree tree(host.proc(), 10);
  tree.refresh();
  host.process(10, {.name = "python3"});
  tree.refresh();
  EXPECT_EQ(tree.processes()[0].name, "python3");
}

}  // namespace
}  // namespace strobe::record
