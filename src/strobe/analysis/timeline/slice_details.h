#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/timeline/slice_links.h"
#include "strobe/analysis/timeline/timeline.h"

namespace strobe::analysis {

inline constexpr std::size_t kMostLinks = 200;

// Facts about one slice beyond its own columns.
struct SliceDetails {
  std::uint32_t row = 0;
  std::int64_t self_ns = 0;
  const Step* step = nullptr;  // the step in which it, or its launch, started; null if none
  struct DeviceWork {
    std::int64_t device_ns = 0;
    std::uint64_t kernels = 0;
  };
  std::optional<DeviceWork> started;            // host slices: the device work started inside
  std::optional<std::int64_t> launch_delay_ns;  // device work: since the end of its call
  std::vector<SliceId> ancestors;               // the slices around it, outermost first
  std::vector<SliceLink> links;                 // at most kMostLinks
  std::uint64_t links_left_out = 0;
};

SliceDetails describe_slice(const Timeline& timeline, const SliceLinks& links,
                            const StepFinder& steps, SliceId slice);

}  // namespace strobe::analysis
