#include "strobe/record/obstacle_text.h"

#include <fmt/format.h>

namespace strobe::record {
namespace {

constexpr std::string_view kHowToBeAllowed =
    "as an administrator, load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
    "(`echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > "
    "/etc/modprobe.d/profiling.conf`, then reboot), or run as root, with CAP_SYS_ADMIN, or, since "
    "driver 565, with CAP_PERFMON; in a container the host must grant the capability "
    "(`--cap-add=SYS_ADMIN`)";

}  // namespace

Error explain(wire::Obstacle what, std::string_view text, std::string_view program) {
  const auto lacks = [](std::string sentence, std::string_view hint) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = std::move(sentence),
                 .where = "",
                 .hint = std::string(hint)};
  };
  switch (what) {
    case wire::Obstacle::kNoLibrary:
      return lacks(
          fmt::format("CUPTI, the library that reads the counters, is not found ({})", text),
          "install the CUDA toolkit's CUPTI (cuda-cupti-13-0, or `pip install "
          "nvidia-cuda-cupti`) or set STROBE_RECORD_CUPTI to its libcupti.so");
    case wire::Obstacle::kOldLibrary:
      return lacks(fmt::format("CUPTI is too old to count by kernel: {}", text),
                   "CUDA 12.6 or newer has what is needed; STROBE_RECORD_CUPTI may name another "
                   "libcupti.so");
    case wire::Obstacle::kOtherTool:
      return lacks(fmt::format("another profiler listens inside '{}' already ({})", program, text),
                   "run without Nsight, without the program's own profiler (torch.profiler, "
                   "jax.profiler) and without CUDA_INJECTION64_PATH of another tool");
    case wire::Obstacle::kNoPermission:
      return lacks(fmt::format("the GPU's counters are for administrators here ({})", text),
                   kHowToBeAllowed);
    case wire::Obstacle::kCountersBusy:
      return lacks(fmt::format("somebody else holds the GPU's counters ({})", text),
                   "one client at a time: end other runs of ncu or strobe, and pause DCGM's "
                   "profiling (`dcgmi profiling --pause`)");
    case wire::Obstacle::kUnsupportedDevice:
      return lacks(fmt::format("this GPU gives no counters ({})", text),
                   "virtual, partitioned and confidential GPUs hide them; the times alone are in a "
                   "trace: `strobe kernels show trace.json`");
    case wire::Obstacle::kUnknownMetric:
      return lacks(fmt::format("this GPU has no metric '{}'", text),
                   "`strobe kernels metrics` lists the sets; a name needs its ending, as in "
                   "gpu__time_duration.sum");
    case wire::Obstacle::kMismatch:
      return lacks(fmt::format("the counters could not be told apart by kernel ({})", text),
                   "a launch that strobe does not know of was measured too; please report it with "
                   "the program");
    case wire::Obstacle::kDropped:
      return lacks(fmt::format("the counters ran out of room ({})", text),
                   "record fewer launches at a time: --launches A:B, or a smaller --set");
    case wire::Obstacle::kSetup:
      return lacks(fmt::format("the GPU's counters cannot be set up ({})", text),
                   "sandboxes and some containers forbid it; `ncu` on the same machine tells "
                   "whether strobe is to blame");
    case wire::Obstacle::kMeasure:
      return lacks(fmt::format("the GPU's counters failed while the program ran ({})", text),
                   "`ncu` on the same program tells whether strobe is to blame");
    case wire::Obstacle::kNone:
    case wire::Obstacle::kBadSettings:
    case wire::Obstacle::kNote:
      break;
  }
  return {.code = ErrorCode::kInvalidArgument, .what = std::string(text), .where = "", .hint = ""};
}

}  // namespace strobe::record
