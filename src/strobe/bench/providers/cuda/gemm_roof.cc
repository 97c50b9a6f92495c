#include "strobe/bench/providers/cuda/gemm_roof.h"

#include <utility>

#include "strobe/bench/providers/cuda/library_steps.h"
#include "strobe/bench/providers/cuda/step_tuner.h"

namespace strobe::bench {

Result<double> measure_gemm_tflops(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries) {
  constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;
  constexpr double kMuchRoom = 2e9;
  CudaDevice& device = session->device();
  STROBE_TRY(const std::shared_ptr<CublasLtLibrary> library, libraries.cublaslt(session));
  STROBE_TRY(DeviceClock* const clock, session->clock());
  STROBE_TRY(InputFill* const fill, session->input_fill());
  const std::int64_t side = session->free_bytes().value_or(0) > kMuchRoom ? 8192 : 2048;
  const std::int64_t elements = side * side;
  const auto bytes = static_cast<std::size_t>(elements * bytes_of(DType::kBf16));

  STROBE_TRY(Gemm gemm,
             Gemm::make(library->api(), library->handle(),
                        {.m = side, .n = side, .k = side, .dtype = DType::kBf16}, kMostWorkspace));
  GemmStep step(library, std::move(gemm), {"left", "right", "", "out"});
  STROBE_TRY(const DeviceMemory workspace, device.allocate(step.workspace_bytes(), "a workspace"));
  STROBE_TRY(const PooledMemory memory, session->memory().take(3 * bytes, "three matrices"));
  const CuPointer left = memory.address();
  for (std::uint32_t i = 0; i < 2; ++i) {  // zeros would be too fast
    STROBE_TRY_VOID(fill->enqueue({.address = left + i * bytes, .elements = elements, .number = i},
                                  DType::kBf16, InputLaw::kNormal, 1, side));
  }
  STROBE_TRY_VOID(step.bind(
      [&](std::string_view name) {
        return name == "left" ? left : name == "right" ? left + bytes : left + 2 * bytes;
      },
      workspace.address()));
  constexpr bool kMayTune = true;
  STROBE_TRY(TunedStep tuned, tune_step(*clock, step, kMayTune));
  if (tuned.us <= 0) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "one algorithm alone is not timed",
                 .where = library->api().version_text(),
                 .hint = ""};
  }
  const auto length = static_cast<double>(side);
  return 2 * length * length * length / tuned.us / 1e6;
}

}  // namespace strobe::bench
