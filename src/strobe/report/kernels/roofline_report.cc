#include "strobe/report/kernels/roofline_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/roofline_picture.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using analysis::KernelStudy;
using analysis::Roof;
using analysis::Roofline;
using analysis::RooflinePoint;
using analysis::RoofSource;

std::string_view roofline_source_words(RoofSource source) {
  switch (source) {
    case RoofSource::kDataSheet:
      return "data sheet";
    case RoofSource::kMeasured:
      return "measured";
    case RoofSource::kFile:
      return "the file";
  }
  return "";
}

constexpr double kNearlyAll = 0.995;

double share_of_time(const RooflinePoint& point, const KernelStudy& study) {
  return static_cast<double>(point.latency_ns) /
         static_cast<double>(std::max<std::int64_t>(study.totals.latency_ns, 1));
}

std::vector<std::string> roofline_verdict(const KernelStudy& study) {
  const Roofline& roofline = study.roofline;
  std::vector<std::string> sentences;
  if (!study.totals.headroom_ns()) {
    return {"This list has times but no counters, so kernels cannot be placed."};
  }
  if (!has_rates(roofline)) {
    sentences.push_back(
        "Operations and bytes of these kernels are not known, so they are shown by the share of "
        "the two peaks they reach.");
    return sentences;
  }
  double left = 0;
  double under_half = 0;
  double placed = 0;
  bool is_estimated = false;
  for (const RooflinePoint& point : roofline.points) {
    if (!point.flop_per_byte || !point.flop_per_s) continue;
    const double share = share_of_time(point, study);
    placed += share;
    is_estimated = is_estimated || point.flops_are_estimated;
    if (roofline.ridge_flop_per_byte && *point.flop_per_byte < *roofline.ridge_flop_per_byte) {
      left += share;
    }
    if (point.attainable_flop_per_s && *point.flop_per_s < 0.5 * *point.attainable_flop_per_s) {
      under_half += share;
    }
  }
  if (placed < kNearlyAll) {
    sentences.push_back(
        fmt::format("Kernels with {} of the time have known operations and bytes. The rest does no "
                    "matrix work or was not counted; it is in the second picture.",
                    percent_text(placed)));
  }
  if (roofline.ridge_flop_per_byte) {
    sentences.push_back(fmt::format(
        "The ridge is at {}: {} of all time is left of it, where DRAM sets the limit; {} is in "
        "kernels that reach less than half of what their roof allows.",
        intensity_text(roofline.ridge_flop_per_byte), percent_text(left),
        percent_text(under_half)));
  }
  if (is_estimated) {
    sentences.push_back(
        "Operations of the matrix pipe were not counted: rates marked ~ are upper bounds, "
        "estimated from its busy share and its peak.");
  }
  return sentences;
}

double placed_share(const KernelStudy& study) {
  double placed = 0;
  for (const RooflinePoint& point : study.roofline.points) {
    if (point.flop_per_byte && point.flop_per_s) placed += share_of_time(point, study);
  }
  return placed;
}

Section rate_section(const KernelStudy& study, const RooflinePage& page, std::size_t lettered) {
  Section section;
  section.key = "picture";
  section.title = "Roofline";
  section.is_remark = true;
  section.picture = rate_picture(study.roofline, lettered, page.columns);
  return section;
}

// A note if the roofline does not cover nearly all of the time.
Section share_section(const KernelStudy& study, const RooflinePage& page, std::size_t lettered) {
  Section section;
  section.key = "shares";
  section.title = "Shares of the peaks";
  section.is_remark = true;
  if (placed_share(study) < kNearlyAll) {
    section.picture = share_picture(study.roofline, lettered, page.columns);
  }
  return section;
}

