#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/cuda/device_cell.h"
#include "strobe/bench/providers/cuda/loaded_program.h"

// A generated program with its buffers: filled, compiled, loaded, run once.
namespace strobe::bench {

struct ProgramOrigin {  // what happened before the cell existed
  double codegen_ms = 0;
  double find_ms = 0;              // in the cache
  std::optional<double> nvrtc_ms;  // of all candidates; absent: only its own compilation counts
  std::optional<double> autotune_ms;
  double peak_bytes = 0;                      // while it was tuned
  std::map<std::string, std::string> config;  // in addition to the program's label
  std::vector<std::string> notes;
};

class ProgramCell final : public DeviceCell {
 public:
  ~ProgramCell() override { timer_.reset(); }  // its graph before the code that it runs

  static Result<std::unique_ptr<ProgramCell>> make(std::shared_ptr<CudaSession> session,
                                                   const CaseInfo& info,
                                                   const PrepareRequest& request,
                                                   const KernelProgram& program,
                                                   const CodeOf& code_of, ProgramOrigin origin);
  // In memory that is shared by cells of the same case, shape and type: candidates of one tuning.
  static Result<std::unique_ptr<ProgramCell>> make_in(std::shared_ptr<PooledMemory> memory,
                                                      std::shared_ptr<CudaSession> session,
                                                      const CaseInfo& info,
                                                      const PrepareRequest& request,
                                                      const KernelProgram& program,
                                                      const CodeOf& code_of);
  static std::size_t bytes_for(const CaseInfo& info, const Cell& cell,
                               const KernelProgram& program);
  // Turns a candidate into the requested cell.
  Result<void> adopt(ProgramOrigin origin, FlushKind flush);

  const LoadedProgram& program() const { return program_; }
  std::map<std::string, std::string> config() const override;
  double resident_bytes() const override { return static_cast<double>(tensors_.resident_bytes()); }
  double peak_bytes() const override;
  std::vector<std::string> notes() const override;

 private:
  ProgramCell(std::shared_ptr<CudaSession> session, const CaseInfo& info,
              const PrepareRequest& request, const KernelProgram& program, ProgramOrigin origin);

  Result<void> set_up(const KernelProgram& program, const CodeOf& code_of);
  void take_times();
  void give_dropout_key();
  Result<void> bind(const AddressOf& address_of) override;
  Result<void> enqueue(std::size_t set) override;
  std::vector<KernelLaunch> launches() const override { return program_.launches(); }

  std::string label_;
  double moved_of_least_;  // 1: every byte once
  ProgramOrigin origin_;
  LoadedProgram program_;
  std::vector<BoundProgram> bound_;
};

}  // namespace strobe::bench
