#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cuda/call_timer.h"
#include "strobe/bench/providers/cuda/cell_tensors.h"
#include "strobe/bench/providers/cuda/loaded_program.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/provider.h"

// A generated program with its buffers: filled, compiled, loaded, run once.
namespace strobe::bench {

struct ProgramOrigin {  // what happened before there was a cell
  double codegen_ms = 0;
  double find_ms = 0;              // in the cache
  std::optional<double> nvrtc_ms;  // of all that were tried; absent: its own compiling counts
  std::optional<double> autotune_ms;
  double peak_bytes = 0;                      // while it was tuned
  std::map<std::string, std::string> config;  // beside the program's label
  std::vector<std::string> notes;
};

class ProgramCell final : public PreparedCell, private TimedCall {
 public:
  static Result<std::unique_ptr<ProgramCell>> make(std::shared_ptr<CudaSession> session,
                                                   const CaseInfo& info,
                                                   const PrepareRequest& request,
                                                   const KernelProgram& program,
                                                   const CodeOf& code_of, ProgramOrigin origin);
  // In memory that cells of the same case, shape and type share: candidates of one tuning.
  static Result<std::unique_ptr<ProgramCell>> make_in(std::shared_ptr<PooledMemory> memory,
                                                      std::shared_ptr<CudaSession> session,
                                                      const CaseInfo& info,
                                                      const PrepareRequest& request,
                                                      const KernelProgram& program,
                                                      const CodeOf& code_of);
  static std::size_t bytes_for(const CaseInfo& info, const Cell& cell,
                               const KernelProgram& program);
  // A candidate becomes the cell that was asked for.
  Result<void> adopt(ProgramOrigin origin, std::string_view flush);

  Result<void> run() override;
  Result<SampleBlock> sample(const SampleRequest& request) override;
  Result<std::vector<ApiCall>> api_calls() override;
  Result<void> run_counted() override;
  std::size_t output_count() const override { return tensors_.output_count(); }
  Result<std::vector<float>> output_rows(std::size_t index,
                                         std::span<const std::int64_t> rows) override;
  std::vector<KernelLaunch> kernels() const override {
    return with_durations(program_.launches(), timer_->recorded_kernels());
  }
  const LoadedProgram& program() const { return program_; }
  CompileTimes compile_times() const override { return times_; }
  std::map<std::string, std::string> config() const override;
  double resident_bytes() const override { return static_cast<double>(tensors_.resident_bytes()); }
  double peak_bytes() const override;
  Clocks clocks() const override { return session_->device().clocks(); }
  std::vector<std::string> notes() const override;

 private:
  ProgramCell(std::shared_ptr<CudaSession> session, const CaseInfo& info,
              const PrepareRequest& request, const KernelProgram& program, ProgramOrigin origin);
  Result<void> set_up(const KernelProgram& program, const CodeOf& code_of);
  void take_times();
  void give_dropout_key();
  Result<void> add_sets(std::size_t count, const PooledMemory& memory);
  Result<void> poison(std::size_t set);
  Result<bool> is_written(std::size_t set);

  Result<void> enqueue(std::size_t set) override;
  double set_bytes() const override { return static_cast<double>(tensors_.resident_bytes()); }
  Result<void> make_sets(std::size_t count) override;
  Result<void> poison_sets(std::size_t count) override;
  Result<std::size_t> count_written_sets(std::size_t count) override;

  std::shared_ptr<CudaSession> session_;
  PrepareRequest request_;
  std::string label_;
  double moved_of_least_;  // 1: every byte once
  ProgramOrigin origin_;
  CellTensors tensors_;
  std::shared_ptr<PooledMemory> first_;
  std::vector<PooledMemory> more_;
  LoadedProgram program_;
  std::vector<CuPointer> sets_;  // where each begins
  std::vector<BoundProgram> bound_;
  CompileTimes times_;
  std::unique_ptr<CallTimer> timer_;
};

}  // namespace strobe::bench
