#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/record/inject/cuda_api.h"

namespace strobe::record {

// A failed call.
struct CallFailure {
  const char* call = nullptr;  // nullptr: success
  CUptiResult result = CUPTI_SUCCESS;

  bool has_failed() const noexcept { return call != nullptr; }
};

// The part of the counter handling that needs no device: which metrics a chip has, how many passes
// they need, the image that configures the hardware, and values from the raw counts.
class HostMetrics {
 public:
  explicit HostMetrics(const CuptiApi& api) noexcept : api_(&api) {}
  HostMetrics(const HostMetrics&) = delete;
  HostMetrics& operator=(const HostMetrics&) = delete;
  ~HostMetrics();

  // Metrics that the chip does not have are left out, see unknown(). `availability` is the device's
  // own list of its counters; empty if there is none.
  CallFailure open(const std::string& chip, std::span<const std::uint8_t> availability,
                   const std::vector<std::string>& metrics) noexcept;

  const std::vector<std::string>& unknown() const noexcept { return unknown_; }
  std::size_t passes() const noexcept { return passes_; }
  std::span<const std::uint8_t> config() const noexcept { return config_; }
  std::span<const char*> names() noexcept { return names_; }  // of the known ones

  // One value per metric of open(), in its order; NaN for the unknown.
  CallFailure evaluate(std::span<const std::uint8_t> counters, std::size_t range,
                       std::vector<double>& values) noexcept;

 private:
  CallFailure make_host() noexcept;
  void drop_host() noexcept;
  CallFailure add(std::span<const char*> names) noexcept;
  CallFailure keep_known() noexcept;
  CallFailure schedule() noexcept;

  const CuptiApi* api_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<std::string> unknown_;
  std::vector<const char*> names_;
  std::vector<std::size_t> columns_;  // of names_, among metrics_
  std::vector<double> known_values_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
};

}  // namespace strobe::record
