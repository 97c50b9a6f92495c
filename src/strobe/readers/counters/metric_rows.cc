#include "strobe/readers/counters/metric_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/readers/counters/launch_columns.h"

namespace strobe::readers {
namespace {

struct MetricColumns {
  std::size_t name = kNoColumn;
  std::size_t unit = kNoColumn;
  std::size_t value = kNoColumn;
};

std::size_t find_column(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::ranges::find(header, name);
  return found != header.end() ? static_cast<std::size_t>(found - header.begin()) : kNoColumn;
}

class MetricRowsReader {
 public:
  MetricRowsReader(const std::vector<std::string>& header, LaunchRows& rows)
      : header_(&header), rows_(&rows), launch_(LaunchColumns::of(header)), fields_(launch_, rows) {
    metric_ = {find_column(header, "Metric Name"), find_column(header, "Metric Unit"),
               find_column(header, "Metric Value")};
    if (metric_.unit == kNoColumn) {
      rows.remarks().add_once(
          "the column 'Metric Unit' is missing: values are taken to be in base units");
    }
    if (launch_.id == kNoColumn) {
      rows.remarks().add_once(
          "the column 'ID' is missing: a launch ends where its name changes or a metric repeats");
    }
  }

  Result<void> read(CsvRecords& records) {
    Place place;
    while (records.next()) {
      if (records.text().empty()) continue;
      ++place.row;
      place.line = records.line();
      if (is_header(records)) {  // a second table behind the first: another run
        --place.row;
        known_.clear();
        last_.reset();
        continue;
      }
      if (records.is_broken() || records.size() <= std::max(metric_.name, metric_.value)) {
        remark_on_short(records, place);
        continue;
      }
      STROBE_TRY_VOID(read_row(records, place));
    }
    return {};
  }

 private:
  struct KeyHash {
    std::size_t operator()(const LaunchFields::Key& key) const {
      return std::hash<std::uint64_t>()((std::uint64_t{key.process} << 32) | key.id);
    }
  };

  bool is_header(CsvRecords& records) const {
    return launch_.name < records.size() && records.field(launch_.name) == "Kernel Name";
  }

  void remark_on_short(CsvRecords& records, const Place& place) {
    const std::string& column = (*header_)[std::min(records.size(), header_->size()) - 1];
    rows_->remarks().add(place, column, {},
                         records.is_last_cut() ? "the file ends inside this row; left out"
                         : records.is_broken() ? "opens a quote and does not close it; left out"
                                               : "the row ends here; left out");
  }

  Result<void> read_row(CsvRecords& records, const Place& place) {
    const std::string_view name = records.field(metric_.name);
    if (name.empty()) return {};  // a rule
    const auto named = find_counter(name);
    STROBE_TRY(const std::optional<std::size_t> row, row_of(records, named, place));
    if (!row || !named) return {};
    const std::string_view text = records.field(metric_.value);
    if (named->counter == Counter::kDeviceName) {
      KernelDevice& device = rows_->device(fields_.device_index(*row));
      if (device.name.empty()) device.name = sanitize_utf8(text);
      return {};
    }
    const Unit unit = metric_.unit == kNoColumn ? Unit{} : unit_of(records.field(metric_.unit));
    auto value = fields_.value(text, unit, *named, name, place);
    if (!value) return std::move(value).error();
    if (!*value) return {};
    if (is_of_device(named->counter)) {
      rows_->set_device_fact(fields_.device_index(*row), *named, **value);
      return {};
    }
    const LaunchRows::Set set = rows_->set(*row, *named, **value);
    if (set == LaunchRows::Set::kTwice) {
      rows_->remarks().add(place, name, text,
                           "is a second value for its launch; the first is kept");
    } else if (set == LaunchRows::Set::kUseless) {
      rows_->remarks().add(place, name, text, "is no number it can have");
    }
    return {};
  }

  Result<std::optional<std::size_t>> row_of(CsvRecords& records,
                                            const std::optional<NamedCounter>& named,
                                            const Place& place) {
    std::optional<std::size_t> nothing;
    if (launch_.id == kNoColumn) return std::optional(row_without_id(records, named, place));
    const std::optional<LaunchFields::Key> key = fields_.key_of(records, place);
    if (!key) return nothing;
    if (last_ && *last_ == *key) return std::optional(last_row_);
    const auto [known, is_new] = known_.try_emplace(*key, rows_->size());
    if (is_new) fields_.add(records, key->id, place);
    last_ = key;
    last_row_ = known->second;
    return std::optional(last_row_);
  }

  std::size_t row_without_id(CsvRecords& records, const std::optional<NamedCounter>& named,
                             const Place& place) {
    const std::string_view name = records.field(launch_.name);
    const std::string metric(records.field(metric_.name));
    const bool is_same = rows_->size() > 0 && rows_->name(last_row_) == name;
    if (!is_same || (named && !seen_.insert(metric).second)) {
      last_row_ = fields_.add(records, static_cast<std::uint32_t>(rows_->size()), place);
      seen_ = {metric};
    }
    return last_row_;
  }

  const std::vector<std::string>* header_;
  LaunchRows* rows_;
  LaunchColumns launch_;
  LaunchFields fields_;
  MetricColumns metric_;
  std::unordered_map<LaunchFields::Key, std::size_t, KeyHash> known_;
  std::optional<LaunchFields::Key> last_;
  std::size_t last_row_ = 0;
  std::unordered_set<std::string> seen_;  // metrics of the launch in hand, where none has a number
};

}  // namespace

Result<void> read_metric_rows(CsvRecords& records, const std::vector<std::string>& header,
                              LaunchRows& rows) {
  return MetricRowsReader(header, rows).read(records);
}

}  // namespace strobe::readers
