#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/wire/kernel_recording.h"

namespace strobe::test {

// One section of a recording, record by record: SectionSketch().metric("a").launch(...).bytes().
class SectionSketch {
 public:
  SectionSketch() {
    std::memcpy(header.magic, wire::kRecordingMagic, sizeof header.magic);
    header.version = wire::kRecordingVersion;
    header.header_bytes = sizeof header;
    header.process_id = 4242;
    std::strcpy(header.program, "app");
    header.is_finished = 1;
    header.passes = 1;
  }

  SectionSketch& metric(std::string_view name) {
    return record(wire::RecordKind::kMetric, std::string(name));
  }
  SectionSketch& device(std::uint32_t index, std::string_view name) {
    wire::DeviceRecord device = {};
    device.index = index;
    device.sm_count = 132;
    device.capability_major = 9;
    device.most_clock_hz = 1'980'000'000;
    device.memory_clock_hz = 3'201'000'000;
    device.memory_bus_bits = 6016;
    std::strcpy(device.chip, "GH100");
    std::memcpy(device.name, name.data(), name.size());
    return record(wire::RecordKind::kDevice, text_of(device));
  }
  SectionSketch& launch(std::uint64_t index, std::string_view name,
                        const std::vector<double>& values) {
    wire::LaunchRecord launch = {};
    launch.index = index;
    launch.grid[0] = 512;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = 256;
    launch.block[1] = launch.block[2] = 1;
    launch.dynamic_shared_bytes = 64;
    launch.static_shared_bytes = launch.registers_per_thread = wire::kUnknown;
    launch.context = 1;
    launch.stream = 7;
    launch.name_bytes = static_cast<std::uint32_t>(name.size());
    launch.metrics = static_cast<std::uint32_t>(values.size());
    std::string payload = text_of(launch) + std::string(name);
    payload.resize((payload.size() + 7) / 8 * 8);
    payload.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    ++header.launches_seen;
    ++header.launches_chosen;
    ++header.launches_recorded;
    return record(wire::RecordKind::kLaunch, payload);
  }
  SectionSketch& obstacle(wire::Obstacle what, std::string_view text) {
    const wire::ObstacleRecord obstacle = {what, 0, 0, 0, static_cast<std::uint32_t>(text.size())};
    return record(wire::RecordKind::kObstacle, text_of(obstacle) + std::string(text));
  }
  SectionSketch& record(wire::RecordKind kind, const std::string& payload) {
    const wire::RecordHeader head = {kind, static_cast<std::uint32_t>(payload.size())};
    body_ += text_of(head) + payload;
    body_.resize((body_.size() + 7) / 8 * 8);
    return *this;
  }

  std::string bytes() const {
    wire::SectionHeader whole = header;
    whole.body_bytes = body_.size();
    return text_of(whole) + body_;
  }

  wire::SectionHeader header = {};

 private:
  template <class T>
  static std::string text_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  std::string body_;
};

}  // namespace strobe::test
