#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "strobe/tensorboard/memory_view.h"

namespace strobe::tensorboard {
namespace {

struct Corner {
  double time = 0;
  double allocated = 0;
};

Corner mean(std::span<const CurvePoint> points) {
  Corner sum;
  for (const CurvePoint& point : points) {
    sum.time += point.time;
    sum.allocated += point.allocated;
  }
  const double count = static_cast<double>(points.size());
  return {sum.time / count, sum.allocated / count};
}

double triangle(const CurvePoint& a, const CurvePoint& b, const Corner& c) {
  return 0.5 * std::abs((a.time - c.time) * (b.allocated - a.allocated) -
                        (a.time - b.time) * (c.allocated - a.allocated));
}

const CurvePoint& first_of_largest(std::span<const CurvePoint> bin, const CurvePoint& before,
                                   const Corner& after) {
  const CurvePoint* best = &bin.front();
  double best_area = triangle(before, *best, after);
  for (const CurvePoint& point : bin.subspan(1)) {
    const double area = triangle(before, point, after);
    if (area > best_area) {
      best = &point;
      best_area = area;
    }
  }
  return *best;
}

}  // namespace

std::vector<CurvePoint> thin_curve(std::vector<CurvePoint> points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t bins = most - 2;
  const std::span<const CurvePoint> inner(points.data() + 1, points.size() - 2);
  const std::size_t length = inner.size() / bins;
  const std::size_t longer = inner.size() % bins;  // this many bins, the first ones, have one more
  const auto bin = [&](std::size_t i) {
    const std::size_t begin = i * length + std::min(i, longer);
    return inner.subspan(begin, length + (i < longer ? 1 : 0));
  };

  std::vector<CurvePoint> thinned;
  thinned.reserve(most);
  thinned.push_back(points.front());
  for (std::size_t i = 0; i < bins; ++i) {
    const Corner after = i + 1 < bins ? mean(bin(i + 1)) : mean({&points.back(), 1});
    thinned.push_back(first_of_largest(bin(i), thinned.back(), after));
  }
  thinned.push_back(points.back());
  return thinned;
}

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

void write_curve_column(JsonWriter& json, std::string_view name, const MetricUnit& unit,
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
  write_curve_column(json, "Time", asked.time, "Time since the profile began.");
  write_curve_column(json, "Allocated", asked.memory, "Memory in use.");
  write_curve_column(json, "Reserved", asked.memory, "Memory the allocator holds, used or not.");
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
