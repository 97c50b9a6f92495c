#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strobe/agents/lab.h"

namespace strobe::agents {

// Answers that are written down beforehand, by route.
class ScriptedLab : public Lab {
 public:
  std::map<std::string, Result<std::string>, std::less<>> answers;
  Source source{.name = "a.json", .traces = {"a.json"}};
  std::function<void(const Watch&)> while_asked = nullptr;
  std::vector<std::pair<std::string, Parameters>> asked;

  Result<std::string> ask(std::string_view route, const Parameters& parameters,
                          const Watch& watch) override {
    asked.emplace_back(route, parameters);
    if (while_asked) while_asked(watch);
    const auto known = answers.find(route);
    if (known != answers.end()) return known->second;
    return Error{ErrorCode::kTooLittleData, "nothing was recorded", "a.json", "record more"};
  }
  Result<Source> find(const std::string& typed) override {
    if (typed != "nothing") return source;
    return Error{ErrorCode::kInvalidArgument, "there is no 'nothing'", "", "ask `open`"};
  }
  std::string page() const override { return "http://127.0.0.1:1/"; }
};

}  // namespace strobe::agents
