#include "strobe/record/sampler/other_recorders.h"

#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"

namespace strobe::record {
namespace {

TEST(OtherRecorders, have_themselves_and_what_they_record) {
  const HostFolder host;
  host.process(80);
  host.process(81, {.parent = 80});
  host.process(82, {.parent = 81});
  host.process(90);
  const HostAccess access = host.access();
  OtherRecorders others(access);
  const std::vector<pid_t> recorders = {80};
  others.follow(recorders);
  for (const pid_t process : {80, 81, 82}) EXPECT_TRUE(others.contains(process)) << process;
  EXPECT_FALSE(others.contains(90));
  others.follow({});
  EXPECT_FALSE(others.contains(80));
}

TEST(OtherRecorders, time_of_processes_that_ended_stays_counted) {
  const HostFolder host;
  host.process(80);
  host.process(81, {.parent = 80});
  host.clock(80, 100);
  host.clock(81, 1000);
  const HostAccess access = host.access();
  OtherRecorders others(access);
  const std::vector<pid_t> recorders = {80};
  others.follow(recorders);
  EXPECT_EQ(others.cpu_ns(), 1100);
  host.clock(81, 1500);
  others.follow(recorders);
  EXPECT_EQ(others.cpu_ns(), 1600);
  host.end(81);
  host.clock(80, 110);
  others.follow(recorders);
  EXPECT_EQ(others.cpu_ns(), 1610);
}

TEST(OtherRecorders, that_are_gone_have_nothing) {
  const HostFolder host;
  const HostAccess access = host.access();
  OtherRecorders others(access);
  const std::vector<pid_t> recorders = {80, 81};
  others.follow(recorders);
  EXPECT_FALSE(others.contains(80));
  EXPECT_EQ(others.cpu_ns(), 0);
}

}  // namespace
}  // namespace strobe::record
