#pragma once

#include <map>
#include <memory>
#include <string>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/program_timer.h"
#include "strobe/bench/providers/cuda/program_cell.h"
#include "strobe/bench/providers/cuda/session.h"

// Times programs of one cell on the GPU, all in the same memory. A program that was timed stays
// loaded: a second look at it costs only its calls.
namespace strobe::bench {

class DeviceProgramTimer final : public ProgramTimer {
 public:
  // `request` is the cell to be tuned; its cache is cold here, unless it must be hot.
  DeviceProgramTimer(std::shared_ptr<CudaSession> session, const CaseInfo& info,
                     PrepareRequest request, CodeOf code_of);

  Result<std::vector<double>> time(const KernelProgram& program, int samples) override;
  bool is_lost() const override { return session_->device().is_lost(); }

  // Of one place, as a program would have it.
  double peak_bytes() const { return peak_bytes_; }
  // The cell of a program, made if it never was timed; the timer forgets it.
  Result<std::unique_ptr<ProgramCell>> take(const KernelProgram& program);

 private:
  Result<ProgramCell*> cell_of(const KernelProgram& program);

  std::shared_ptr<CudaSession> session_;
  const CaseInfo& info_;
  PrepareRequest request_;
  CodeOf code_of_;
  std::shared_ptr<PooledMemory> memory_;
  double peak_bytes_ = 0;
  std::map<std::string, std::unique_ptr<ProgramCell>> cells_;
};

}  // namespace strobe::bench
