#include "strobe/bench/workers/cell_check.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

Checked no_values(CellStatus status, std::string reason) {
  return {.status = status, .reason = std::move(reason)};
}

std::string wrong_text(const Accuracy& accuracy) {
  return fmt::format(
      "{} of {} values differ from the reference by more than {:.2g} + {:.2g} of them; the largest "
      "difference is {:.3g}, at {}",
      accuracy.mismatches, accuracy.checked, accuracy.atol, accuracy.rtol, accuracy.max_abs,
      accuracy.worst_index);
}

std::string wrong_mask_text(const MaskCheck& mask, const Accuracy& accuracy) {
  return fmt::format(
      "the mask differs from the generator's in {} of {} values, first at {}: a dropped element "
      "equals its residual exactly, a kept one does not",
      mask.differences, accuracy.checked, mask.first);
}

}  // namespace

CellReference::CellReference(const CaseInfo& info, const PrepareRequest& request)
    : info_(info), request_(request), layouts_(output_layouts(info, request.cell.shape)) {
  if (info.has_affine_accuracy_inputs) request_.law = InputLaw::kConditioned;
  for (const OutputLayout& layout : layouts_) rows_.push_back(rows_to_check(layout, request.seed));
  expected_.resize(layouts_.size());
}

std::size_t CellReference::values(std::size_t output) const {
  return rows_[output].size() * static_cast<std::size_t>(layouts_[output].columns);
}

std::int64_t CellReference::output_size(std::size_t output) const {
  return layouts_[output].rows * layouts_[output].columns;
}

Accuracy CellReference::compare(std::size_t output, std::span<const float> values) {
  if (expected_[output].empty()) {
    expected_[output] = reference_rows(info_, request_, output, rows_[output]);
  }
  Accuracy accuracy = compare_values(values, expected_[output],
                                     tolerance_of(info_, request_.cell.shape, request_.cell.dtype));
  if (accuracy.worst_index >= 0) {  // from an index among the checked rows to one in the tensor
    const std::int64_t columns = layouts_[output].columns;
    const auto row = static_cast<std::size_t>(accuracy.worst_index / columns);
    accuracy.worst_index = rows_[output][row] * columns + accuracy.worst_index % columns;
  }
  return accuracy;
}

MaskCheck CellReference::mask(std::size_t output, std::span<const float> values) const {
  return check_mask(info_, request_, rows_[output], values);
}

Checked check_cell(CellReference& reference, const RowFolder& folder, int repeats,
                   const AskForRows& ask) {
  Checked checked;
  std::int64_t first_index = 0;
  for (std::size_t output = 0; output < reference.outputs(); ++output) {
    std::vector<float> values;
    for (int turn = 0; turn <= repeats; ++turn) {
      const std::string file = folder.file(fmt::format("output{}", output));
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
      const WorkerReply reply = ask(output, file);
      if (reply.status != CellStatus::kOk) return no_values(reply.status, reply.reason);
      if (!std::filesystem::exists(file, ignored)) {
        checked.notes.emplace_back("values unchecked: the worker gave none");
        return checked;
      }
      Result<std::vector<float>> got = read_row_file(file, reference.values(output));
      std::filesystem::remove(file, ignored);
      if (!got) return no_values(CellStatus::kError, got.error().what);
      if (turn == 0) {
        values = std::move(*got);
      } else if (std::memcmp(values.data(), got->data(), values.size() * sizeof(float)) != 0) {
        checked.is_repeatable = false;
      }
    }
    Accuracy accuracy = reference.compare(output, values);
    const MaskCheck mask = reference.mask(output, values);
    if (mask.differences > 0) {
      accuracy.mismatches = std::max(accuracy.mismatches, mask.differences);
      checked.reason = wrong_mask_text(mask, accuracy);
    }
    if (checked.accuracy) {
      merge(*checked.accuracy, accuracy, first_index);
    } else {
      checked.accuracy = accuracy;
    }
    first_index += reference.output_size(output);
  }
  if (checked.accuracy && checked.accuracy->mismatches > 0) {
    checked.status = CellStatus::kWrong;
    if (checked.reason.empty()) checked.reason = wrong_text(*checked.accuracy);
  }
  return checked;
}

}  // namespace strobe::bench
