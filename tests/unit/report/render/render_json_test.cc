#include "strobe/report/render/render.h"

#include <gmock/gmock.h>

#include "tests/unit/report/render/sample_document.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;

TEST(RenderJsonTest, a_document_for_tools) {
  Document document = sample_document();
  document.findings.resize(1);
  EXPECT_EQ(render_json(document), R"json({
  "schema": "strobe.sample",
  "version": 1,
  "facts": {
    "file": "run.json",
    "span_ns": 942000000,
    "slices": 31204
  },
  "findings": [
    {
      "code": "device_idle",
      "weight": "matters",
      "share": 0.9,
      "headline": "GPU busy 9.6 % of 942 ms",
      "advice": "launch less often",
      "against": []
    }
  ],
  "tables": {
    "kernels": {
      "title": "Kernels",
      "columns": [
        {"key":"kernel","type":"name"},
        {"key":"calls","type":"count"},
        {"key":"total_ns","type":"duration_ns"},
        {"key":"share","type":"share","share_of":"time of all kernels"},
        {"key":"peak_bytes","type":"bytes"},
        {"key":"max_ns","type":"duration_ns"}
      ],
      "rows": [
        {"kernel":"void ns::gemm<4>(int)","calls":1234,"total_ns":2000000,"share":0.6666666666666666,"peak_bytes":1536,"max_ns":9},
        {"kernel":"copy|\"x\",y","calls":1,"total_ns":1000000,"share":0.3333333333333333,"peak_bytes":null,"max_ns":null},
        {"kernel":"all","calls":1235,"total_ns":3000000,"share":1,"peak_bytes":null,"max_ns":null}
      ],
      "rows_left_out": 41,
      "notes": [
        "A note below."
      ]
    },
    "raw": {
      "title": "Raw",
      "columns": [
        {"key":"n","type":"count"}
      ],
      "rows": [
        {"n":7}
      ],
      "rows_left_out": 0,
      "notes": []
    }
  }
}
)json");
}

TEST(RenderJsonTest, tools_get_every_finding_and_section) {
  const std::string text = render_json(sample_document());
  EXPECT_THAT(text, HasSubstr("\"one too many\""));
  EXPECT_THAT(text, HasSubstr("\"raw\": {"));
  EXPECT_THAT(text, HasSubstr("{\"n\":7}"));
}

TEST(RenderJsonTest, names_of_any_bytes_stay_valid_json) {
  Document document = sample_document();
  document.sections[0].table.rows[0].cells[0] = Text{"a\"\\\n\x1b\xFF"};
  EXPECT_THAT(render_json(document), HasSubstr(R"("kernel":"a\"\\\n\u001b)"));
}

}  // namespace
}  // namespace strobe::report
