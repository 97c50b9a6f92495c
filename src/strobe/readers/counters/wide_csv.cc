#include "strobe/readers/counters/wide_csv.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "strobe/base/json_text.h"
#include "strobe/readers/counters/launch_columns.h"

namespace strobe::readers {
namespace {

// A column that is read; of three hundred in a file some forty are.
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
      if (is_header(records)) {  // a second table behind the first: another run
        is_first = true;
        seen_.clear();
        --place.row;
        continue;
      }
      if (records.is_broken() || (records.is_last_cut() && records.size() < header_->size())) {
        const std::string& column = (*header_)[std::min(records.size(), header_->size()) - 1];
        rows_->remarks().add(place, column, {},
                             records.is_last_cut()
                                 ? "the file ends inside this row; left out"
                                 : "opens a quote and does not close it; left out");
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

  bool is_header(CsvRecords& records) const {
    return launch_.name < records.size() && records.field(launch_.name) == "Kernel Name";
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
                             "is there a second time; the first row is kept");
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
        rows_->remarks().add(place, title, text, "is no number it can have");
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

}  // namespace strobe::readers
