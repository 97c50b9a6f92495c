#include "strobe/readers/counters/rocm_machine.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/csv.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kMostMachineBytes = 64 << 10;

double fact_in(std::string_view text) { return parse_number(text).value_or(0); }

std::optional<KernelDevice> read_machine(std::string_view text) {
  CsvRecords records(text);
  if (!records.next()) return std::nullopt;
  const std::vector<std::string> titles = records.fields();
  if (!records.next()) return std::nullopt;
  KernelDevice device;
  for (std::size_t i = 0; i < std::min(titles.size(), records.size()); ++i) {
    const std::string_view value = records.field(i);
    if (titles[i] == "gpu_model") device.name = value;
    if (titles[i] == "cu_per_gpu") device.sm_count = static_cast<std::int32_t>(fact_in(value));
    if (titles[i] == "max_sclk") device.most_clock_hz = 1e6 * fact_in(value);
    if (titles[i] == "hbm_bw") device.dram_bytes_per_s = 1e9 * fact_in(value);
  }
  if (device.name.empty()) return std::nullopt;
  return device;
}

}  // namespace

void describe_rocm_machine(const std::filesystem::path& kernels, KernelTable& table) {
  if (table.source != KernelSource::kWideCsv || !table.devices.empty()) return;
  const std::filesystem::path file = kernels.parent_path() / "sysinfo.csv";
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  if (ignored || bytes > kMostMachineBytes) return;
  const auto text = read_text(file.string());
  if (!text) return;
  std::optional<KernelDevice> device = read_machine(*text);
  if (!device) return;
  for (const std::int32_t index :
       std::set(table.device_indices.begin(), table.device_indices.end())) {
    device->index = index;
    table.devices.push_back(*device);
  }
}

}  // namespace strobe::readers
