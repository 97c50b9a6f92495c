#include "strobe/report/kernels/kernel_seed_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/render/display_text.h"

namespace strobe::report {
namespace {

constexpr std::size_t kClassicNameColumns = 50;

// A name that does not fit keeps its beginning; characters are never cut in two.
std::string name_field(std::string_view name) {
  std::string text = printable(name);
  if (columns_of(text) > kClassicNameColumns) {
    while (columns_of(text) > kClassicNameColumns - 3) {
      while ((static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      text.pop_back();
    }
    text += "...";
  }
  text.append(kClassicNameColumns - std::min(kClassicNameColumns, columns_of(text)), ' ');
  return text;
}

std::string fraction_field(std::optional<double> percent) {
  return percent ? fmt::format("{:7.2f}", *percent / 100) : fmt::format("{:>7}", "-");
}

}  // namespace

std::string kernel_seed_table(const analysis::KernelStudy& study, analysis::KernelNameForm form) {
  std::string out = fmt::format("{:<50} {:>11}{:>7}{:>7}\n", "Kernel", "Latency", "Tensor", "DRAM");
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    const analysis::KernelSample sample = study.sample(row);
    out += fmt::format("{}|{:11}{}{}\n", name_field(name_in(study.identity(row), form)),
                       sample.latency_ns, fraction_field(sample.tensor_percent),
                       fraction_field(sample.dram_percent));
  }
  return out;
}

}  // namespace strobe::report
