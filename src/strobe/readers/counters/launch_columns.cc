#include "strobe/readers/counters/launch_columns.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/text.h"
#include "strobe/readers/counters/decimal.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kMostProcesses = 1 << 16;

std::optional<std::uint32_t> small_number(std::string_view text) {
  Decimal decimal;
  if (parse_decimal(text, decimal) != NumberText::kNumber) return std::nullopt;
  const double value = scaled(decimal);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(value);
  if (static_cast<double>(number) != value) return std::nullopt;
  return number;
}

}  // namespace

std::size_t find_column(const std::vector<std::string>& header, std::string_view title) {
  const auto found = std::ranges::find(header, title);
  return found != header.end() ? static_cast<std::size_t>(found - header.begin()) : kNoColumn;
}

bool LaunchColumns::is_header(CsvRecords& record) const {
  return name < record.size() && record.field(name) == "Kernel Name";
}

LaunchColumns LaunchColumns::of(const std::vector<std::string>& header) {
  const auto find = [&](std::string_view title) { return find_column(header, title); };
  LaunchColumns columns;
  columns.id = find("ID");
  columns.process = find("Process ID");
  columns.name = find("Kernel Name");
  columns.context = find("Context");
  columns.stream = find("Stream");
  columns.grid = find("Grid Size");
  columns.block = find("Block Size");
  columns.device = find("Device");
  columns.capability = find("CC");
  return columns;
}

bool SeenNumbers::insert(std::uint32_t number) {
  const std::size_t most_dense = 2 * dense_.size() + (1 << 16);
  if (number >= most_dense) return sparse_.insert(number).second;
  if (number >= dense_.size()) dense_.resize(most_dense);
  if (dense_[number] || sparse_.contains(number)) return false;
  dense_[number] = true;
  return true;
}

std::optional<LaunchShape> parse_shape(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  std::uint32_t sizes[3] = {0, 1, 1};
  const auto skip = [&](auto is_filler) {
    while (p < end && is_filler(*p)) ++p;
  };
  skip([](char c) { return c == '(' || c == '[' || c == ' '; });
  for (std::uint32_t& size : sizes) {
    const auto [stop, error] = std::from_chars(p, end, size);
    if (error != std::errc{}) return std::nullopt;
    p = stop;
    skip([](char c) { return c == ' '; });
    if (p == end || (*p != ',' && *p != 'x')) break;
    ++p;
    skip([](char c) { return c == ' '; });
  }
  skip([](char c) { return c == ')' || c == ']' || c == ' '; });
  if (p != end || sizes[0] == 0) return std::nullopt;
  return LaunchShape{sizes[0], sizes[1], sizes[2]};
}

std::uint32_t LaunchFields::process_index(std::string_view text) {
  if (last_process_ < processes_.size() && processes_[last_process_] == text) return last_process_;
  auto found = std::ranges::find(processes_, text);
  if (found == processes_.end() && processes_.size() < kMostProcesses) {
    found = processes_.insert(found, std::string(text));
  }
  last_process_ = static_cast<std::uint32_t>(found - processes_.begin());
  return last_process_;
}

std::optional<LaunchFields::Key> LaunchFields::key_of(CsvRecords& record, const Place& place) {
  Key key;
  if (columns_.process < record.size()) key.process = process_index(record.field(columns_.process));
  const std::string_view text = record.field(columns_.id);
  const std::optional<std::uint32_t> id = small_number(text);
  if (!id) {
    rows_->remarks().add(place, "ID", text, "is not the number of a launch; left out");
    return std::nullopt;
  }
  key.id = *id;
  return key;
}

void LaunchFields::set_number(CsvRecords& record, std::size_t column, Counter counter,
                              std::size_t row, std::string_view title, const Place& place) {
  const std::string_view text = record.field(column);
  const std::optional<std::uint32_t> number = small_number(text);
  if (number) {
    rows_->set(row, {counter, Quantity::kNone, 0}, *number);
    if (counter == Counter::kDevice) device_ = static_cast<std::int32_t>(*number & 0x7FFFFFFF);
  } else if (!text.empty()) {
    rows_->remarks().add(place, title, text, "is not a number");
  }
}

std::size_t LaunchFields::add(CsvRecords& record, std::uint32_t id, const Place& place) {
  const std::string_view name = record.field(columns_.name);
  const std::size_t row = rows_->add(id, name, place);
  if (name.empty()) rows_->remarks().add(place, "Kernel Name", {}, "the launch has no name");
  device_ = 0;
  device_of_row_ = row;
  set_number(record, columns_.context, Counter::kContext, row, "Context", place);
  set_number(record, columns_.stream, Counter::kStream, row, "Stream", place);
  set_number(record, columns_.device, Counter::kDevice, row, "Device", place);
  const auto shape = [&](std::size_t column, std::string_view title) -> LaunchShape {
    const std::string_view text = record.field(column);
    const std::optional<LaunchShape> read = parse_shape(text);
    if (!read && !text.empty()) rows_->remarks().add(place, title, text, "is not a launch size");
    return read.value_or(LaunchShape{});
  };
  rows_->set_grid(row, shape(columns_.grid, "Grid Size"));
  rows_->set_block(row, shape(columns_.block, "Block Size"));
  if (columns_.capability < record.size() && !rows_->knows_device(device_)) {
    rows_->device(device_).capability = sanitize_utf8(record.field(columns_.capability));
  }
  return row;
}

Result<std::optional<double>> LaunchFields::value(std::string_view text, const Unit& unit,
                                                  const NamedCounter& named,
                                                  std::string_view column, const Place& place) {
  const std::optional<double> nothing;
  Decimal decimal;
  switch (parse_decimal(text, decimal)) {
    case NumberText::kMissing:
      return nothing;
    case NumberText::kDecimalComma:
      return decimal_comma(place, column, text);
    case NumberText::kOther:
      rows_->remarks().add(place, column, text, "is not a number");
      return nothing;
    case NumberText::kNumber:
      break;
  }
  const bool fits = named.quantity == Quantity::kNone || unit.quantity == Quantity::kNone ||
                    unit.quantity == named.quantity;
  if (!fits) return nothing;
  return std::optional<double>(scaled(decimal, unit.power_of_ten));
}

}  // namespace strobe::readers
