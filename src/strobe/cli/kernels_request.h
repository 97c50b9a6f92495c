#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_groups.h"
#include "strobe/base/result.h"
#include "strobe/cli/command.h"

namespace strobe::cli {

enum class KernelFormat : std::uint8_t { kText, kJson, kCsv, kMarkdown, kHtml, kSeed };

// What an action of `strobe kernels` was asked for; an action without a flag has its default.
struct KernelsRequest {
  std::vector<std::filesystem::path> files;  // one, of diff two
  KernelFormat format = KernelFormat::kText;
  analysis::StudyOptions study;
  std::optional<analysis::KernelGrouping> grouping;
  std::optional<analysis::KernelNameForm> names;
  analysis::KernelOrder order = analysis::KernelOrder::kTime;
  std::size_t top = 0;                    // rows a table, 0: all
  std::optional<double> slower_fails_at;  // of diff: a share, 0.05 is 5 %
  std::string output;                     // "": stdout

  analysis::KernelNameForm name_form() const {
    return names.value_or(analysis::KernelNameForm::kDetail);
  }
};

// `action` is how it is called, for the hint: "show". `files` is how many it takes.
Result<KernelsRequest> read_kernels_request(const Arguments& arguments, std::string_view action,
                                            std::size_t files = 1);

// "slower", "slower:5%": the share by which the whole may get slower.
Result<double> read_slower_gate(std::string_view typed);

// Flags that several actions have.
Flag kernel_format_flag(std::vector<std::string_view> choices);
Flag kernel_name_flag();
Flag kernel_top_flag(std::string_view help);
std::vector<Flag> chip_flags();   // --chip and measured roofs
std::vector<Flag> share_flags();  // --dram-roof, --tensor-roof

}  // namespace strobe::cli
