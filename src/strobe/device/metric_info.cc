#include "strobe/device/metric_info.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"

namespace strobe::device {
namespace {

using Kind = MetricKind;
using Role = MetricRole;
using Scope = MetricScope;

// Samplers spell the same thing in many ways. Names are split into words, words are replaced by
// these, and words without information (an empty meaning) are left out.
struct Alias {
  std::string_view word;
  std::string_view meaning;
};
constexpr Alias kAliases[] = {
    {"frequency", "clock"},
    {"freq", "clock"},
    {"clk", "clock"},
    {"clocks", "clock"},
    {"usage", "use"},
    {"util", "use"},
    {"utilization", "use"},
    {"utilisation", "use"},
    {"busy", "use"},
    {"memory", "mem"},
    {"dram", "mem"},
    {"temperature", "temp"},
    {"transmit", "tx"},
    {"sent", "tx"},
    {"send", "tx"},
    {"receive", "rx"},
    {"received", "rx"},
    {"recv", "rx"},
    {"nvlink", "link"},
    {"xgmi", "link"},
    {"graphics", "core"},
    {"gr", "core"},
    {"gfx", "core"},
    {"reason", "reasons"},
    {"throttling", "throttle"},
    {"event", "throttle"},
    {"faults", "fault"},
    {"switches", "switch"},
    {"ctx", "context"},
    {"ctxt", "context"},
    {"involuntary", "forced"},
    {"nonvoluntary", "forced"},
    {"replay", "replays"},
    {"reads", "read"},
    {"writes", "write"},
    {"written", "write"},
    {"proc", "process"},
    {"runqueue", "runq"},
    {"system", "host"},
    {"gpu", ""},
    {"device", ""},
    {"dev", ""},
    {"dcgm", ""},
    {"fi", ""},
    {"nvml", ""},
    {"current", ""},
    {"avg", ""},
    {"average", ""},
    {"mean", ""},
    {"value", ""},
    {"draw", ""},
    {"schedstat", ""},
};

// A word that gives the unit of the samples, and the factor to the unit we show.
struct UnitWord {
  std::string_view word;
  std::string_view unit;
  double scale;
};
constexpr UnitWord kUnitWords[] = {
    {"mhz", "MHz", 1},
    {"ghz", "MHz", 1e3},
    {"khz", "MHz", 1e-3},
    {"hz", "MHz", 1e-6},
    {"mw", "W", 1e-3},
    {"w", "W", 1},
    {"watt", "W", 1},
    {"watts", "W", 1},
    {"c", "°C", 1},
    {"celsius", "°C", 1},
    {"pct", "%", 1},
    {"percent", "%", 1},
    {"ratio", "%", 100},
    {"fraction", "%", 100},
    {"prof", "%", 100},  // the profiling counters of
                         // DCGM are shares of one
    {"bytes", "B", 1},
    {"kb", "B", 1e3},
    {"kib", "B", 1024},
    {"mb", "B", 1e6},
    {"mib", "B", 1048576},
    {"gb", "B", 1e9},
    {"gib", "B", 1073741824},
    {"ns", "ms", 1e-6},
    {"us", "ms", 1e-3},
    {"ms", "ms", 1},
};

// A word that says how the samples were taken.
struct KindWord {
  std::string_view word;
  MetricKind kind;
};
constexpr KindWord kKindWords[] = {
    {"rate", Kind::kWindow},      {"per", Kind::kWindow},         {"throughput", Kind::kWindow},
    {"bandwidth", Kind::kWindow}, {"bps", Kind::kWindow},         {"total", Kind::kCounter},
    {"counter", Kind::kCounter},  {"cumulative", Kind::kCounter},
};

enum class Side : std::uint8_t { kDevice, kHost };

struct Row {
  Side side;
  std::string_view words;  // all of the name's, in any order
  MetricInfo info;
  bool has_key = false;  // MetricInfo::has_key
};
constexpr Row kRows[] = {
    {Side::kDevice, "clock", {Kind::kGauge, Role::kCoreClock, Scope::kKernels, "MHz"}},
    {Side::kDevice, "sm clock", {Kind::kGauge, Role::kCoreClock, Scope::kKernels, "MHz"}},
    {Side::kDevice, "core clock", {Kind::kGauge, Role::kCoreClock, Scope::kKernels, "MHz"}},
    {Side::kDevice, "mem clock", {Kind::kGauge, Role::kMemoryClock, Scope::kKernels, "MHz"}},
    {Side::kDevice, "use", {Kind::kWindow, Role::kDeviceUse, Scope::kKernels, "%"}},
    {Side::kDevice, "core use", {Kind::kWindow, Role::kDeviceUse, Scope::kKernels, "%"}},
    {Side::kDevice, "core engine active", {Kind::kWindow, Role::kDeviceUse, Scope::kKernels, "%"}},
    {Side::kDevice, "process use", {Kind::kWindow, Role::kProcessDeviceUse, Scope::kKernels, "%"}},
    {Side::kDevice, "mem use", {Kind::kWindow, Role::kMemoryUse, Scope::kKernels, "%"}},
    {Side::kDevice, "mem copy use", {Kind::kWindow, Role::kMemoryUse, Scope::kKernels, "%"}},
    {Side::kDevice, "mem active", {Kind::kWindow, Role::kMemoryUse, Scope::kKernels, "%"}},
    {Side::kDevice, "mem used", {Kind::kGauge, Role::kMemoryUsed, Scope::kKernels, "%"}},
    {Side::kDevice, "sm use", {Kind::kWindow, Role::kSmActivity, Scope::kKernels, "%"}},
    {Side::kDevice, "sm active", {Kind::kWindow, Role::kSmActivity, Scope::kKernels, "%"}},
    {Side::kDevice, "sm occupancy", {Kind::kWindow, Role::kSmActivity, Scope::kKernels, "%"}},
    {Side::kDevice, "occupancy", {Kind::kWindow, Role::kSmActivity, Scope::kKernels, "%"}},
    {Side::kDevice, "pipe tensor active", {Kind::kWindow, Role::kUnknown, Scope::kKernels, "%"}},
    {Side::kDevice, "power", {Kind::kGauge, Role::kPower, Scope::kKernels, "W"}},
    {Side::kDevice, "power use", {Kind::kGauge, Role::kPower, Scope::kKernels, "W"}},
    {Side::kDevice, "power limit", {Kind::kGauge, Role::kPowerLimit, Scope::kNone, "W"}},
    {Side::kDevice, "temp", {Kind::kGauge, Role::kTemperature, Scope::kKernels, "°C"}},
    {Side::kDevice,
     "throttle reasons",
     {Kind::kGauge, Role::kThrottleReasons, Scope::kKernels, ""}},
    {Side::kDevice,
     "clock throttle reasons",
     {Kind::kGauge, Role::kThrottleReasons, Scope::kKernels, ""}},
    {Side::kDevice,
     "clock throttle reasons active",
     {Kind::kGauge, Role::kThrottleReasons, Scope::kKernels, ""}},
    {Side::kDevice, "pcie", {Kind::kWindow, Role::kPcieTraffic, Scope::kHostCopies, "B/s"}},
    {Side::kDevice, "pcie tx", {Kind::kWindow, Role::kPcieTraffic, Scope::kHostCopies, "B/s"}},
    {Side::kDevice, "pcie rx", {Kind::kWindow, Role::kPcieTraffic, Scope::kHostCopies, "B/s"}},
    {Side::kDevice, "pcie replays", {Kind::kCounter, Role::kPcieReplays, Scope::kNone, "1/s"}},
    {Side::kDevice, "link", {Kind::kWindow, Role::kLinkTraffic, Scope::kDeviceCopies, "B/s"}},
    {Side::kDevice, "link tx", {Kind::kWindow, Role::kLinkTraffic, Scope::kDeviceCopies, "B/s"}},
    {Side::kDevice, "link rx", {Kind::kWindow, Role::kLinkTraffic, Scope::kDeviceCopies, "B/s"}},
    {Side::kDevice, "ecc corrected", {Kind::kCounter, Role::kMemoryErrors, Scope::kNone, "1/s"}},
    {Side::kDevice, "ecc uncorrected", {Kind::kCounter, Role::kMemoryErrors, Scope::kNone, "1/s"}},
    {Side::kDevice, "xid", {Kind::kEvent, Role::kDeviceErrors, Scope::kNone, ""}},
    {Side::kDevice, "foreign use", {Kind::kWindow, Role::kForeignDeviceUse, Scope::kKernels, "%"}},
    {Side::kDevice,
     "foreign process use",
     {Kind::kWindow, Role::kOneForeignDeviceUse, Scope::kNone, "%"},
     true},
    {Side::kDevice, "foreign processes", {Kind::kGauge, Role::kForeignProcesses, Scope::kNone, ""}},
    {Side::kDevice, "foreign mem used", {Kind::kGauge, Role::kForeignMemory, Scope::kNone, "%"}},

    {Side::kHost, "cpu use", {Kind::kWindow, Role::kHostCpuUse, Scope::kHost, "%"}},
    {Side::kHost, "host cpu use", {Kind::kWindow, Role::kHostCpuUse, Scope::kHost, "%"}},
    {Side::kHost, "cpu", {Kind::kWindow, Role::kHostCpuUse, Scope::kHost, "%"}},
    {Side::kHost, "process cpu use", {Kind::kWindow, Role::kProcessCpuUse, Scope::kHost, "%"}},
    {Side::kHost, "process cpu", {Kind::kWindow, Role::kProcessCpuUse, Scope::kHost, "%"}},
    {Side::kHost, "host load", {Kind::kGauge, Role::kHostLoad, Scope::kNone, ""}},
    {Side::kHost, "foreign cpu use", {Kind::kWindow, Role::kForeignCpuUse, Scope::kHost, "%"}},
    {Side::kHost,
     "foreign process cpu use",
     {Kind::kWindow, Role::kOneForeignCpuUse, Scope::kNone, "%"},
     true},
    {Side::kHost, "pressure cpu some", {Kind::kCounter, Role::kCpuPressure, Scope::kNone, "ms/s"}},
    {Side::kHost,
     "pressure mem some",
     {Kind::kCounter, Role::kMemoryPressure, Scope::kNone, "ms/s"}},
    {Side::kHost, "pressure io some", {Kind::kCounter, Role::kIoPressure, Scope::kNone, "ms/s"}},
    {Side::kHost, "cpu quota cores", {Kind::kGauge, Role::kCpuQuota, Scope::kNone, "cores"}},
    {Side::kHost,
     "cpu quota throttled",
     {Kind::kCounter, Role::kQuotaThrottled, Scope::kNone, "ms/s"}},
    {Side::kHost, "on cpu", {Kind::kWindow, Role::kThreadOnCpu, Scope::kNone, "%"}},
    {Side::kHost, "waiting for core", {Kind::kWindow, Role::kThreadRunQueue, Scope::kNone, "%"}},
    {Side::kHost, "core", {Kind::kGauge, Role::kUnknown, Scope::kNone, ""}},
    {Side::kHost, "cpu clock", {Kind::kGauge, Role::kCpuClock, Scope::kHost, "%"}},
    {Side::kHost, "oncpu", {Kind::kCounter, Role::kOnCpu, Scope::kHost, "ms/s", 1e-6}},
    {Side::kHost, "runq", {Kind::kCounter, Role::kRunQueue, Scope::kHost, "ms/s", 1e-6}},
    {Side::kHost, "disk use", {Kind::kWindow, Role::kDisk, Scope::kHostIo, "%"}},
    {Side::kHost, "disk read", {Kind::kCounter, Role::kDisk, Scope::kHostIo, "B/s"}},
    {Side::kHost, "disk write", {Kind::kCounter, Role::kDisk, Scope::kHostIo, "B/s"}},
    {Side::kHost, "process read", {Kind::kCounter, Role::kDisk, Scope::kHostIo, "B/s"}},
    {Side::kHost, "process write", {Kind::kCounter, Role::kDisk, Scope::kHostIo, "B/s"}},
    {Side::kHost, "mem used", {Kind::kGauge, Role::kHostMemory, Scope::kHost, "%"}},
    {Side::kHost, "host mem used", {Kind::kGauge, Role::kHostMemory, Scope::kHost, "%"}},
    {Side::kHost, "mem use", {Kind::kGauge, Role::kHostMemory, Scope::kHost, "%"}},
    {Side::kHost, "host mem use", {Kind::kGauge, Role::kHostMemory, Scope::kHost, "%"}},
    {Side::kHost, "rss", {Kind::kGauge, Role::kHostMemory, Scope::kHost, "B"}},
    {Side::kHost, "process rss", {Kind::kGauge, Role::kHostMemory, Scope::kHost, "B"}},
    {Side::kHost, "page fault", {Kind::kCounter, Role::kHostMemory, Scope::kHost, "1/s"}},
    {Side::kHost, "major page fault", {Kind::kCounter, Role::kMajorFaults, Scope::kHost, "1/s"}},
    {Side::kHost, "major fault", {Kind::kCounter, Role::kMajorFaults, Scope::kHost, "1/s"}},
    {Side::kHost, "minor fault", {Kind::kCounter, Role::kHostMemory, Scope::kHost, "1/s"}},
    {Side::kHost, "context switch", {Kind::kCounter, Role::kUnknown, Scope::kHost, "1/s"}},
    {Side::kHost, "forced switch", {Kind::kCounter, Role::kForcedSwitches, Scope::kHost, "1/s"}},
    {Side::kHost,
     "forced context switch",
     {Kind::kCounter, Role::kForcedSwitches, Scope::kHost, "1/s"}},
    {Side::kHost, "voluntary switch", {Kind::kCounter, Role::kOwnSwitches, Scope::kNone, "1/s"}},
    {Side::kHost,
     "voluntary context switch",
     {Kind::kCounter, Role::kOwnSwitches, Scope::kNone, "1/s"}},
};

// "gpu_sm_frequency", "clocks.sm [MHz]", "smClock": lower case, a word begins after any other sign
// and where a capital follows a small letter.
std::vector<std::string> metric_words(std::string_view name) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : name) {
    const bool is_inside = is_letter_or_digit(c);
    const bool was_inside = is_letter_or_digit(before);
    if (c == '%') words.emplace_back("pct");
    if (is_inside && (!was_inside || (is_upper(c) && is_lower(before)))) words.emplace_back();
    if (is_inside) words.back() += lower(c);
    before = c;
  }
  return words;
}

