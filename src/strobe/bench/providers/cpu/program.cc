#include "strobe/bench/providers/cpu/program.h"

#include <numeric>

namespace strobe::bench {

double Program::resident_bytes() const {
  return static_cast<double>(
      std::accumulate(buffer_bytes.begin(), buffer_bytes.end(), std::int64_t{0}));
}

Program make_program(const ProgramRequest& request) {
  switch (request.info.kind) {
    case CaseKind::kRows:
      return make_row_program(request);
    case CaseKind::kMatmul:
      return make_matmul_program(request);
    case CaseKind::kConvolution:
      return make_convolution_program(request);
    case CaseKind::kAttention:
      return make_attention_program(request);
  }
  return {};
}

}  // namespace strobe::bench
