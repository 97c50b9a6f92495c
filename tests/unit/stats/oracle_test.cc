#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "strobe/stats/effect.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/rank_test.h"

// Every statistic, compared with results of other programs and 60-digit arithmetic.
namespace strobe::stats {
namespace {

using simdjson::dom::element;

constexpr double kOfStatistic = 1e-10;
constexpr double kOfP = 1e-9;

// "nan", "inf" and "-inf" are strings; a missing value is null.
double number_of(element value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value.is_string()) return std::stod(std::string(std::string_view(value)));
  return double(value);
}

std::vector<double> numbers_of(element array) {
  std::vector<double> numbers;
  for (const element value : array.get_array()) numbers.push_back(number_of(value));
  return numbers;
}

std::vector<double> sample_of(element array) {
  std::vector<double> sample = numbers_of(array);
  std::erase_if(sample, [](double value) { return std::isnan(value); });
  return sample;
}

class Case {
 public:
  explicit Case(element json) : id_(std::string_view(json["id"])), json_(json) {}

  std::string kind() const { return std::string(std::string_view(json_["kind"])); }
  element input(const char* key) const { return json_["input"][key]; }
  bool expects(const char* key) const { return json_["expect"][key].error() == simdjson::SUCCESS; }
  element expected(const char* key) const { return json_["expect"][key]; }
  std::size_t expectations() const { return json_["expect"].get_object().size(); }
  std::size_t compared() const { return compared_; }
  const std::string& id() const { return id_; }

  void compare(const char* key, double actual, double tolerance) {
    ASSERT_TRUE(expects(key)) << id_ << " knows no " << key;
    compare(key, actual, number_of(expected(key)), tolerance);
    ++compared_;
  }

  void compare(const char* key, double actual, double wanted, double tolerance) const {
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(actual)) << id_ << " " << key << " is " << actual;
    } else if (std::isinf(wanted)) {
      EXPECT_EQ(actual, wanted) << id_ << " " << key;
    } else {
      EXPECT_NEAR(actual, wanted, tolerance * std::abs(wanted) + 1e-300) << id_ << " " << key;
    }
  }

 private:
  std::string id_;
  element json_;
  std::size_t compared_ = 0;
};

double p_of_enough(std::size_t n1, std::size_t n2, double p) { return n1 < 2 || n2 < 2 ? 1 : p; }

void check_welch(Case& c) {
  const Moments x = moments_of(sample_of(c.input("x")));
  const Moments y = moments_of(sample_of(c.input("y")));
  const MeanTest test = welch_test(x, y);
  c.compare("n1", static_cast<double>(x.n), 0);
  c.compare("n2", static_cast<double>(y.n), 0);
  c.compare("t", test.t, kOfStatistic);
  c.compare("df", test.degrees, kOfStatistic);
  c.compare("p", test.p, kOfP);
  c.compare("p_compat", p_of_enough(x.n, y.n, test.p), kOfP);
  EXPECT_EQ(c.compared(), c.expectations()) << c.id();
}

void check_mwu(Case& c) {
  const std::vector<double> x = sample_of(c.input("x"));
  const std::vector<double> y = sample_of(c.input("y"));
  const RankEffort unlimited{std::numeric_limits<std::size_t>::max(),
                             std::numeric_limits<std::size_t>::max()};
  const RankTest automatic = rank_test_automatic(x, y);
  c.compare("p_auto", automatic.p, kOfP);
  c.compare("p_compat", p_of_enough(x.size(), y.size(), automatic.p), kOfP);
  if (x.empty() || y.empty()) {
    EXPECT_EQ(automatic.method, RankMethod::kNone) << c.id();
    EXPECT_EQ(c.expectations(), 2u) << c.id();
    return;
  }
  c.compare("n1", static_cast<double>(x.size()), 0);
  c.compare("n2", static_cast<double>(y.size()), 0);
  c.compare("U1", automatic.u_first, kOfStatistic);
  c.compare("U2", automatic.u_second, kOfStatistic);
  EXPECT_EQ(automatic.has_ties, bool(c.expected("ties"))) << c.id();
  c.compare("p_asymptotic_cc", rank_test(x, y, {0, 0}).p, kOfP);
  std::size_t counted = 0;
  const RankTest test = rank_test(x, y, unlimited);
  if (c.expects("p_exact")) {
    EXPECT_EQ(test.method, RankMethod::kExact) << c.id();
    RankCounts counts;
    c.compare("p_exact", rank_test(x, y, unlimited, &counts).p, kOfP);
    ++counted;
  }
  if (c.expects("p_permutation")) {
    c.compare("p_permutation", test.p, kOfP);
    ++counted;
  }
  // With p_asymptotic_nocc, which is without the correction for continuity.
  EXPECT_EQ(c.expectations(), 9 + counted) << c.id();
}

