// Any bytes as a profile of the removed plugin: it is read or refused, its sums are finite, and the
// views answer with JSON.
#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/tensorboard/views.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using namespace strobe::tensorboard;

void check_answers(std::string_view json, const ProfileOptions& options) {
  const auto profile = read_profile(json, options);
  if (!profile) return;
  Run run{.name = "run", .profiles = {}};
  run.profiles.push_back(
      {.worker = "w",
       .span = "1",
       .profile = *profile,
       .read_text = [&]() -> strobe::Result<std::string> { return std::string(json); }});
  const auto shared = std::make_shared<const Run>(run);
  static simdjson::dom::parser parser;
  for (const std::string_view route : routes()) {
    const Parameters parameters{{"run", "run"},     {"worker", "w"},    {"span", "1"},
                                {"view", "Kernel"}, {"exp_run", "run"}, {"exp_worker", "w"},
                                {"exp_span", "1"},  {"op_name", "a"}};
    const Answer answered = answer(route, parameters, [&](std::string_view) { return shared; });
    // `trace` is the file's own text, which may contain what simdjson refuses.
    if (answered.status != 200 || route == "trace") continue;
    simdjson::dom::element document;
    const auto error = parser.parse(answered.body).get(document);
    // simdjson does not support very deep trees and very large whole numbers.
    FUZZ_CHECK(error == simdjson::SUCCESS || error == simdjson::DEPTH_ERROR ||
                   error == simdjson::NUMBER_ERROR,
               "answers are JSON");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  check_answers(json, {});
  check_answers(json, {.variant = Variant::kMluB,
                       .device_steps = true,
                       .link_by_nesting = true,
                       .driver_launches = true});
  return 0;
}
