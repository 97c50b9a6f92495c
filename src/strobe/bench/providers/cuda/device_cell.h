#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/bench/providers/cuda/call_timer.h"
#include "strobe/bench/providers/cuda/cell_tensors.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/provider.h"

// A cell on a GPU: its tensors in sets of buffers, which are filled, poisoned, timed and read back
// in the same way for generated programs and for libraries.
namespace strobe::bench {

class DeviceCell : public PreparedCell, private TimedCall {
 public:
  Result<void> run() override;
  Result<SampleBlock> sample(const SampleRequest& request) override;
  Result<std::vector<ApiCall>> api_calls() override;
  Result<void> run_counted() override;
  std::size_t output_count() const override { return tensors_.output_count(); }
  Result<std::vector<float>> output_rows(std::size_t index,
                                         std::span<const std::int64_t> rows) override;
  std::vector<KernelLaunch> kernels() const override {
    return with_durations(launches(), timer_->recorded_kernels());
  }
  CompileTimes compile_times() const override { return times_; }
  Clocks clocks() const override { return session_->device().clocks(); }
  std::vector<std::string> notes() const override;

 protected:
  using AddressOf = std::function<CuPointer(std::string_view tensor)>;  // 0: unknown tensor

  DeviceCell(std::shared_ptr<CudaSession> session, const PrepareRequest& request,
             CellTensors tensors)
      : session_(std::move(session)), request_(request), tensors_(std::move(tensors)) {}

  // bind() adds a set of buffers; prepare_set() runs once per set, after its inputs are filled.
  virtual Result<void> bind(const AddressOf& address_of) = 0;
  virtual Result<void> prepare_set(std::size_t /*set*/) { return {}; }
  virtual std::vector<KernelLaunch> launches() const = 0;
  Result<void> enqueue(std::size_t set) override = 0;
  double set_bytes() const override { return static_cast<double>(tensors_.resident_bytes()); }

  Result<DeviceClock*> make_timer(FlushKind flush);
  Result<void> take_memory();  // for one set, unless it already has some
  // The next sets, contiguous in that memory, with the same inputs in each.
  Result<void> add_sets(std::size_t count, const PooledMemory& memory);

  std::shared_ptr<CudaSession> session_;
  PrepareRequest request_;
  CellTensors tensors_;
  std::shared_ptr<PooledMemory> memory_;  // of the first sets
  CompileTimes times_;
  std::unique_ptr<CallTimer> timer_;

 private:
  Result<void> make_sets(std::size_t count) override;
  Result<void> poison(std::size_t set);
  Result<void> poison_sets(std::size_t count) override;
  Result<bool> is_written(std::size_t set);
  Result<std::size_t> count_written_sets(std::size_t count) override;

  std::vector<PooledMemory> more_;
  std::vector<CuPointer> sets_;  // where each begins
};

}  // namespace strobe::bench
