#include "strobe/record/sampler/machine_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"
#include "tests/unit/record/sampler/host_recording.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Sample = HostRecording::Sample;

// A sampler of an invented machine.
struct MachineSampling {
  HostFolder host;
  HostRecording recording;
  HostAccess access = host.access();
  SeriesWriter out{recording.log()};
  MachineSampler sampler{access, out};
};

TEST(MachineSampler, usage_is_what_was_not_idle_since_the_last_sample) {
  MachineSampling run;
  run.host.write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1\n");
  run.sampler.sample(1, {});
  EXPECT_THAT(run.recording.samples("host_cpu_usage"), IsEmpty());
  // 30 of 200 ticks idle, 20 of them behind the disk; 10 stolen.
  run.host.write("proc/stat", "cpu  200 0 150 810 20 5 5 10 0 0\ncpu0 1 1 1 1\n");
  run.sampler.sample(2, {});
  EXPECT_THAT(run.recording.samples("host_cpu_usage"), ElementsAre(Sample{2, 850}));
  run.sampler.forget();
  run.host.write("proc/stat", "cpu  900 0 150 810 20 5 5 10 0 0\n");
  run.sampler.sample(3, {});
  EXPECT_THAT(run.recording.samples("host_cpu_usage"), ElementsAre(Sample{2, 850}));
}

TEST(MachineSampler, load_pressure_and_memory) {
  MachineSampling run;
  run.host.write("proc/loadavg", "3.25 1.00 1.00 2/90 700\n");
  run.host.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=111\n");
  run.host.write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=222\n");
  run.host.write("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=333\n");
  run.host.write("proc/meminfo", "MemTotal: 8000 kB\nMemFree: 1 kB\nMemAvailable: 5000 kB\n");
  run.sampler.sample(1, {});
  run.host.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=112\n");
  run.sampler.sample(2, {});
  EXPECT_THAT(run.recording.samples("host_load"), ElementsAre(Sample{1, 325}));
  EXPECT_THAT(run.recording.samples("pressure_cpu_some_us"),
              ElementsAre(Sample{1, 111}, Sample{2, 112}));
  EXPECT_THAT(run.recording.samples("pressure_memory_some_us"), ElementsAre(Sample{1, 222}));
  EXPECT_THAT(run.recording.samples("pressure_io_some_us"), ElementsAre(Sample{1, 333}));
  EXPECT_THAT(run.recording.samples("host_mem_used"), ElementsAre(Sample{1, 375}));
  for (const auto& series : run.recording.all_series()) {
    EXPECT_EQ(series.of, wire::SeriesOf::kMachine);
    EXPECT_EQ(series.scale, series.metric == "host_load"       ? -2
                            : series.metric == "host_mem_used" ? -1
                                                               : 0)
        << series.metric;
  }
}

TEST(MachineSampler, the_clock_is_the_mean_over_the_named_cores) {
  MachineSampling run;
  for (const int core : {0, 1, 2}) {
    const std::string folder = fmt::format("cores/cpu{}/cpufreq/", core);
    run.host.write(folder + "cpuinfo_max_freq", "4000000\n");
    run.host.write(folder + "scaling_cur_freq", fmt::format("{}\n", 1'000'000 * (core + 1)));
  }
  const std::vector<std::uint64_t> cores = {1, 2, 7};  // nobody knows the clock of core 7
  run.sampler.sample(1, cores);
  EXPECT_THAT(run.recording.samples("cpu_frequency"), ElementsAre(Sample{1, 625}));
}

TEST(MachineSampler, writes_nothing_where_there_is_nothing) {
  MachineSampling run;
  const std::vector<std::uint64_t> cores = {0};
  run.sampler.sample(1, cores);
  for (const char* name : {"stat", "loadavg", "meminfo", "pressure/cpu"}) {
    run.host.write(std::string("proc/") + name, "nothing of the kind\n");
  }
  run.host.write("cores/cpu0/cpufreq/cpuinfo_max_freq", "fast\n");
  run.sampler.sample(2, cores);
  EXPECT_THAT(run.recording.all_series(), IsEmpty());
}

}  // namespace
}  // namespace strobe::record
