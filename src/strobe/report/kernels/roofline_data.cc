#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/compare/compare_json_rows.h"
#include "strobe/report/kernels/kernel_json_launches.h"
#include "strobe/report/kernels/kernel_json_sums.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/roofline_report.h"
#include "strobe/report/render/render_csv.h"

namespace strobe::report {
namespace {

using analysis::KernelStudy;
using analysis::Roof;
using analysis::RooflinePoint;

std::vector<RooflinePoint> shown_points(const KernelStudy& study, const RooflinePage& page) {
  std::vector<RooflinePoint> points = study.roofline.points;
  if (page.top > 0 && points.size() > page.top) points.resize(page.top);
  return points;
}

void write_roofs(JsonWriter& json, std::string_view key, std::string_view unit,
                 const std::vector<Roof>& roofs) {
  write_rows(json, key, roofs, [&](JsonWriter& one, const Roof& roof) {
    one.member("name", roof.name).member(unit, roof.value).member("source", word_of(roof.source));
  });
}

}  // namespace

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
  for (const RooflinePoint& point : shown_points(study, page)) {
    const analysis::KernelIdentity& identity = study.identities[point.identity];
    out +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                    csv_field(std::string(name_in(identity, page.names))), word_of(identity.family),
                    point.launches, point.latency_ns, number_field(point.tensor_percent),
                    number_field(point.dram_percent), number_field(point.flop_per_s),
                    number_field(point.flop_per_byte), number_field(point.attainable_flop_per_s),
                    number_field(point.dram_bytes_per_s), number_field(point.l2_bytes_per_s),
                    point.flops_are_estimated ? 1 : 0, point.bytes_are_estimated ? 1 : 0);
  }
  return out;
}

}  // namespace strobe::report
