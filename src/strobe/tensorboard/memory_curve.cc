#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "strobe/tensorboard/curve_thinning.h"
#include "strobe/tensorboard/memory_question.h"

namespace strobe::tensorboard {
namespace {

struct Curve {
  std::vector<CurvePoint> points;
  double peak_bytes = 0;
};

std::map<std::string, Curve> draw_curves(const Profile& profile, const MemoryQuestion& asked) {
  std::map<std::string, Curve> curves;
  const Number first_ts = profile.events.first_ts();
  for (const MemoryRecord& record : profile.memory.all) {
    const MemoryArgs& args = record.args;
    if (!args.address || std::isnan(args.total_allocated) || std::isnan(args.total_reserved)) {
      continue;
    }
    Curve& curve = curves[any_memory_device(args, profile.rules())];
    const CurvePoint point{asked.show_time(record.ts - first_ts).value,
                           asked.show_bytes(args.total_allocated).value,
                           asked.show_bytes(args.total_reserved).value};
    if (!curve.points.empty()) {
      CurvePoint before = curve.points.back();
      before.time = point.time;
      curve.points.push_back(before);
    }
    curve.points.push_back(point);
    curve.peak_bytes = std::max(curve.peak_bytes, args.total_allocated);
  }
  return curves;
}

void write_unit_column(JsonWriter& json, std::string_view name, const MetricUnit& unit,
                       std::string_view tooltip) {
  json.begin_object();
  json.member("name", std::string(name).append(" (").append(unit.name).append(")"));
  json.member("type", "number").member("tooltip", tooltip).end_object();
}

}  // namespace

Answer answer_memory_curve(const Question& question) {
  const auto asked_or_refused = read_memory_question(question, "MB");
  if (const auto* refusal = std::get_if<Answer>(&asked_or_refused)) return *refusal;
  const auto& asked = std::get<MemoryQuestion>(asked_or_refused);
  const Profile& profile = question.profile;
  std::map<std::string, Curve> curves = draw_curves(profile, asked);
  std::vector<std::string> devices;
  for (const auto& [device, curve] : curves) devices.push_back(device);

  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  json.key("metadata").begin_object();
  json.member("default_device", default_memory_device(devices, profile.rules()));
  json.key("devices").begin_array();
  for (const std::string& device : devices) json.value(device);
  json.end_array();
  json.key("peaks").begin_object();
  for (const auto& [device, curve] : curves) {
    json.member(device, "Peak Memory Usage: " + fixed1(asked.show_bytes(curve.peak_bytes).value) +
                            std::string(asked.memory.name));
  }
  json.end_object();
  json.key("totals").begin_object().end_object();
  json.member("first_ts", profile.events.first_ts());
  json.member("time_metric", asked.time.name);
  json.member("memory_metric", asked.memory.name);
  json.member("time_factor", Number::real(asked.time.factor));
  json.member("memory_factor", Number::real(asked.memory.factor));
  json.end_object();
  json.key("columns").begin_array();
  write_unit_column(json, "Time", asked.time, "Time since the profile began.");
  write_unit_column(json, "Allocated", asked.memory, "Memory in use.");
  write_unit_column(json, "Reserved", asked.memory, "Memory the allocator holds, used or not.");
  json.end_array();
  json.key("rows").begin_object();
  const std::size_t most = profile.rules().most_curve_points;
  for (auto& [device, curve] : curves) {
    if (most > 0) curve.points = thin_curve(std::move(curve.points), most);
    json.key(device).begin_array();
    for (const CurvePoint& point : curve.points) {
      json.begin_array().value(Number::real(point.time)).value(Number::real(point.allocated));
      json.value(Number::real(point.reserved)).end_array();
    }
    json.end_array();
  }
  json.end_object().end_object();
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