Section roof_section(const Roofline& roofline) {
  Section section;
  if (!has_rates(roofline)) return section;
  section.key = "roofs";
  section.title = "Roofs";
  section.table.columns = {{"roof", "roof", ColumnType::kText, 9},
                           {"value", "at", ColumnType::kNumber, 8},
                           {"source", "says", ColumnType::kText, 7}};
  for (const Roof& roof : roofline.compute) {
    section.table.rows.push_back({{Text{std::string(roof.name())}, Text{flop_rate_text(roof.value)},
                                   Text{std::string(roofline_source_words(roof.source))}}});
  }
  for (const Roof& roof : roofline.memory) {
    section.table.rows.push_back({{Text{std::string(roof.name())}, Text{byte_rate_text(roof.value)},
                                   Text{std::string(roofline_source_words(roof.source))}}});
  }
  return section;
}

// "184": the column has the unit.
std::string intensity_number(const std::optional<double>& flop_per_byte) {
  const std::string text = intensity_text(flop_per_byte);
  return text.substr(0, text.find(' '));
}

Cell number_or_absent(const std::optional<double>& value, std::string text) {
  if (!value) return Absent{};
  return Text{std::move(text)};
}

std::optional<double> of_attainable(const RooflinePoint& point) {
  if (!point.flop_per_s || !point.attainable_flop_per_s) return std::nullopt;
  return *point.flop_per_s / *point.attainable_flop_per_s;
}

Section point_section(const KernelStudy& study, const RooflinePage& page, std::size_t shown) {
  Section section;
  section.key = "points";
  section.title = "Points";
  section.table.columns = {
      {.key = "mark", .header = "", .type = ColumnType::kText, .importance = 19, .least_width = 1},
      {.key = "kernel",
       .header = "kernel",
       .type = ColumnType::kName,
       .importance = 20,
       .least_width = 28},
      {"launches", "count", ColumnType::kCount, 6},
      {"total_ns", "total", ColumnType::kDuration, 12},
      {.key = "share",
       .header = "share",
       .type = ColumnType::kShare,
       .importance = 13,
       .share_of = "time of all launches"},
      {"tensor_share", "Tensor", ColumnType::kShare, 9},
      {"dram_share", "DRAM", ColumnType::kShare, 9},
      {"flop_per_byte", "FLOP/byte", ColumnType::kNumber, 11},
      {"flop_per_s", "rate", ColumnType::kNumber, 11},
      {.key = "of_attainable",
       .header = "of its\nroof",
       .type = ColumnType::kShare,
       .importance = 14,
       .share_of = "what its roof allows"},
      {"dram_rate", "DRAM rate", ColumnType::kNumber, 5},
      {"l2_rate", "L2 rate", ColumnType::kNumber, 4}};
  for (std::size_t i = 0; i < shown; ++i) {
    const RooflinePoint& point = study.roofline.points[i];
    section.table.rows.push_back(
        {{i < kMostLetters ? Cell{Text{std::string(1, letter_of(i))}} : Cell{Absent{}},
          Text{std::string(name_in(study.identities[point.identity], page.names))},
          Count{point.launches}, Duration{point.latency_ns}, Share{share_of_time(point, study)},
          percent_cell(point.tensor_percent), percent_cell(point.dram_percent),
          number_or_absent(point.flop_per_byte, intensity_number(point.flop_per_byte)),
          number_or_absent(point.flop_per_s, (point.flops_are_estimated ? "~" : "") +
                                                 flop_rate_text(point.flop_per_s)),
          share_cell(of_attainable(point)),
          number_or_absent(point.dram_bytes_per_s, (point.bytes_are_estimated ? "~" : "") +
                                                       byte_rate_text(point.dram_bytes_per_s)),
          number_or_absent(point.l2_bytes_per_s, byte_rate_text(point.l2_bytes_per_s))}});
  }
  const std::size_t more = study.roofline.points.size() - shown;
  section.table.rows_left_out = more;
  if (more > 0) section.table.left_out = fmt::format("{} more, without a letter", count_text(more));
  drop_empty_columns(section.table);
  return section;
}

std::vector<RooflinePoint> shown_points(const KernelStudy& study, const RooflinePage& page) {
  std::vector<RooflinePoint> points = study.roofline.points;
  if (page.top > 0 && points.size() > page.top) points.resize(page.top);
  return points;
}

