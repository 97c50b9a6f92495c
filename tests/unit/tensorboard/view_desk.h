#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/tensorboard/views.h"

namespace strobe::tensorboard {

// Events of a trace file, one call each.
class TraceLines {
 public:
  TraceLines& x(std::string_view category, std::string_view name, double ts, double dur,
                std::string_view args = "", std::string_view tid = "1",
                std::string_view pid = "100") {
    return line(std::string(R"({"ph":"X","cat":")") + std::string(category) + R"(","name":")" +
                std::string(name) + R"(","pid":)" + std::string(pid) + R"(,"tid":)" +
                std::string(tid) + R"(,"ts":)" + number(ts) + R"(,"dur":)" + number(dur) +
                R"(,"args":{)" + std::string(args) + "}}");
  }
  TraceLines& op(std::string_view name, double ts, double dur, std::string_view args = "",
                 std::string_view tid = "1") {
    return x("cpu_op", name, ts, dur, args, tid);
  }
  TraceLines& step(int step_number, double ts, double dur) {
    return x("user_annotation", "ProfilerStep#" + std::to_string(step_number), ts, dur);
  }
  // An operator that launches one kernel.
  TraceLines& launch(std::string_view name, double ts, double dur, std::string_view kernel,
                     double kernel_ts, double kernel_dur, std::string_view tid = "1") {
    ++launches_;
    const std::string ids = R"("External id":)" + std::to_string(launches_) + R"(,"correlation":)" +
                            std::to_string(launches_);
    op(name, ts, dur, R"("External id":)" + std::to_string(launches_), tid);
    x("cuda_runtime", "cudaLaunchKernel", ts + 1, 1, ids, tid);
    return x("kernel", kernel, kernel_ts, kernel_dur, ids + R"(,"device":0)", "7", "0");
  }
  TraceLines& memory(double ts, std::int64_t address, double bytes, int device_type, int device_id,
                     std::string_view more = "") {
    return line(R"({"ph":"i","s":"t","name":"[memory]","pid":100,"tid":1,"ts":)" + number(ts) +
                R"(,"args":{"Device Type":)" + std::to_string(device_type) + R"(,"Device Id":)" +
                std::to_string(device_id) + R"(,"Addr":)" + std::to_string(address) +
                R"(,"Bytes":)" + number(bytes) + std::string(more) + "}}");
  }
  TraceLines& frame(std::string_view name, double ts, double dur, int id, std::string_view parent,
                    std::string_view module_id = "null") {
    return x("python_function", name, ts, dur,
             R"("Python id":)" + std::to_string(id) + R"(,"Python parent id":)" +
                 std::string(parent) + R"(,"Python module id":)" + std::string(module_id));
  }
  TraceLines& line(std::string_view json) {
    if (!lines_.empty()) lines_ += ",\n";
    lines_ += json;
    return *this;
  }

  std::string text(std::string_view header = "") const {
    return "{" + std::string(header) + "\"traceEvents\":[" + lines_ + "]}";
  }

 private:
  static std::string number(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<double>(whole) == value ? std::to_string(whole) : std::to_string(value);
  }

  std::string lines_;
  int launches_ = 0;
};

inline std::shared_ptr<const Profile> profile_of(const TraceLines& lines) {
  auto profile = read_profile(lines.text());
  EXPECT_TRUE(profile);
  return *profile;
}

// Requests views in tests: one run called "run", workers as they were added, span "1".
class ViewDesk {
 public:
  void add(std::string worker, const std::string& json, const ProfileOptions& options = {}) {
    auto profile = read_profile(json, options);
    ASSERT_TRUE(profile) << profile.error().what;
    run_->profiles.push_back({std::move(worker), "1", std::move(*profile),
                              [json]() -> Result<std::string> { return json; }});
  }

  // Of the first worker; `more` is added to the parameters.
  Answer ask(std::string_view route, Parameters more = {}) const {
    Parameters parameters{{"run", "run"}, {"worker", run_->profiles.front().worker}, {"span", "1"}};
    for (auto& [name, value] : more) parameters[name] = value;
    const std::shared_ptr<const Run> run = run_;
    return answer(route, parameters, [&](std::string_view name) {
      return name == "run" ? run : std::shared_ptr<const Run>();
    });
  }
  std::string body(std::string_view route, Parameters more = {}) const {
    return ask(route, std::move(more)).body;
  }

 private:
  std::shared_ptr<Run> run_ = std::make_shared<Run>(Run{"run", {}});
};

// The value of the first member of that name, unchanged.
inline std::string member(std::string_view json, std::string_view name) {
  const std::string quoted = "\"" + std::string(name) + "\": ";
  const std::size_t at = json.find(quoted);
  if (at == std::string_view::npos) return "no member " + std::string(name);
  std::string_view rest = json.substr(at + quoted.size());
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (--depth < 0) return std::string(rest.substr(0, i));
    } else if (c == ',' && depth == 0) {
      return std::string(rest.substr(0, i));
    }
  }
  return std::string(rest);
}

}  // namespace strobe::tensorboard
