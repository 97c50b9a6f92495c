#include "strobe/cli/kernels_load.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/progress.h"
#include "strobe/cli/suggestion.h"
#include "strobe/device/chips.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

Result<KernelTable> read(const std::filesystem::path& path, const Terminal& terminal) {
  Progress progress(terminal, fmt::format("loading {}", path.string()));
  readers::LoadOptions options;
  options.cancelled = &interrupted();
  options.progress = [&](const readers::LoadProgress& now) {
    progress.update(now.bytes_done, now.bytes_total);
  };
  return readers::read_kernels(path, options);
}

void warn_of_unknown_chip(const std::string& typed, const Terminal& terminal) {
  if (typed.empty() || device::chip_peaks(typed)) return;
  std::vector<std::string_view> names;
  std::vector<std::string_view> words;  // "H200" of "H200 SXM", "RTX 4090": what people type
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

Result<LoadedKernels> load_kernels(const std::filesystem::path& path,
                                   const analysis::StudyOptions& options,
                                   const Terminal& terminal) {
  warn_of_unknown_chip(options.chip, terminal);
  STROBE_TRY(KernelTable table, read(path, terminal));
  STROBE_TRY_VOID(check_interrupted());
  LoadedKernels loaded;
  loaded.table = std::make_unique<const KernelTable>(std::move(table));
  loaded.study = analysis::study_kernels(*loaded.table, options);
  return loaded;
}

std::string kernel_text(const report::Document& document, const Terminal& terminal) {
  return report::render_text(
      document, {.width = terminal.columns, .color = terminal.color, .unicode = terminal.unicode});
}

Result<void> give(Output& output, std::string_view text) {
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(text));
  return output.commit();
}

}  // namespace strobe::cli