void write_roofs(JsonWriter& json, std::string_view key, std::string_view unit,
                 const std::vector<Roof>& roofs) {
  write_rows(json, key, roofs, [&](JsonWriter& one, const Roof& roof) {
    one.member("name", roof.name()).member(unit, roof.value).member("source", word_of(roof.source));
  });
}

}  // namespace

std::string_view word_of(RoofSource source) {
  switch (source) {
    case RoofSource::kDataSheet:
      return "data_sheet";
    case RoofSource::kMeasured:
      return "measured";
    case RoofSource::kFile:
      return "file";
  }
  return "";
}

Document roofline_document(const KernelStudy& study, const RooflinePage& page) {
  const std::size_t points = study.roofline.points.size();
  const std::size_t shown = page.top == 0 ? points : std::min(page.top, points);
  Document document;
  document.schema = "strobe.kernels.roofline";
  document.title = fmt::format("strobe kernels roofline: {}",
                               std::filesystem::path(study.table->path).filename().string());
  document.verdict = roofline_verdict(study);
  document.facts = kernel_facts(study);
  document.sections = {rate_section(study, page, shown), share_section(study, page, shown),
                       point_section(study, page, shown), roof_section(study.roofline),
                       kernel_warning_section(study)};
  std::erase_if(document.sections, is_empty);
  return document;
}

std::string roofline_json(const KernelStudy& study, const RooflinePage& page) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.kernels.roofline").member("version", 1);
  write_kernel_source(json, study);
  write_texts(json, "warnings", study.warnings);
  write_roofs(json, "compute_roofs", "flop_per_s", study.roofline.compute);
  write_roofs(json, "memory_roofs", "bytes_per_s", study.roofline.memory);
  write_optional(json, "ridge_flop_per_byte", study.roofline.ridge_flop_per_byte);
  write_rows(json, "points", shown_points(study, page),
             [&](JsonWriter& one, const RooflinePoint& point) {
               one.member("name", name_in(study.identities[point.identity], page.names))
                   .member("family", word_of(study.identities[point.identity].family))
                   .member("launches", point.launches)
                   .member("latency_ns", point.latency_ns);
               write_optional(one, "tensor_percent", point.tensor_percent);
               write_optional(one, "dram_percent", point.dram_percent);
               write_optional(one, "flop_per_s", point.flop_per_s);
               write_optional(one, "flop_per_byte", point.flop_per_byte);
               write_optional(one, "attainable_flop_per_s", point.attainable_flop_per_s);
               write_optional(one, "dram_bytes_per_s", point.dram_bytes_per_s);
               write_optional(one, "l2_bytes_per_s", point.l2_bytes_per_s);
               one.member("flops_are_estimated", point.flops_are_estimated)
                   .member("bytes_are_estimated", point.bytes_are_estimated);
             });
  json.end_object();
  out += "\n";
  return out;
}

std::string roofline_csv(const KernelStudy& study, const RooflinePage& page) {
  std::string out =
      "name,family,launches,latency_ns,tensor_percent,dram_percent,flop_per_s,flop_per_byte,"
      "attainable_flop_per_s,dram_bytes_per_s,l2_bytes_per_s,flops_are_estimated,bytes_are_"
      "estimated\n";
  CsvWriter csv(out);
  for (const RooflinePoint& point : shown_points(study, page)) {
    const analysis::KernelIdentity& identity = study.identities[point.identity];
    csv.field(name_in(identity, page.names))
        .field(word_of(identity.family))
        .field(point.launches)
        .field(point.latency_ns)
        .field(point.tensor_percent)
        .field(point.dram_percent)
        .field(point.flop_per_s)
        .field(point.flop_per_byte)
        .field(point.attainable_flop_per_s)
        .field(point.dram_bytes_per_s)
        .field(point.l2_bytes_per_s)
        .field(point.flops_are_estimated)
        .field(point.bytes_are_estimated)
        .end_row();
  }
  return out;
}

}  // namespace strobe::report
