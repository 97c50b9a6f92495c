#include "strobe/serve/fleet_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "strobe/base/json_value.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/report/fleet/job_report.h"
#include "strobe/report/render/render.h"
#include "tests/support/job_sketch.h"

namespace strobe::serve {
namespace {

using fleet::planned_job;
using fleet::RankDigest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::int64_t kOrigin_ns = 1'699'999'999'000'000'000;  // of all traces, by their own clock

FirstSteps first_steps_of(const std::vector<RankDigest>& digests) {
  FirstSteps first;
  for (const RankDigest& digest : digests) {
    first[digest.file] = digest.steps.front().interval.start_ns - kOrigin_ns;
  }
  return first;
}

ServedJob served(const std::vector<RankDigest>& digests, bool align = true) {
  return {{.name = "run", .align = align, .generation = 7}, digests, first_steps_of(digests)};
}

std::vector<std::int64_t> numbers_in(const JsonValue& list) {
  std::vector<std::int64_t> numbers;
  for_each_element(list.text, [&](const JsonValue& one) { numbers.push_back(*one.as_int64()); });
  return numbers;
}

std::vector<JsonValue> elements_of(const JsonValue& list) {
  std::vector<JsonValue> elements;
  EXPECT_TRUE(for_each_element(list.text, [&](const JsonValue& one) { elements.push_back(one); }));
  return elements;
}

std::int64_t number(const JsonValue& object, std::string_view key) {
  return find(object.text, key).as_int64().value_or(-1);
}

TEST(FleetAnswerTest, the_document_is_the_json_of_the_command) {
  const auto digests = planned_job({});
  const ServedJob job = served(digests);
  const fleet::Job expected = fleet::make_job(digests);
  std::string json = report::render_json(
      report::job_document(expected, fleet::find_stragglers(expected),
                           {.path = "run", .unreadable = {}, .for_tools = true}));
  json.resize(json.find_last_not_of('\n') + 1);
  EXPECT_EQ(find(*job.body(), "document").text, json);
  EXPECT_EQ(find(*job.body(), "generation").as_int64(), 7);
}

TEST(FleetAnswerTest, each_rank_has_its_steps_since_the_first_of_all) {
  const auto digests = planned_job({.ranks = 2, .steps = 2, .calls = 1});
  const ServedJob job = served(digests);
  EXPECT_EQ(find(*job.body(), "step_names").text, R"(["ProfilerStep#0","ProfilerStep#1"])");
  const auto ranks = elements_of(find(*job.body(), "ranks"));
  ASSERT_THAT(ranks, SizeIs(2));
  EXPECT_EQ(number(ranks[1], "rank"), 1);
  EXPECT_EQ(find(ranks[1].text, "trace").as_string(), "rank1.json");
  EXPECT_EQ(find(ranks[1].text, "host").type, JsonType::kNull);
  // 10 us, the work, the transfer and 5 us.
  EXPECT_THAT(numbers_in(find(ranks[0].text, "steps")),
              ElementsAre(0, 1'115'000, 1'115'000, 2'230'000));
}

// What the answer says of a clock, and what the job does with times of it.
TEST(FleetAnswerTest, a_clock_leads_from_a_trace_to_the_job) {
  auto digests = planned_job({.ranks = 3, .steps = 8, .noise_ns = 20'000});
  const std::int64_t start_ns = digests[0].steps.front().interval.start_ns;
  fleet::set_clock(digests[1], start_ns, 7'000'000, 40e-6);
  fleet::set_clock(digests[2], start_ns, -3'000'000, -25e-6);
  for (const bool align : {true, false}) {
    const ServedJob job = served(digests, align);
    const auto ranks = elements_of(find(*job.body(), "ranks"));
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const JsonValue clock = find(ranks[rank].text, "clock");
      const double gains = *find(clock.text, "gains_ppm").as_double();
      EXPECT_EQ(std::abs(gains) > 10, rank > 0 && align) << gains;
      for (const std::int64_t t_ns : {std::int64_t{0}, std::int64_t{900'000'000},
                                      std::int64_t{1'000'000'000}, std::int64_t{5'000'000'000}}) {
        const double in_job_ns =
            static_cast<double>(number(clock, "job_ns")) +
            static_cast<double>(t_ns - number(clock, "trace_ns")) * (1 - gains / 1e6);
        const std::int64_t common_ns = job.job().clocks.common_ns(rank, kOrigin_ns + t_ns);
        EXPECT_NEAR(in_job_ns, static_cast<double>(common_ns - job.origin_ns()), 2)
            << rank << " at " << t_ns;
      }
    }
  }
}

TEST(FleetAnswerTest, exchanges_have_the_parts_of_their_ranks) {
  const ServedJob job = served(planned_job({.ranks = 2, .steps = 2, .calls = 1}));
  const auto answer =
      exchanges_answer(Query({{"start_ns", "0"}, {"end_ns", "1115000"}, {"columns", "1000"}}), job);
  ASSERT_TRUE(answer) << answer.error().what;
  // Both arrive after 10 us and the work.
  EXPECT_EQ(*answer,
            R"({"generation":7,"kinds":[{"kind":"all_reduce","group":"default_pg: 2 ranks",)"
            R"("bytes":1048576,"runs_on":"device"}],"exchanges":[{"kind":0,"sequence":100,)"
            R"("step":0,"parts":[0,1010000,100000,0,1,1010000,100000,0]}],"narrower":0})");
}

TEST(FleetAnswerTest, exchanges_of_chosen_ranks_and_wide_enough) {
  const ServedJob job = served(planned_job({.ranks = 4, .steps = 2, .calls = 3}));
  const auto ask = [&](Query::Parameters more) {
    more.insert({{"start_ns", "0"}, {"end_ns", "100000000"}});
    return *exchanges_answer(Query(std::move(more)), job);
  };
  const std::string all = ask({{"columns", "8192"}});
  EXPECT_THAT(elements_of(find(all, "exchanges")), SizeIs(6));
  const std::string chosen = ask({{"columns", "8192"}, {"ranks", "3,1"}});
  for (const JsonValue& exchange : elements_of(find(chosen, "exchanges"))) {
    const auto parts = numbers_in(find(exchange.text, "parts"));
    ASSERT_THAT(parts, SizeIs(8));
    EXPECT_EQ(parts[0], 1);
    EXPECT_EQ(parts[4], 3);
  }
  const std::string wide = ask({{"columns", "100"}});  // of 1 ms each
  EXPECT_THAT(elements_of(find(wide, "exchanges")), SizeIs(0));
  EXPECT_EQ(find(wide, "kinds").text, "[]");
  EXPECT_EQ(find(wide, "narrower").as_int64(), 6);
}

TEST(FleetAnswerTest, an_answer_has_at_most_25000_parts) {
  const ServedJob job = served(planned_job({.ranks = 8, .steps = 4, .calls = 1000}));
  const auto answer = exchanges_answer(
      Query({{"start_ns", "0"}, {"end_ns", "10000000000"}, {"columns", "8192"}}), job);
  ASSERT_TRUE(answer);
  // Each exchange is 100 us long and a column 1.2 ms, so none is wide.
  EXPECT_EQ(find(*answer, "narrower").as_int64(), 4000);
  const auto near = exchanges_answer(
      Query({{"start_ns", "0"}, {"end_ns", "5000000000"}, {"columns", "8192"}}),
      served(planned_job(
          {.ranks = 8, .steps = 4, .calls = 1000, .work_ns = 1000, .transfer_ns = 1'000'000})));
  ASSERT_TRUE(near);
  EXPECT_EQ(elements_of(find(*near, "exchanges")).size() * 8, 25'000u);
  EXPECT_EQ(find(*near, "narrower").as_int64(), 4000 - 25'000 / 8);
}

TEST(FleetAnswerTest, what_is_not_known_is_null) {
  auto digests = planned_job({.ranks = 2, .steps = 1, .calls = 1, .has_sequences = false});
  for (RankDigest& digest : digests) {
    digest.calls[0].bytes = 0;
    digest.host = "node1";
    const std::int64_t start_ns = digest.calls[0].interval.start_ns;
    digest.steps[0].interval.end_ns = start_ns - 1;  // the call is in no step
  }
  const ServedJob job = served(digests);
  const auto answer = exchanges_answer(
      Query({{"start_ns", "0"}, {"end_ns", "10000000"}, {"columns", "1000"}}), job);
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr(R"("bytes":null)"));
  EXPECT_THAT(*answer, HasSubstr(R"("sequence":null,"step":null)"));
  EXPECT_THAT(*job.body(), HasSubstr(R"("host":"node1")"));
}

TEST(FleetAnswerTest, ranks_without_a_common_step_still_have_a_clock) {
  auto digests = planned_job({.ranks = 2, .steps = 2, .calls = 1});
  for (fleet::DigestStep& step : digests[1].steps) step.name += " of another time";
  fleet::set_clock(digests[1], 0, 100'000'000'000, 0);
  const ServedJob job = served(digests, false);
  EXPECT_EQ(find(*job.body(), "step_names").text, "[]");
  const auto ranks = elements_of(find(*job.body(), "ranks"));
  EXPECT_EQ(find(ranks[0].text, "steps").text, "[]");
  EXPECT_EQ(number(find(ranks[0].text, "clock"), "job_ns"), -1'010'000) << "0: the first exchange";
  for (RankDigest& digest : digests) digest.calls.clear();
  const ServedJob silent = served(digests, false);
  const auto alone = elements_of(find(*silent.body(), "ranks"));
  EXPECT_EQ(number(find(alone[0].text, "clock"), "job_ns"), 0);
}

TEST(FleetAnswerTest, wrong_parameters_are_named) {
  const ServedJob job = served(planned_job({}));
  const Query::Parameters right = {{"start_ns", "0"}, {"end_ns", "100"}, {"columns", "8"}};
  EXPECT_TRUE(exchanges_answer(Query(right), job));
  const auto error = [&](const std::string& name, const std::string& value) {
    Query::Parameters wrong = right;
    wrong.erase(name);
    if (!value.empty()) wrong.emplace(name, value);
    const auto answer = exchanges_answer(Query(wrong), job);
    EXPECT_FALSE(answer) << name << "=" << value;
    EXPECT_EQ(answer.error().where, name);
    return answer.error().code;
  };
  for (const char* columns : {"0", "-1", "8193", "99999999999999999999", "x", ""}) {
    EXPECT_EQ(error("columns", columns), ErrorCode::kInvalidArgument);
  }
  for (const char* end : {"0", "-5", "9223372036854775807", "1e9", ""}) {
    EXPECT_EQ(error("end_ns", end), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(error("start_ns", "-9223372036854775808"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error("ranks", "0,x"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error("ranks", "0,99"), ErrorCode::kNotFound);
  EXPECT_EQ(error("ranks", "-1"), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace strobe::serve
