#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/bench/workers/call_counter.h"
#include "strobe/record/launcher.h"

namespace strobe::cli {

// Counts calls of benchmark workers with the recorder of `strobe kernels record`: its library is
// loaded into the worker and stays inactive until the worker opens a window around a call.
class RecordedCalls final : public bench::CallCounter {
 public:
  explicit RecordedCalls(std::vector<std::vector<std::string>> passes)
      : passes_(std::move(passes)) {}

  Result<Variables> environment(const std::vector<std::string>& command) override;
  std::size_t calls() const override { return passes_.size(); }
  Result<std::vector<std::vector<bench::CountedLaunch>>> take() override;

 private:
  std::vector<std::vector<std::string>> passes_;  // metrics that are counted together
  std::optional<record::SectionFolder> folder_;
  std::map<std::int64_t, std::uint32_t> taken_;  // process to its last window that was read
};

}  // namespace strobe::cli
