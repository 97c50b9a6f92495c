#include "strobe/report/render/page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace strobe::report {
namespace {

TEST(PageTest, the_page_is_the_committed_bundle_to_the_byte) {
  std::ifstream file(STROBE_SOURCE_DIR "/web/dist/index.html", std::ios::binary);
  std::stringstream bundle;
  bundle << file.rdbuf();
  ASSERT_FALSE(bundle.str().empty());
  EXPECT_EQ(page_html(), bundle.str());
}

}  // namespace
}  // namespace strobe::report
