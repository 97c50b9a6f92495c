#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/analysis/waits/waits.h"
#include "strobe/base/id.h"
#include "strobe/base/row_index.h"
#include "strobe/base/string_pool.h"

namespace strobe::analysis {

struct CauseTag;
using CauseId = Id<CauseTag>;

// A cause of idle time: see IdleRow.
struct Cause {
  IdleKind kind = IdleKind::kNothing;
  StringId name;  // invalid for kNothing and kLaunched
  StringId inside;
};

// Numbers causes as they are first asked for, so that sums over them are flat lists.
class CauseList {
 public:
  explicit CauseList(const StringPool& strings) : operators_(strings.size()) {}

  CauseId id_of(const Cause& cause) {
    if (cause.kind == IdleKind::kOperator) return of_operator(cause.name);
    const auto kind = static_cast<std::size_t>(cause.kind);
    const std::size_t row = rows_[kind].row_of(cause.name.value, cause.inside.value);
    if (row == others_[kind].size()) others_[kind].emplace_back();
    return number(others_[kind][row], cause);
  }
  // By far the most frequent ones. They have no inside.
  CauseId of_operator(StringId name) {
    const CauseId known = operators_[name.index()];
    return known.valid() ? known
                         : number(operators_[name.index()], {IdleKind::kOperator, name, {}});
  }
  const Cause& operator[](CauseId cause) const { return causes_[cause.index()]; }
  std::size_t size() const { return causes_.size(); }

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(IdleKind::kLaunched) + 1;

  CauseId number(CauseId& id, const Cause& cause) {
    if (!id.valid()) {
      id = CauseId(causes_.size());
      causes_.push_back(cause);
    }
    return id;
  }

  std::vector<Cause> causes_;
  std::vector<CauseId> operators_;                   // per string
  std::array<PairRows, kKinds> rows_;                // by name and inside
  std::array<std::vector<CauseId>, kKinds> others_;  // per row
};

}  // namespace strobe::analysis
