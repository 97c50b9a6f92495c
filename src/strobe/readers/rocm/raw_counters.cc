#include "strobe/readers/rocm/raw_counters.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace strobe::readers {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kKib = 1024;

struct RawName {
  std::string_view name;
  RawCounter counter;
};
constexpr RawName kRawNames[] = {
    {"FETCH_SIZE", RawCounter::kFetchKib},
    {"FetchSize", RawCounter::kFetchKib},
    {"WRITE_SIZE", RawCounter::kWriteKib},
    {"WriteSize", RawCounter::kWriteKib},
    {"L2CacheHit", RawCounter::kL2HitPercent},
    {"TCC_HIT_sum", RawCounter::kL2Hits},
    {"TCC_MISS_sum", RawCounter::kL2Misses},
    {"TCC_REQ_sum", RawCounter::kL2Requests},
    {"TCC_EA_RDREQ_sum", RawCounter::kReads},
    {"TCC_EA0_RDREQ_sum", RawCounter::kReads},
    {"TCC_EA_RDREQ_32B_sum", RawCounter::kReads32},
    {"TCC_EA0_RDREQ_32B_sum", RawCounter::kReads32},
    {"TCC_BUBBLE_sum", RawCounter::kReads128},
    {"TCC_EA_WRREQ_sum", RawCounter::kWrites},
    {"TCC_EA0_WRREQ_sum", RawCounter::kWrites},
    {"TCC_EA_WRREQ_64B_sum", RawCounter::kWrites64},
    {"TCC_EA0_WRREQ_64B_sum", RawCounter::kWrites64},
    {"MfmaUtil", RawCounter::kMatrixPercent},
    {"SQ_VALU_MFMA_BUSY_CYCLES", RawCounter::kMatrixCycles},
    {"OccupancyPercent", RawCounter::kOccupancyPercent},
    {"SQ_INSTS", RawCounter::kInstructions},
    {"SQ_INSTS_VALU_ADD_F32", RawCounter::kAdds},
    {"SQ_INSTS_VALU_MUL_F32", RawCounter::kMultiplies},
    {"SQ_INSTS_VALU_FMA_F32", RawCounter::kFusedMultiplyAdds},
};

}  // namespace

RawCounter raw_counter_of(std::string_view name) {
  const auto* const found = std::ranges::find(kRawNames, name, &RawName::name);
  return found == std::end(kRawNames) ? RawCounter::kCount_ : found->counter;
}

RawCounters::RawCounters() { values_.fill(kUnknown); }

double RawCounters::read_bytes() const {
  if (!std::isnan(at(RawCounter::kFetchKib))) return at(RawCounter::kFetchKib) * kKib;
  const double wide = std::isnan(at(RawCounter::kReads128)) ? 0 : at(RawCounter::kReads128);
  const double narrow = at(RawCounter::kReads32);
  return 32 * narrow + 64 * (at(RawCounter::kReads) - narrow - wide) + 128 * wide;
}

double RawCounters::written_bytes() const {
  if (!std::isnan(at(RawCounter::kWriteKib))) return at(RawCounter::kWriteKib) * kKib;
  return 32 * (at(RawCounter::kWrites) - at(RawCounter::kWrites64)) +
         64 * at(RawCounter::kWrites64);
}

double RawCounters::l2_hit_percent() const {
  if (!std::isnan(at(RawCounter::kL2HitPercent))) return at(RawCounter::kL2HitPercent);
  const double all = at(RawCounter::kL2Hits) + at(RawCounter::kL2Misses);
  return all > 0 ? 100 * at(RawCounter::kL2Hits) / all : kUnknown;
}

double RawCounters::l2_bytes() const {
  constexpr double kLine = 128;
  return kLine * at(RawCounter::kL2Requests);
}

// The share of busy cycles needs the number of the chip's units, but none is none.
double RawCounters::matrix_percent() const {
  return at(RawCounter::kMatrixCycles) == 0 ? 0 : at(RawCounter::kMatrixPercent);
}

// Instructions of a wave, each for all of its threads.
double RawCounters::flops(double wave_threads) const {
  constexpr double kUsualWave = 64;
  const double threads = wave_threads > 0 ? wave_threads : kUsualWave;
  return threads * (at(RawCounter::kAdds) + at(RawCounter::kMultiplies) +
                    2 * at(RawCounter::kFusedMultiplyAdds));
}

std::vector<RawCounters::Known> RawCounters::metrics(double wave_threads) const {
  std::vector<Known> known = {
      {KernelMetric::kDramReadBytes, read_bytes()},
      {KernelMetric::kDramWriteBytes, written_bytes()},
      {KernelMetric::kL2HitPercent, l2_hit_percent()},
      {KernelMetric::kL2Bytes, l2_bytes()},
      {KernelMetric::kTensorPercent, matrix_percent()},
      {KernelMetric::kOccupancyPercent, at(RawCounter::kOccupancyPercent)},
      {KernelMetric::kInstructions, at(RawCounter::kInstructions)},
      {KernelMetric::kFlops, flops(wave_threads)},
  };
  // What is unknown stays NaN; a difference below 0 cannot be.
  std::erase_if(known, [](const Known& one) { return !(one.value >= 0); });
  return known;
}

}  // namespace strobe::readers
