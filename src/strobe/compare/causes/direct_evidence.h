#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"

namespace strobe::compare {

// What a recorder sees by itself: who else used the device and the cores, why the device limited
// its clock, a quota that stopped the process. Symptoms only let one guess these.

// A process that does not belong to the program.
struct Outsider {
  std::string name;  // "python3 (4711)"
  double use = 0;    // percent of the device, or of one core
};

// All such processes of a device or of the cores.
struct Outsiders {
  bool is_known = false;  // they were looked for in both runs
  std::string place;      // "GPU 0"; "" for the cores
  std::string metric;     // that counts them
  double normal = 0;      // percent, all of them together
  double abnormal = 0;
  bool is_real = false;             // the change
  std::vector<Outsider> in_normal;  // the largest first
  std::vector<Outsider> in_abnormal;

  double rise() const { return abnormal - normal; }
  // By enough to matter, and beyond chance.
  bool came() const;
  bool left() const;
};

// The list of a device's processes is not believed if it does not even see the program itself: then
// it cannot tell who is foreign.
Outsiders outsiders_on(const Symptoms& symptoms, const DeviceSymptoms& device);
Outsiders outsiders_on_cores(const Symptoms& symptoms);

// Those that made the difference, the largest first: of the run with more, those that have a tenth
// of it or more.
std::vector<Outsider> newcomers(const Outsiders& outsiders);
// "python3 (4711)", "python3 (4711) and ffmpeg (88)", "python3 (4711) and 3 more"; "" for none.
std::string names_of(const std::vector<Outsider>& named);
// "python3 (4711) used 48 % of GPU 0 in the abnormal run, none in the normal run": the run with
// more comes first.
Evidence use_by_outsiders(const Outsiders& outsiders);

// Why a device held its clock down, by its own account.
struct ClockLimit {
  std::uint64_t bit = 0;  // see device::kPowerReasons and the others
  double normal = 0;      // share of the cycles in most of whose busy time it was limited so
  double abnormal = 0;
};
struct ClockLimits {
  bool is_known = false;           // from at least four samples of each run
  std::vector<ClockLimit> limits;  // without that of an idle device

  // The reasons that came in the abnormal run, as bits.
  std::uint64_t came() const;
  // "power cap: in 0 -> 100 % of the cycles" of each of them.
  std::string came_text() const;
};
ClockLimits clock_limits(const Symptoms& symptoms, std::string_view device);

// A metric of the host that counts lost time, as shares of the time; threads and cores add up.
struct LostTime {
  bool is_known = false;  // in both runs
  double normal = 0;
  double abnormal = 0;
  bool grew = false;
  bool shrank = false;
};
LostTime lost_time(const Symptoms& symptoms, device::MetricRole role);

}  // namespace strobe::compare
