#include "strobe/record/sampler/core_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr pid_t kOwn = 10;
constexpr pid_t kMake = 70;
constexpr pid_t kCompiler = 80;

// Switches on cores in the order of time.
class SwitchScript {
 public:
  CoreWaits waits;
  std::vector<CoreWait> ended;

  // The thread has to leave although it could go on; then `next` runs.
  void pushed_out(std::int64_t time_ns, pid_t thread, pid_t next, std::uint32_t core = 0) {
    waits.add_own({time_ns, core, kOwn, thread, next, true, true}, ended);
  }
  void blocks(std::int64_t time_ns, pid_t thread, pid_t next, std::uint32_t core = 0) {
    waits.add_own({time_ns, core, kOwn, thread, next, true, false}, ended);
  }
  void gets_core(std::int64_t time_ns, pid_t thread, pid_t before, std::uint32_t core = 0) {
    waits.add_own({time_ns, core, kOwn, thread, before, false, false}, ended);
  }
  void other_leaves(std::int64_t time_ns, pid_t process, pid_t next, std::uint32_t core = 0) {
    waits.add_other({time_ns, core, process, process, next, true, true});
  }
};

TEST(CoreWaits, last_from_the_switch_out_of_a_ready_thread_to_its_switch_in) {
  SwitchScript script;
  script.pushed_out(100, 11, kMake);
  EXPECT_TRUE(script.waits.is_awaited(0));
  EXPECT_FALSE(script.waits.is_awaited(1));
  script.gets_core(350, 11, kMake);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 100, 350, kMake}));
  EXPECT_FALSE(script.waits.is_awaited(0));
}

TEST(CoreWaits, a_thread_that_blocks_does_not_wait) {
  SwitchScript script;
  script.blocks(100, 11, kMake);
  script.gets_core(350, 11, kMake);
  EXPECT_THAT(script.ended, IsEmpty());
}

TEST(CoreWaits, who_ran_longest_is_named) {
  SwitchScript script;
  script.pushed_out(100, 11, kMake);           // make 100
  script.other_leaves(200, kMake, kCompiler);  // compiler 150
  script.other_leaves(350, kCompiler, kMake);  // make 100 more
  script.gets_core(450, 11, kMake);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 100, 450, kMake}));
}

TEST(CoreWaits, the_program_may_be_in_its_own_way) {
  SwitchScript script;
  script.pushed_out(100, 11, kOwn);
  script.gets_core(100, 12, kOwn);
  script.pushed_out(400, 12, kOwn);
  script.gets_core(400, 11, kOwn);
  script.blocks(500, 11, kOwn);
  script.gets_core(500, 12, kOwn);
  EXPECT_THAT(script.ended,
              ElementsAre(CoreWait{kOwn, 11, 100, 400, kOwn}, CoreWait{kOwn, 12, 400, 500, kOwn}));
}

TEST(CoreWaits, may_end_on_another_core) {
  SwitchScript script;
  script.pushed_out(100, 11, kMake, 0);
  script.other_leaves(150, kMake, kCompiler, 1);  // of no interest
  script.gets_core(300, 11, kCompiler, 1);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 100, 300, kMake}));
}

TEST(CoreWaits, nobody_runs_while_the_quota_is_used_up) {
  SwitchScript script;
  script.pushed_out(100, 11, 0);
  script.gets_core(9000, 11, 0);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 100, 9000, 0}));
}

TEST(CoreWaits, without_the_switches_of_others_nobody_is_named) {
  SwitchScript script;
  script.pushed_out(100, 11, -1);
  script.gets_core(350, 11, -1);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 100, 350, CoreWait::kNotKnown}));
}

TEST(CoreWaits, a_missing_record_makes_no_wait_longer) {
  SwitchScript script;
  script.pushed_out(100, 11, kMake);
  script.blocks(500, 11, kMake);  // its switch in is missing
  script.gets_core(900, 11, kMake);
  script.pushed_out(1000, 11, kMake);
  script.waits.forget_all();
  script.gets_core(1100, 11, kMake);
  script.pushed_out(1200, 11, kMake);
  script.pushed_out(1200, 12, kMake, 1);
  script.waits.forget(11);
  script.gets_core(1300, 11, kMake);
  script.gets_core(1300, 12, kMake, 1);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 12, 1200, 1300, kMake}));
}

TEST(CoreWaits, that_go_on_at_the_end_end_there) {
  SwitchScript script;
  script.pushed_out(100, 12, kMake);
  script.pushed_out(150, 11, kMake, 1);
  script.waits.end_all(400, script.ended);
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 150, 400, kMake},
                                        CoreWait{kOwn, 12, 100, 400, kMake}));
  EXPECT_FALSE(script.waits.is_awaited(0));
}

TEST(CoreWaits, a_very_long_wait_needs_no_more_memory) {
  SwitchScript script;
  script.pushed_out(0, 11, kMake);
  for (int i = 1; i <= 20'000; ++i) {
    script.other_leaves(i, i % 2 == 0 ? kCompiler : kMake, i % 2 == 0 ? kMake : kCompiler);
  }
  script.gets_core(50'000, 11, kMake);  // the last one stayed
  EXPECT_THAT(script.ended, ElementsAre(CoreWait{kOwn, 11, 0, 50'000, kMake}));
}

}  // namespace
}  // namespace strobe::record
