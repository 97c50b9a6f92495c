#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/call_timer.h"
#include "strobe/bench/providers/cuda/library_step.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/cuda/step_tuner.h"
#include "strobe/bench/providers/provider.h"

// A cell whose work a vendor's library does: buffers filled, every step's fastest way chosen, run
// once.
namespace strobe::bench {

class LibraryCell final : public PreparedCell, private TimedCall {
 public:
  static Result<std::unique_ptr<LibraryCell>> make(std::shared_ptr<CudaSession> session,
                                                   const PrepareRequest& request, LibraryCall call);

  Result<void> run() override;
  Result<SampleBlock> sample(const SampleRequest& request) override;
  Result<std::vector<ApiCall>> api_calls() override;
  Result<void> run_counted() override;
  std::size_t output_count() const override { return 1; }
  Result<std::vector<float>> output_rows(std::size_t index,
                                         std::span<const std::int64_t> rows) override;
  std::vector<KernelLaunch> kernels() const override {
    return with_durations(launches_, timer_->recorded_kernels());
  }
  CompileTimes compile_times() const override { return times_; }
  std::map<std::string, std::string> config() const override;
  double resident_bytes() const override;
  double peak_bytes() const override { return resident_bytes(); }
  Clocks clocks() const override { return session_->device().clocks(); }
  std::vector<std::string> notes() const override;

 private:
  LibraryCell(std::shared_ptr<CudaSession> session, const PrepareRequest& request,
              LibraryCall call);
  Result<void> set_up();
  Result<void> load_steps();
  Result<void> tune(DeviceClock& clock);
  Result<void> add_sets(std::size_t count, const PooledMemory& memory);
  Result<void> add_set(CuPointer base);
  Result<void> poison(std::size_t set);
  CuPointer address(std::size_t set, std::size_t buffer) const;
  std::size_t bytes_of_buffer(const CallBuffer& buffer) const;

  Result<void> enqueue(std::size_t set) override;
  double set_bytes() const override { return call_.buffer_bytes(request_.cell.dtype); }
  Result<void> make_sets(std::size_t count) override;
  Result<void> poison_sets(std::size_t count) override;
  Result<std::size_t> count_written_sets(std::size_t count) override;

  std::shared_ptr<CudaSession> session_;
  PrepareRequest request_;
  LibraryCall call_;
  std::vector<std::size_t> offsets_;  // of every buffer in a set
  std::size_t stride_bytes_ = 0;      // from set to set
  std::size_t out_ = 0;               // which buffer is the output
  DeviceMemory workspace_;
  PooledMemory first_;
  std::vector<PooledMemory> more_;
  std::vector<CuPointer> sets_;  // where each begins
  std::vector<TunedStep> tuned_;
  std::vector<KernelLaunch> launches_;
  CompileTimes times_;
  std::unique_ptr<CallTimer> timer_;
};

}  // namespace strobe::bench
