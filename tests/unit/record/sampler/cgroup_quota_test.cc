#include "strobe/record/sampler/cgroup_quota.h"

#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"

namespace strobe::record {
namespace {

std::optional<CpuQuota> quota_of(const HostFolder& host, std::string_view groups) {
  return CgroupQuota(host.access().cgroups).of(groups);
}

TEST(CgroupQuota, of_version_2) {
  const HostFolder host;
  host.write("cgroup/job/cpu.max", "150000 100000\n");
  host.write("cgroup/job/cpu.stat",
             "usage_usec 17\nnr_periods 5\nnr_throttled 3\nthrottled_usec 123456\n");
  EXPECT_EQ(quota_of(host, "0::/job\n"), (CpuQuota{150, 123456}));
}

TEST(CgroupQuota, of_an_outer_group_holds_if_it_is_tighter) {
  const HostFolder host;
  host.write("cgroup/a/cpu.max", "50000 100000\n");
  host.write("cgroup/a/cpu.stat", "throttled_usec 7\n");
  host.write("cgroup/a/b/cpu.max", "max 100000\n");
  host.write("cgroup/a/b/c/cpu.max", "400000 100000\n");
  host.write("cgroup/a/b/c/cpu.stat", "throttled_usec 9\n");
  EXPECT_EQ(quota_of(host, "0::/a/b/c\n"), (CpuQuota{50, 7}));
}

TEST(CgroupQuota, there_is_none_without_a_limit) {
  const HostFolder host;
  EXPECT_FALSE(quota_of(host, "0::/\n"));
  host.write("cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota_of(host, "0::/\n"));
  host.write("cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  host.write("cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(quota_of(host, "1:cpu:/\n"));
}

TEST(CgroupQuota, of_version_1_counts_nanoseconds) {
  const HostFolder host;
  host.write("cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us", "20000\n");
  host.write("cgroup/cpu,cpuacct/docker/1f/cpu.cfs_period_us", "100000\n");
  host.write("cgroup/cpu,cpuacct/docker/1f/cpu.stat",
             "nr_periods 0\nnr_throttled 2\nthrottled_time 5000999\n");
  EXPECT_EQ(quota_of(host, "8:pids:/\n4:cpu,cpuacct:/docker/1f\n0::/\n"), (CpuQuota{20, 5000}));
  EXPECT_FALSE(quota_of(host, "8:cpuset:/docker/1f\n"));
}

TEST(CgroupQuota, in_a_container_the_root_of_the_mount_has_the_limit) {
  const HostFolder host;
  host.write("cgroup/cpu/cpu.cfs_quota_us", "350000\n");
  host.write("cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota_of(host, "1:cpu:/kubepods/pod7/not-mounted-here\n"), (CpuQuota{350, 0}));
  host.write("cgroup/unified/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota_of(host, "1:cpu:/x\n0::/y\n"), (CpuQuota{100, 0}));
}

TEST(CgroupQuota, survives_files_that_make_no_sense) {
  const HostFolder host;
  host.write("cgroup/cpu.max", "a lot\n");
  host.write("cgroup/b/cpu.max", "100000\n");
  host.write("cgroup/c/cpu.max", "100000 0\n");
  for (const char* groups : {"", "\n\n", "0", "0:", "0::", "0::/b", "0::/c\n", "0::/../..\n"}) {
    EXPECT_FALSE(quota_of(host, groups)) << groups;
  }
}

TEST(CgroupQuota, a_counter_is_not_found_inside_of_another_name) {
  const HostFolder host;
  host.write("cgroup/cpu.max", "100000 100000\n");
  host.write("cgroup/cpu.stat", "core_throttled_usec 5\nthrottled_usec 8\n");
  EXPECT_EQ(quota_of(host, "0::/\n"), (CpuQuota{100, 8}));
  host.write("cgroup/cpu.stat", "throttled_usec 9\n");
  EXPECT_EQ(quota_of(host, "0::/\n"), (CpuQuota{100, 9}));
}

}  // namespace
}  // namespace strobe::record
