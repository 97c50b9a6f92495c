#include "strobe/record/sampler/host_sampler.h"

#include <utility>

#include <fmt/format.h>

namespace strobe::record {
namespace {

constexpr std::int64_t kMillisecond_ns = 1'000'000;
// The ticks of the cores are too coarse for the time between two scans that are closer.
constexpr std::int64_t kLeastBetweenScans_ns = 250 * kMillisecond_ns;
constexpr std::int64_t kLowRate = 2;  // a rate this many times lower is worth a note

}  // namespace

// The shares sum up to 1.
HostSampler::HostSampler(SampleLog& log, HostSamplerOptions options)
    : options_(std::move(options)),
      out_(log),
      tree_(options_.host.proc, options_.root, options_.strobe_adopts ? options_.strobe : 0),
      processes_(options_.host, out_),
      machine_(options_.host, out_),
      foreign_(options_.host, out_),
      other_recorders_(options_.host),
      tree_pace_({250 * kMillisecond_ns, 0.10 * options_.most_share}),
      times_pace_({50 * kMillisecond_ns, 0.46 * options_.most_share}),
      memory_pace_({250 * kMillisecond_ns, 0.06 * options_.most_share}),
      threads_pace_({500 * kMillisecond_ns, 0.12 * options_.most_share}),
      counters_pace_({2000 * kMillisecond_ns, 0.10 * options_.most_share}),
      machine_pace_({250 * kMillisecond_ns, 0.08 * options_.most_share}),
      foreign_pace_({1000 * kMillisecond_ns, 0.08 * options_.most_share}) {}

template <class Work>
void HostSampler::when_due(Pace& pace, std::int64_t now_ns, const Work& work) {
  if (!pace.is_due(now_ns)) return;
  const std::int64_t before_ns = options_.cost_clock_ns();
  work();
  pace.was_done(now_ns, options_.cost_clock_ns() - before_ns);
}

void HostSampler::sample(std::int64_t now_ns, bool with_machine) {
  // A process that the program has just started must not be taken for a foreign one.
  const bool is_tree_cheap = tree_pace_.period_ns() == tree_pace_.wanted_ns();
  if (with_machine && is_tree_cheap && foreign_pace_.is_due(now_ns)) tree_pace_.hurry();
  when_due(tree_pace_, now_ns, [&] {
    tree_.refresh();
    processes_.follow(tree_);
  });
  when_due(times_pace_, now_ns, [&] { processes_.sample_times(now_ns); });
  when_due(memory_pace_, now_ns, [&] { processes_.sample_memory(now_ns); });
  when_due(threads_pace_, now_ns, [&] { processes_.sample_threads(now_ns); });
  when_due(counters_pace_, now_ns, [&] { processes_.sample_counters(now_ns); });
  note_lower_rate();
  const bool had_machine = std::exchange(had_machine_, with_machine);
  if (!with_machine) return;
  if (!had_machine) {
    machine_.forget();
    foreign_.forget();
  }
  when_due(machine_pace_, now_ns, [&] { sample_machine(now_ns); });
  when_due(foreign_pace_, now_ns, [&] { scan_foreign(now_ns); });
}

void HostSampler::finish(std::int64_t now_ns, bool with_machine) {
  processes_.sample_times(now_ns);
  processes_.sample_memory(now_ns);
  processes_.sample_threads(now_ns);
  processes_.sample_counters(now_ns);
  if (!with_machine || !had_machine_) return;
  sample_machine(now_ns);
  if (now_ns - scanned_ns_ >= kLeastBetweenScans_ns) scan_foreign(now_ns);
}

void HostSampler::sample_machine(std::int64_t now_ns) {
  machine_.sample(now_ns, processes_.cores());
}

void HostSampler::scan_foreign(std::int64_t now_ns) {
  scanned_ns_ = now_ns;
  if (options_.other_recorders) {
    std::vector<pid_t> recorders = options_.other_recorders();
    std::erase(recorders, options_.strobe);
    other_recorders_.follow(recorders);
  }
  const std::int64_t strobe_cpu_ns = options_.host.cpu_ns(options_.strobe).value_or(0);
  const auto is_own = [this](pid_t process) {
    return process == options_.strobe || tree_.contains(process) ||
           other_recorders_.contains(process);
  };
  foreign_.scan(now_ns, is_own, processes_.cpu_ns() + strobe_cpu_ns + other_recorders_.cpu_ns());
}

void HostSampler::note_lower_rate() {
  if (has_noted_rate_ || times_pace_.period_ns() < kLowRate * times_pace_.wanted_ns()) return;
  has_noted_rate_ = true;
  out_.note(wire::NoteWhat::kRemark,
            fmt::format("the program has {} threads: they are sampled less often than every {} ms, "
                        "so that the recording stays cheap",
                        processes_.thread_count(), times_pace_.wanted_ns() / kMillisecond_ns));
}

}  // namespace strobe::record
