#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/bench/reference/mask_check.h"
#include "strobe/bench/reference/reference.h"
#include "strobe/bench/workers/row_file.h"
#include "strobe/bench/workers/worker_session.h"

// Checks the values of a cell: the worker gives rows of its outputs, the reference the expected
// ones.
namespace strobe::bench {

// The expected values of one group of cells; computed once, when first needed.
class CellReference {
 public:
  CellReference(const CaseInfo& info, const PrepareRequest& request);

  const PrepareRequest& request() const { return request_; }  // with the law of the check
  bool has_own_law() const { return request_.law != InputLaw::kNormal; }
  std::size_t outputs() const { return layouts_.size(); }
  const std::vector<std::int64_t>& rows(std::size_t output) const { return rows_[output]; }
  std::size_t values(std::size_t output) const;        // those that are checked
  std::int64_t output_size(std::size_t output) const;  // all
  Accuracy compare(std::size_t output, std::span<const float> values);
  MaskCheck mask(std::size_t output, std::span<const float> values) const;

 private:
  const CaseInfo& info_;
  PrepareRequest request_;
  std::vector<OutputLayout> layouts_;
  std::vector<std::vector<std::int64_t>> rows_;
  std::vector<std::vector<double>> expected_;
};

struct Checked {
  CellStatus status = CellStatus::kOk;  // kWrong, or why there are no values
  std::string reason = {};
  std::optional<Accuracy> accuracy = {};
  bool is_repeatable = true;
  std::vector<std::string> notes = {};
};

// `ask` requests one output: it returns a reply, with the values in `file`.
using AskForRows = std::function<WorkerReply(std::size_t output, const std::string& file)>;
// The same values are requested `repeats` more times.
Checked check_cell(CellReference& reference, const RowFolder& folder, int repeats,
                   const AskForRows& ask);

}  // namespace strobe::bench
