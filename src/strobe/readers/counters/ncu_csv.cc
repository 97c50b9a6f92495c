#include "strobe/readers/counters/ncu_csv.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/readers/counters/launch_columns.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kCutRow = "the file ends inside this row; left out";

// A column that is read: about forty of three hundred in a file.
struct WantedColumn {
  std::size_t column = 0;
  NamedCounter named;
  Unit unit;
};

class WideCsvReader {
 public:
  WideCsvReader(const std::vector<std::string>& header, LaunchRows& rows)
      : header_(&header), rows_(&rows), launch_(LaunchColumns::of(header)), fields_(launch_, rows) {
    for (std::size_t column = 0; column < header.size(); ++column) {
      const auto named = find_counter(header[column]);
      if (!named) continue;
      (is_of_device(named->counter) ? device_columns_ : columns_).push_back({column, *named, {}});
    }
    std::ranges::sort(columns_, {}, [](const WantedColumn& wanted) {
      return std::tuple(wanted.named.counter, wanted.named.rank);
    });
    if (launch_.id == kNoColumn) {
      rows.remarks().add_once("the column 'ID' is missing: launches are numbered as they come");
    }
  }

  Result<void> read(CsvRecords& records) {
    Place place;
    for (bool is_first = true; records.next();) {
      if (records.text().empty()) continue;
      if (std::exchange(is_first, false) && is_units(records)) {
        read_units(records);
        continue;
      }
      ++place.row;
      place.line = records.line();
      if (launch_.is_header(records)) {
        is_first = true;
        seen_.clear();
        --place.row;
        continue;
      }
      if (records.is_broken() || (records.is_last_cut() && records.size() < header_->size())) {
        const std::string& column = (*header_)[std::min(records.size(), header_->size()) - 1];
        rows_->remarks().add(place, column, {}, records.is_last_cut() ? kCutRow : kUnclosedQuote);
        continue;
      }
      STROBE_TRY_VOID(read_row(records, place));
    }
    return {};
  }

 private:
  bool is_units(CsvRecords& records) const {
    const std::size_t name = launch_.name;
    return records.size() > name && records.field(name).empty() &&
           (launch_.id >= records.size() || records.field(launch_.id).empty());
  }

  void read_units(CsvRecords& records) {
    for (std::vector<WantedColumn>* columns : {&columns_, &device_columns_}) {
      for (WantedColumn& wanted : *columns) {
        if (wanted.column < records.size()) wanted.unit = unit_of(records.field(wanted.column));
      }
    }
  }

  Result<void> read_row(CsvRecords& records, const Place& place) {
    auto id = static_cast<std::uint32_t>(rows_->size());
    if (launch_.id != kNoColumn) {
      const std::optional<LaunchFields::Key> key = fields_.key_of(records, place);
      if (!key) return {};
      id = key->id;
      if (seen_.size() <= key->process) seen_.resize(key->process + 1);
      if (!seen_[key->process].insert(id)) {
        rows_->remarks().add(place, "ID", records.field(launch_.id),
                             "occurs a second time; the first row is kept");
        return {};
      }
    }
    if (records.size() < header_->size()) {
      rows_->remarks().add(place, (*header_)[records.size() - 1], {},
                           "the row ends here; the rest is missing");
    }
    const std::size_t row = fields_.add(records, id, place);
    STROBE_TRY_VOID(read_metrics(records, row, place));
    const std::int32_t device = fields_.device_index(row);
    if (!std::ranges::binary_search(described_, device)) read_device(records, device, place);
    return {};
  }

  Result<void> read_metrics(CsvRecords& records, std::size_t row, const Place& place) {
    Counter done = Counter::kCount_;
    for (const WantedColumn& wanted : columns_) {
      if (wanted.named.counter == done || wanted.column >= records.size()) continue;
      const std::string& title = (*header_)[wanted.column];
      const std::string_view text = records.field(wanted.column);
      auto value = fields_.value(text, wanted.unit, wanted.named, title, place);
      if (!value) return std::move(value).error();
      if (!*value) continue;
      done = wanted.named.counter;
      if (rows_->set(row, wanted.named, **value) == LaunchRows::Set::kUseless) {
        rows_->remarks().add(place, title, text, kNotValid);
      }
    }
    return {};
  }

  void read_device(CsvRecords& records, std::int32_t device, const Place& place) {
    described_.insert(std::ranges::lower_bound(described_, device), device);
    for (const WantedColumn& wanted : device_columns_) {
      if (wanted.column >= records.size()) continue;
      const std::string_view text = records.field(wanted.column);
      if (wanted.named.counter == Counter::kDeviceName) {
        if (!text.empty()) rows_->device(device).name = sanitize_utf8(text);
        continue;
      }
      const auto value =
          fields_.value(text, wanted.unit, wanted.named, (*header_)[wanted.column], place);
      if (value && *value) rows_->set_device_fact(device, wanted.named, **value);
    }
  }

  const std::vector<std::string>* header_;
  LaunchRows* rows_;
  LaunchColumns launch_;
  LaunchFields fields_;
  std::vector<WantedColumn> columns_;  // by counter, the best source first
  std::vector<WantedColumn> device_columns_;
  std::vector<SeenNumbers> seen_;  // by process
  std::vector<std::int32_t> described_;
};

}  // namespace

Result<void> read_wide_csv(CsvRecords& records, const std::vector<std::string>& header,
                           LaunchRows& rows) {
  return WideCsvReader(header, rows).read(records);
}

namespace {

struct MetricColumns {
  std::size_t name = kNoColumn;
  std::size_t unit = kNoColumn;
  std::size_t value = kNoColumn;
};

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
      if (launch_.is_header(records)) {
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

  void remark_on_short(CsvRecords& records, const Place& place) {
    const std::string& column = (*header_)[std::min(records.size(), header_->size()) - 1];
    rows_->remarks().add(place, column, {},
                         records.is_last_cut() ? kCutRow
                         : records.is_broken() ? kUnclosedQuote
                                               : "the row ends here; left out");
  }

  Result<void> read_row(CsvRecords& records, const Place& place) {
    const std::string_view name = records.field(metric_.name);
    if (name.empty()) return {};  // a rule
    const auto named = find_counter(name);
    const std::optional<std::size_t> row = row_of(records, named, place);
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
      rows_->remarks().add(place, name, text, kNotValid);
    }
    return {};
  }

  std::optional<std::size_t> row_of(CsvRecords& records, const std::optional<NamedCounter>& named,
                                    const Place& place) {
    if (launch_.id == kNoColumn) return row_without_id(records, named, place);
    const std::optional<LaunchFields::Key> key = fields_.key_of(records, place);
    if (!key) return std::nullopt;
    if (last_ && *last_ == *key) return last_row_;
    const auto [known, is_new] = known_.try_emplace(*key, rows_->size());
    if (is_new) fields_.add(records, key->id, place);
    last_ = key;
    last_row_ = known->second;
    return last_row_;
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
  std::unordered_set<std::string> seen_;  // metrics of the current launch that have no number
};

}  // namespace

Result<void> read_metric_rows(CsvRecords& records, const std::vector<std::string>& header,
                              LaunchRows& rows) {
  return MetricRowsReader(header, rows).read(records);
}

}  // namespace strobe::readers
