#include "strobe/cli/kernels_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/cli/interrupt.h"
#include "strobe/cli/loading.h"
#include "strobe/device/chips.h"
#include "strobe/readers/counters/kernel_reader.h"

namespace strobe::cli {
namespace {

using analysis::KernelGrouping;
using analysis::KernelNameForm;
using analysis::KernelOrder;

constexpr Word<KernelGrouping> kGroupings[] = {
    {"name", KernelGrouping::kName},   {"family", KernelGrouping::kFamily},
    {"class", KernelGrouping::kBound}, {"shape", KernelGrouping::kShape},
    {"layer", KernelGrouping::kLayer}, {"position", KernelGrouping::kPosition}};
constexpr Word<KernelNameForm> kNameForms[] = {
    {"detail", KernelNameForm::kDetail},   {"short", KernelNameForm::kShort},
    {"classic", KernelNameForm::kClassic}, {"full", KernelNameForm::kFull},
    {"mangled", KernelNameForm::kMangled}, {"seed", KernelNameForm::kClassic, false}};
constexpr Word<KernelOrder> kKernelOrders[] = {{"time", KernelOrder::kTime},
                                               {"headroom", KernelOrder::kHeadroom},
                                               {"count", KernelOrder::kCount},
                                               {"name", KernelOrder::kName}};
constexpr Word<Format> kShownFormats[] = {
    {"text", Format::kText},          {"json", Format::kJson}, {"csv", Format::kCsv},
    {"markdown", Format::kMarkdown},  {"html", Format::kHtml}, {"classic", Format::kClassic},
    {"seed", Format::kClassic, false}};
constexpr Word<Format> kConvertedFormats[] = {{"csv", Format::kCsv},
                                              {"json", Format::kJson},
                                              {"markdown", Format::kMarkdown},
                                              {"classic", Format::kClassic},
                                              {"seed", Format::kClassic, false}};

Flag name_flag(KernelsRequest& request) {
  return flag("--name FORM",
              "names of kernels: detail (with what distinguishes them), short, classic (as in the "
              "classic table), full (as in the file) or mangled (default: detail)",
              to_choice(request.names, kNameForms));
}

std::vector<Flag> chip_flags(KernelsRequest& request) {
  analysis::StudyOptions& study = request.study;
  return {
      flag("--chip NAME",
           "data sheet of this board: h200, a100, ... (default: the board that the file names)",
           to(study.chip)),
      flag("--peak-flops RATE",
           "measured peak of f16 matrix products, such as 790TFLOP/s (default: the data sheet's)",
           to(study.flops, flop_rate)),
      flag("--dram-rate RATE",
           "measured peak DRAM rate, such as 4.3TB/s (default: the file's or the data sheet's)",
           to(study.dram_bytes_per_s, byte_rate)),
      flag("--l2-rate RATE",
           "measured peak L2 rate, such as 7.2TB/s (default: none; no kernel is bound by the L2)",
           to(study.l2_bytes_per_s, byte_rate))};
}

Result<double> read_share(std::string_view flag, std::string_view typed) {
  return fraction(flag, typed);
}

// The strictest gate wins.
Target to_gate(std::optional<double>& limit) {
  return {.take = [&limit](std::string_view flag, const std::string& typed) -> Result<void> {
            STROBE_TRY(const double share, read_slower_gate(flag, typed));
            limit = std::min(share, limit.value_or(share));
            return {};
          },
          .is_list = true};
}

Result<void> complete(KernelsRequest& request, const Arguments& arguments, std::string_view action,
                      std::size_t files = 1, std::size_t rows_on_a_page = kRowsOnAPage) {
  const auto& given = arguments.positionals;
  const std::string call = files == 2 ? "`strobe kernels diff before.csv after.csv`"
                                      : fmt::format("`strobe kernels {} kernels.csv`", action);
  if (given.empty()) return bad_request("no list of kernels was given", "", call);
  if (given.size() != files) {
    return bad_request(
        fmt::format("`strobe kernels {}` takes {}, not {}", action,
                    files == 1 ? "one list of kernels" : "two lists of kernels", given.size()),
        "", files == 1 ? "`strobe kernels diff before.csv after.csv` compares two" : call);
  }
  request.files = input_names(given);
  // A text page shows the top of each table; tools get everything.
  request.top = request.typed_top.value_or(request.format == Format::kText ? rows_on_a_page : 0);
  return {};
}

Result<KernelTable> read_table(const std::string& path, const Terminal& terminal) {
  Progress progress(terminal, fmt::format("loading {}", path));
  return readers::read_kernels(path, load_options(progress));
}

void warn_of_unknown_chip(const std::string& typed, const Terminal& terminal) {
  if (typed.empty() || device::chip_peaks(typed)) return;
  std::vector<std::string_view> names;
  std::vector<std::string_view> words;  // "H200" for "H200 SXM", "RTX 4090": what users type
  for (const device::ChipPeaks& chip : device::known_chips()) {
    names.push_back(chip.name);
    std::string_view word = chip.name.substr(0, chip.name.find(' '));
    if (word.find_first_of("0123456789") == std::string_view::npos) word = chip.name;
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  std::string_view meant = nearest(typed, words);
  if (meant.empty()) meant = nearest(typed, names);
  warn(terminal, meant.empty()
                     ? fmt::format("--chip: '{}' is not known; known are {}", typed, joined(words))
                     : fmt::format("--chip: '{}' is not known; did you mean '{}'?", typed, meant));
}

}  // namespace

std::vector<Flag> kernels_show_flags(KernelsRequest& request) {
  std::vector<Flag> flags = {
      flag("--group BY",
           "what a row of the first table is: name, family (such as gemm), class (what limits it), "
           "shape (name and launch shape), layer or position (in a layer) (default: name)",
           to_choice(request.grouping, kGroupings)),
      flag("--sort KEY",
           "order: time, headroom, count (of launches) or name (default: time; layers and "
           "positions in the order they ran)",
           to_choice(request.typed_order, kKernelOrders)),
      flag("--top N", "rows per table, or all (default: 10 in text, all in other formats)",
           to_rows(request.typed_top)),
      name_flag(request)};
  for (Flag& one : chip_flags(request)) flags.push_back(std::move(one));
  flags.push_back(flag("--dram-roof F",
                       "share of the peak DRAM rate that good kernels reach (default: 0.90)",
                       to(request.study.roofs.dram, read_share)));
  flags.push_back(flag("--tensor-roof F",
                       "share of the peak tensor rate that good kernels reach (default: 0.90)",
                       to(request.study.roofs.tensor, read_share)));
  flags.push_back(flag("--format FORMAT",
                       "text, json, csv, markdown, html or classic (a text table, see convert) "
                       "(default: what the ending of --output's FILE means: .txt, .json, .csv, "
                       ".md or .html; else text)",
                       to_choice(request.format, kShownFormats)));
  flags.push_back(output_flag(request.output));
  return flags;
}

std::vector<Flag> kernels_roofline_flags(KernelsRequest& request) {
  std::vector<Flag> flags = chip_flags(request);
  flags.push_back(
      flag("--top N",
           "points with a letter and a row, or all (default: 10 in text, all in other formats)",
           to_rows(request.typed_top)));
  flags.push_back(name_flag(request));
  flags.push_back(format_flag(request.format));
  flags.push_back(output_flag(request.output));
  return flags;
}

std::vector<Flag> kernels_fuse_flags(KernelsRequest& request) {
  return {flag("--top N", "number of chains, or all (default: 5 in text, all in other formats)",
               to_rows(request.typed_top)),
          name_flag(request), format_flag(request.format), output_flag(request.output)};
}

std::vector<Flag> kernels_diff_flags(KernelsRequest& request) {
  return {flag("--top N", "rows, or all (default: 10 in text, all in other formats)",
               to_rows(request.typed_top)),
          flag("--fail-on GATES",
               "exit with 1 if a kernel got significantly slower (slower), or slower by more than "
               "this (slower:5%)",
               to_gate(request.slower_fails_at)),
          format_flag(request.format), output_flag(request.output)};
}

std::vector<Flag> kernels_convert_flags(KernelsRequest& request) {
  Target format = to_choice(request.format, kConvertedFormats);
  return {flag("--to FORMAT", "csv, json, markdown or classic (a text table, see below); required",
               std::move(format)),
          name_flag(request), output_flag(request.output)};
}

Result<void> complete_kernels_show(KernelsRequest& request, const Arguments& arguments) {
  STROBE_TRY_VOID(complete(request, arguments, "show"));
  // Launches are never sorted: an order or a top applies to groups.
  const bool speaks_of_groups = request.typed_order || request.typed_top;
  if (request.format == Format::kCsv && speaks_of_groups && !request.grouping) {
    request.grouping = KernelGrouping::kName;
  }
  const bool stands_as_it_ran =
      request.grouping == KernelGrouping::kPosition || request.grouping == KernelGrouping::kLayer;
  request.order =
      request.typed_order.value_or(stands_as_it_ran ? KernelOrder::kName : KernelOrder::kTime);
  return {};
}

Result<void> complete_kernels_roofline(KernelsRequest& request, const Arguments& arguments) {
  return complete(request, arguments, "roofline");
}

Result<void> complete_kernels_fuse(KernelsRequest& request, const Arguments& arguments) {
  constexpr std::size_t kChainsOnAPage = 5;
  return complete(request, arguments, "fuse", 1, kChainsOnAPage);
}

Result<void> complete_kernels_diff(KernelsRequest& request, const Arguments& arguments) {
  return complete(request, arguments, "diff", 2);
}

Result<void> complete_kernels_convert(KernelsRequest& request, const Arguments& arguments) {
  STROBE_TRY_VOID(complete(request, arguments, "convert"));
  if (arguments.has("to")) return {};
  return bad_request("needs a format: csv, json, markdown or classic", "--to",
                     "`strobe kernels convert report.ncu-rep --to csv -o kernels.csv`");
}

Result<double> read_slower_gate(std::string_view flag, std::string_view typed) {
  constexpr std::string_view kWord = "slower";
  const std::string hint = "slower (any significant slow-down) or slower:5%";
  const std::size_t colon = typed.find(':');
  if (!equal_ignoring_case(typed.substr(0, colon), kWord)) {
    return bad_request(fmt::format("'{}' is not a gate of kernels", typed), flag, hint);
  }
  if (colon == std::string_view::npos) return 0.0;
  const auto share = fraction(flag, typed.substr(colon + 1), 1000);
  if (share && typed.ends_with('%')) return *share;
  return bad_request(fmt::format("'{}' is not a percentage", typed.substr(colon + 1)), flag, hint);
}

Result<LoadedKernels> load_kernels(const std::string& path, const analysis::StudyOptions& options,
                                   const Terminal& terminal) {
  warn_of_unknown_chip(options.chip, terminal);
  STROBE_TRY(KernelTable table, read_table(path, terminal));
  STROBE_TRY_VOID(check_interrupted());
  LoadedKernels loaded;
  loaded.table = std::make_unique<const KernelTable>(std::move(table));
  loaded.study = analysis::study_kernels(*loaded.table, options);
  return loaded;
}

}  // namespace strobe::cli
