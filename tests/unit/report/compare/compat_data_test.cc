#include "strobe/report/compare/compat_data.h"

#include <gtest/gtest.h>

#include <limits>

namespace strobe::report {
namespace {

compare::CompatComparison one_row() {
  compare::CompatRow row;
  row.function = "f<\"a\", b>";
  row.metric = "gpu_usage";
  row.device = "GPU 7";
  row.n_normal = 7;
  row.n_abnormal = 6;
  row.suspicion = 1.5;
  row.beta_normal = 0.1;
  row.p_mu = std::numeric_limits<double>::quiet_NaN();
  return {{"case", "1", {100.25, 300}}, {"case", "1", {200}}, {row}};
}

TEST(CompatDataTest, json_has_cycles_in_time_order_and_rows_at_full_precision) {
  EXPECT_EQ(
      compat_json(one_row()),
      R"({
  "cycles": {
    "normal": [
      100.25,
      300
    ],
    "abnormal": [
      200
    ]
  },
  "rows": [
    {"function":"f<\"a\", b>","metric":"gpu_usage","device":"GPU 7","n_normal":7,"n_abnormal":6,)"
      R"("suspicion":1.5,"beta_normal":0.1,"beta_abnormal":0,"dbeta":0,"z_beta":0,"p_beta":1,)"
      R"("u_beta":1,"mu_normal":0,"mu_abnormal":0,"dmu":0,"z_mu":0,"z_log_mu":0,"p_mu":"nan",)"
      R"("u_mu":1}
  ]
}
)");
}

TEST(CompatDataTest, csv_has_the_same_keys_and_quotes_texts) {
  EXPECT_EQ(compat_csv(one_row()),
            "function,metric,device,n_normal,n_abnormal,suspicion,beta_normal,beta_abnormal,dbeta,"
            "z_beta,p_beta,u_beta,mu_normal,mu_abnormal,dmu,z_mu,z_log_mu,p_mu,u_mu\n"
            "\"f<\"\"a\"\", b>\",\"gpu_usage\",\"GPU 7\",7,6,1.5,0.1,0,0,0,1,1,0,0,0,0,0,nan,1\n");
}

}  // namespace
}  // namespace strobe::report