template <class Entry, std::size_t size>
const Entry* find_word(const Entry (&table)[size], std::string_view word) {
  const auto* const found = std::ranges::find(table, word, &Entry::word);
  return found == std::end(table) ? nullptr : found;
}

// A name reduced to the words that distinguish it.
struct Meaning {
  std::vector<std::string> words;
  const UnitWord* unit = nullptr;
  const KindWord* kind = nullptr;
};

Meaning meaning_of(std::string_view metric) {
  Meaning meaning;
  for (std::string& word : metric_words(metric)) {
    if (const UnitWord* const unit = find_word(kUnitWords, word)) {
      meaning.unit = unit;
    } else if (const KindWord* const kind = find_word(kKindWords, word)) {
      meaning.kind = kind;
    } else if (const Alias* const alias = find_word(kAliases, word)) {
      if (!alias->meaning.empty()) meaning.words.emplace_back(alias->meaning);
    } else if (!(word == "s" || word == "sec" || word == "second")) {
      meaning.words.push_back(std::move(word));
    }
  }
  return meaning;
}

bool is_device(std::string_view device) {
  if (device.empty() || !is_digit(device.back())) return false;
  const std::vector<std::string> words = metric_words(device);
  return !words.empty() && words[0] != "host" && words[0] != "cpu";
}

