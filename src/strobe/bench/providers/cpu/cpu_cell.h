#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strobe/bench/providers/cpu/program.h"
#include "strobe/bench/providers/provider.h"

namespace strobe::bench {

// What is read or written between two samples, so that the next one finds nothing in the caches.
class CacheFlush {
 public:
  enum class Kind : std::uint8_t { kNone, kRead, kWrite };
  static Result<CacheFlush> make(std::string_view flush, std::int64_t cache_bytes);

  void run(ThreadTeam& team, const KernelSet& kernels) const;
  double bytes() const { return static_cast<double>(buffer_.bytes()); }

 private:
  Kind kind_ = Kind::kNone;
  HostBuffer buffer_;
};

class CpuCell final : public PreparedCell {
 public:
  // Allocates and fills; the first call is made and timed here.
  static Result<std::unique_ptr<PreparedCell>> make(const CaseInfo& info,
                                                    const PrepareRequest& request, Program program,
                                                    const KernelSet& kernels, ThreadTeam& team,
                                                    std::int64_t cache_bytes);

  Result<void> run() override;
  Result<SampleBlock> sample(const SampleRequest& request) override;
  std::size_t output_count() const override { return program_.outputs.size(); }
  Result<std::vector<float>> output_rows(std::size_t index,
                                         std::span<const std::int64_t> rows) override;
  std::vector<KernelLaunch> kernels() const override;
  CompileTimes compile_times() const override;
  std::map<std::string, std::string> config() const override;
  double resident_bytes() const override { return program_.resident_bytes(); }
  double peak_bytes() const override { return program_.resident_bytes() + flush_.bytes(); }

 private:
  CpuCell(const CaseInfo& info, const PrepareRequest& request, Program program,
          const KernelSet& kernels, ThreadTeam& team)
      : info_(info),
        request_(request),
        program_(std::move(program)),
        kernels_(kernels),
        team_(team) {}

  Result<void> allocate();
  void fill_inputs();
  void poison_outputs();
  void call();

  const CaseInfo& info_;
  PrepareRequest request_;
  Program program_;
  const KernelSet& kernels_;
  ThreadTeam& team_;
  std::vector<HostBuffer> buffers_;
  CacheFlush flush_;
  double first_call_ms_ = 0;
};

}  // namespace strobe::bench
