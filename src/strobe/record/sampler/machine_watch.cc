#include "strobe/record/sampler/machine_watch.h"

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/record/sampler/host_sampler.h"
#include "strobe/wire/run_file.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {
namespace {

constexpr Rhythm kHostRhythm = {.period_ns = 50'000'000};
constexpr Rhythm kDeviceRhythm = {.period_ns = 20'000'000};
constexpr std::int64_t kBetweenOwners_ns = 500'000'000;  // how soon a new process is known as own

HostSamplerOptions host_options(const RunWatch::Place& place) {
  HostSamplerOptions options;
  options.root = place.root;
  options.strobe = getpid();
  options.strobe_adopts = place.strobe_adopts;
  options.other_recorders = place.other_recorders;
  if (place.redact) options.host.shown_name = hashed_name;
  return options;
}

}  // namespace

class HostSource : public Source {
 public:
  explicit HostSource(const RunWatch::Place& place)
      : sampler_(place.file.log(), host_options(place)), machine_(place.machine) {}

  void look(std::int64_t now_ns) override { sampler_.sample(now_ns, machine_.is_held(now_ns)); }
  void look_last(std::int64_t now_ns) override {
    sampler_.finish(now_ns, machine_.is_held(now_ns));
  }
  void restart() override { sampler_.restart(); }
  const HostSampler& sampler() const { return sampler_; }

 private:
  HostSampler sampler_;
  MachineLock& machine_;
};

class DeviceSource : public Source {
 public:
  DeviceSource(std::unique_ptr<DeviceSampler> sampler, const HostSampler& host,
               const RunWatch::Place& place)
      : sampler_(std::move(sampler)),
        host_(host),
        log_(place.file.log()),
        machine_(place.machine),
        other_recorders_(place.other_recorders) {}

  void look(std::int64_t now_ns) override {
    if (!machine_.is_held(now_ns)) return;
    if (!std::exchange(has_sampled_, true)) {
      tell_owners(now_ns);
      now_ns = wire::run_clock_ns();  // must be the time of the readings
    }
    sampler_->sample(now_ns, log_);
    if (now_ns - owners_known_ns_ >= kBetweenOwners_ns) tell_owners(now_ns);
  }
  bool has_sampled() const { return has_sampled_; }
  const DeviceSampler& sampler() const { return *sampler_; }

 private:
  void tell_owners(std::int64_t now_ns) {
    owners_known_ns_ = now_ns;
    std::vector<pid_t> own;
    if (other_recorders_) own = other_recorders_();
    for (const TreeProcess& process : host_.tree().processes()) own.push_back(process.id);
    sampler_->set_own_processes(own);
  }

  std::unique_ptr<DeviceSampler> sampler_;
  const HostSampler& host_;
  SampleLog& log_;
  MachineLock& machine_;
  std::function<std::vector<pid_t>()> other_recorders_;
  std::int64_t owners_known_ns_ = 0;
  bool has_sampled_ = false;
};

// Times in which a thread waited for a core.
class WaitsSource : public Source {
 public:
  WaitsSource(SchedulerWaits waits, const HostSampler& host, wire::RunFileWriter& file)
      : waits_(std::move(waits)), host_(host), file_(file) {}

  void look(std::int64_t) override {
    waits_.watch(host_.threads());
    waits_.drain(file_);
  }
  void look_last(std::int64_t now_ns) override {
    look(now_ns);
    waits_.finish(file_);
  }
  const SchedulerWaits& waits() const { return waits_; }

 private:
  SchedulerWaits waits_;
  const HostSampler& host_;
  wire::RunFileWriter& file_;
};

void MachineWatch::begin(Sampler& sampler, const Place& place) {
  auto host = std::make_unique<HostSource>(place);
  host_ = host.get();
  sampler.add(std::move(host), kHostRhythm);
  begin_waits(sampler, place);
}

void MachineWatch::begin_waits(Sampler& sampler, const Place& place) {
  SchedulerWaitsOptions options = waits_options_;
  options.root = place.root;
  if (place.redact) options.host.shown_name = hashed_name;
  Result<SchedulerWaits> waits = SchedulerWaits::open(std::move(options));
  if (!waits) {
    why_no_waits_ = what_and_hint(waits.error());
    return;
  }
  auto source =
      std::make_unique<WaitsSource>(std::move(*waits), host_->sampler(), place.file.writer());
  waits_source_ = source.get();
  sampler.add(std::move(source), kHostRhythm);
}

void MachineWatch::begin_devices(Sampler& sampler, const Place& place) {
  ProcessAccess access;
  if (place.redact) access.shown_name = hashed_name;
  Result<std::unique_ptr<DeviceSampler>> opened =
      open_devices_ ? open_devices_(access) : DeviceSampler::open(access);
  if (!opened) {
    why_no_devices_ = opened.error().what;
    return;
  }
  devices_ = (*opened)->devices();
  driver_version_ = (*opened)->driver_version();
  cuda_version_ = (*opened)->cuda_version();
  std::vector<HostFile::Fact> facts;
  for (const RecordedDevice& device : devices_) {
    const std::string prefix = fmt::format("{}{}.", wire::kFactDevice, device.index);
    facts.emplace_back(prefix + "name", device.name);
    facts.emplace_back(prefix + "memory_bytes", std::to_string(device.memory_bytes));
    facts.emplace_back(prefix + "uuid", device.uuid);
  }
  place.file.add_facts(facts);
  auto source = std::make_unique<DeviceSource>(std::move(*opened), host_->sampler(), place);
  devices_source_ = source.get();
  sampler.add(std::move(source), kDeviceRhythm);
}

SourceReport MachineWatch::device_report() const {
  SourceReport report = {.name = "device_metrics"};
  if (devices_source_ == nullptr) {
    report.state = SourceState::kMissing;
    report.why = why_no_devices_;
  } else if (!devices_source_->has_sampled()) {
    report.why = "another recorder of this job has them";
  } else if (const auto& remarks = devices_source_->sampler().remarks(); !remarks.empty()) {
    report.state = SourceState::kPartly;
    report.why = fmt::format("{}", fmt::join(remarks, "; "));
  }
  return report;
}

SourceReport MachineWatch::scheduler_report() const {
  SourceReport report = {.name = "scheduler"};
  if (waits_source_ == nullptr) {
    report.state = SourceState::kMissing;
    report.why = why_no_waits_;
  } else if (std::string missing = waits_source_->waits().what_is_missing(); !missing.empty()) {
    report.state = SourceState::kPartly;
    report.why = std::move(missing);
  }
  return report;
}

std::vector<SourceReport> MachineWatch::reports() const {
  return {device_report(), {.name = "host"}, scheduler_report()};
}

}  // namespace strobe::record