bool has_words(const Row& row, const std::vector<std::string>& words) {
  const std::vector<std::string_view> wanted = split(row.words, ' ');
  return wanted.size() == words.size() && std::ranges::is_permutation(wanted, words);
}

// A rate is shown per second, whatever the sampler counts.
std::string_view per_second(std::string_view unit) {
  if (unit == "B") return "B/s";
  if (unit == "ms") return "ms/s";
  return unit;
}

const Row* find_row(Side side, const Meaning& meaning) {
  const auto* const row = std::ranges::find_if(
      kRows, [&](const Row& one) { return one.side == side && has_words(one, meaning.words); });
  return row == std::end(kRows) ? nullptr : row;
}

MetricInfo info_of(const Row& row, const Meaning& meaning) {
  MetricInfo info = row.info;
  if (meaning.kind != nullptr && info.kind != Kind::kGauge) info.kind = meaning.kind->kind;
  if (meaning.unit != nullptr) {
    info.unit = info.kind == Kind::kGauge ? meaning.unit->unit : per_second(meaning.unit->unit);
    info.scale = meaning.unit->scale;
  }
  // The role means a share of the capacity; bytes alone do not give that.
  if (info.role == Role::kMemoryUsed && info.unit != "%") info.role = Role::kUnknown;
  return info;
}

