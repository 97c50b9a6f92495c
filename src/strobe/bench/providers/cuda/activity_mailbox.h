#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "strobe/bench/providers/cuda/cupti_api.h"
#include "strobe/bench/results/cell_record.h"

// Where CUPTI's two callbacks meet the rest: they carry no pointer of ours, and CUPTI itself is one
// to a process. Buffers may come back on a thread of its own, and after the recording is over.
namespace strobe::bench {

struct RecordedKernel {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  KernelLaunch launch;
};

struct ActivityPost {
  std::vector<RecordedKernel> kernels;
  std::vector<cupti::CallRecord> calls;
  std::size_t dropped = 0;
};

class ActivityMailbox {
 public:
  static ActivityMailbox& of_process();

  // Emptied, and open to what CUPTI brings.
  Result<void> open(const CuptiApi& api, const CuptiUse& use);
  // What came since the last time.
  ActivityPost take();

 private:
  static void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most);
  static void complete_buffer(CuContext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t bytes, std::size_t valid_bytes);
  void read(CuContext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid_bytes);

  std::mutex mutex_;
  CuptiApi api_;
  ActivityPost post_;
};

}  // namespace strobe::bench