void check_zscore(Case& c) {
  const std::vector<double> x = sample_of(c.input("x"));
  const std::vector<double> y = sample_of(c.input("y"));
  const Moments first = moments_of(x);
  const Moments second = moments_of(y);
  const double z = z_score(first, second);
  const double z_log = z_score(moments_of(log1p_of(x)), moments_of(log1p_of(y)));
  c.compare("mean1", first.mean, kOfStatistic);
  c.compare("mean2", second.mean, kOfStatistic);
  c.compare("sd1", first.deviation, kOfStatistic);
  c.compare("z", z, kOfStatistic);
  c.compare("z_log1p", z_log, kOfStatistic);
  c.compare("z_floor", z_floored(first, second), kOfStatistic);
  c.compare("suspicion_if_beta_is_x_y",
            std::abs(second.mean - first.mean) * (std::abs(z) + std::abs(z_log)), kOfStatistic);
  EXPECT_EQ(c.compared(), c.expectations()) << c.id();
}

void check_effect(Case& c) {
  const std::vector<double> x = sample_of(c.input("x"));
  const std::vector<double> y = sample_of(c.input("y"));
  const RankTest test = rank_test(x, y);
  c.compare("cliffs_delta", (test.u_second - test.u_first) / (test.u_second + test.u_first),
            kOfStatistic);
  c.compare("hodges_lehmann", shift_between(x, y).shift, kOfStatistic);
  c.compare("a12", test.u_second / static_cast<double>(x.size() * y.size()), kOfStatistic);
  EXPECT_EQ(c.compared(), c.expectations()) << c.id();
}

void check_bh(Case& c) {
  const std::vector<double> q = adjusted_p(numbers_of(c.input("p")));
  const std::vector<double> wanted = numbers_of(c.expected("q"));
  ASSERT_EQ(q.size(), wanted.size()) << c.id();
  for (std::size_t i = 0; i < q.size(); ++i) c.compare("q", q[i], wanted[i], kOfP);
}

void check_normal(Case& c) { c.compare("p", normal_tails(number_of(c.input("z"))), kOfP); }

void check_student_tails(Case& c) {
  c.compare("p", student_tails(number_of(c.input("t")), number_of(c.input("df"))), kOfP);
}

struct Kind {
  std::function<void(Case&)> check;  // none: not for this folder
  std::size_t cases;
};

const std::map<std::string, Kind> kKinds = {
    {"welch", {check_welch, 60}},
    {"student", {nullptr, 40}},  // a test that strobe does not have
    {"mwu", {check_mwu, 77}},
    {"zscore", {check_zscore, 19}},
    {"effect", {check_effect, 24}},
    {"bh", {check_bh, 21}},
    {"normal_sf2", {check_normal, 10}},
    {"student_t_sf2", {check_student_tails, 17}},
    {"cell_g", {nullptr, 38}},
    {"cell_thousands", {nullptr, 9}},
    {"cell_signed_percent", {nullptr, 6}},
    {"md_table", {nullptr, 4}},
};

TEST(OracleTest, every_case_of_every_kind_is_answered_alike) {
  const std::filesystem::path path = STROBE_SOURCE_DIR "/../shared/data/stats_oracle.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the oracle is not on this machine";
  simdjson::dom::parser parser;
  const element oracle = parser.load(path.string());
  std::map<std::string, std::size_t> seen;
  for (const element json : oracle["cases"].get_array()) {
    Case c(json);
    const auto kind = kKinds.find(c.kind());
    ASSERT_NE(kind, kKinds.end()) << c.id() << " is of an unknown kind, " << c.kind();
    ++seen[kind->first];
    if (kind->second.check) kind->second.check(c);
  }
  std::size_t cases = 0;
  for (const auto& [name, kind] : kKinds) {
    EXPECT_EQ(seen[name], kind.cases) << name;
    cases += kind.cases;
  }
  EXPECT_EQ(cases, std::uint64_t(oracle["count"]));
}

}  // namespace
}  // namespace strobe::stats