std::string_view first_word(std::string_view metric) { return metric.substr(0, metric.find(' ')); }

// Why a device lowers its clock, as NVML numbers the reasons. The most drastic ones come first:
// where there is little room, only these can be read.
struct ClockReason {
  std::uint64_t bit;
  std::string_view words;
};
constexpr ClockReason kClockReasons[] = {{0x40, "heat (alarm)"},
                                         {0x80, "power brake"},
                                         {0x08, "hardware slowdown"},
                                         {0x20, "heat"},
                                         {0x04, "power cap"},
                                         {0x10, "sync boost"},
                                         {0x100, "display clocks"},
                                         {0x02, "application clocks"},
                                         {0x01, "idle"}};

}  // namespace

std::string_view metric_key(std::string_view metric) {
  const std::size_t blank = metric.find(' ');
  return blank == std::string_view::npos ? std::string_view() : trimmed(metric.substr(blank));
}

std::string_view program_of(std::string_view key) { return key.substr(0, key.rfind(" (")); }

bool is_recorder(std::string_view key) { return program_of(key) == "strobe"; }

std::vector<std::string> clock_reason_names(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const auto& [bit, words] : kClockReasons) {
    if ((bits & bit) != 0) names.emplace_back(words);
    bits &= ~bit;
  }
  if (bits != 0) names.push_back(fmt::format("{:#x}", bits));
  return names;
}

std::uint64_t clock_limits_in(std::uint64_t reasons) {
  constexpr std::uint64_t kKindsOfHardwareReason = 0x40 | 0x80;  // heat (alarm), power brake
  reasons &= ~kIdleReason;
  return (reasons & kKindsOfHardwareReason) != 0 ? reasons & ~kHardwareReason : reasons;
}

std::string clock_limits_text(std::uint64_t bits) {
  if (bits == 0) return "none";
  return fmt::format("{}", fmt::join(clock_reason_names(bits), ", "));
}

std::optional<MetricRange> believable_range(const MetricInfo& info) {
  switch (info.role) {
    case Role::kCoreClock:
    case Role::kMemoryClock:
      return MetricRange{50, 20'000};
    case Role::kPower:
      return MetricRange{0, 5'000};
    case Role::kTemperature:
      return MetricRange{-50, 200};
    case Role::kDeviceUse:
    case Role::kProcessDeviceUse:
    case Role::kMemoryUse:
    case Role::kMemoryUsed:
    case Role::kHostCpuUse:
      return MetricRange{0, 101};
    default:
      return std::nullopt;
  }
}

std::uint64_t usual_bits(std::span<const double> samples) {
  constexpr std::size_t kBits = 53;  // a double has no more
  constexpr double kTooLarge = 9007199254740992.0;
  std::array<std::size_t, kBits> counts = {};
  for (const double sample : samples) {
    if (!(sample >= 0 && sample < kTooLarge)) continue;
    const auto bits = static_cast<std::uint64_t>(sample);
    for (std::size_t bit = 0; bit < kBits; ++bit) counts[bit] += bits >> bit & 1u;
  }
  std::uint64_t usual = 0;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    if (2 * counts[bit] > samples.size()) usual |= std::uint64_t{1} << bit;
  }
  return usual;
}

MetricInfo metric_info(std::string_view metric, std::string_view device) {
  const Side side = is_device(device) ? Side::kDevice : Side::kHost;
  // A key may contain any words, so it is not looked at.
  const Meaning of_first = meaning_of(first_word(metric));
  const Row* const first = find_row(side, of_first);
  if (first != nullptr && first->has_key) {
    MetricInfo info = info_of(*first, of_first);
    info.has_key = true;
    return info;
  }
  const bool is_one_word = first_word(metric).size() == metric.size();
  const Meaning meaning = is_one_word ? of_first : meaning_of(metric);
  const Row* const row = is_one_word ? first : find_row(side, meaning);
  if (row != nullptr) return info_of(*row, meaning);
  MetricInfo info;
  info.scope = side == Side::kDevice ? Scope::kKernels : Scope::kHost;
  return info;
}

}  // namespace strobe::device
