#include "strobe/cli/serve_request.h"

#include <gtest/gtest.h>

#include "strobe/device/probe.h"
#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

Result<ServeRequest> read_serve(const TypedFlags& flags,
                                const std::vector<std::string>& places = {"logs"}) {
  return typed_request(serve_flags, complete_serve, places, flags);
}

TEST(ServeRequestTest, without_flags_only_this_machine_is_served_from_half_its_memory) {
  const auto request = read_serve({});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->options.host, "127.0.0.1");
  EXPECT_EQ(request->options.port, 6007);
  EXPECT_EQ(request->options.path_prefix, "");
  EXPECT_FALSE(request->opens_browser);
  const auto total = static_cast<std::uint64_t>(device::probe_memory().total_bytes);
  EXPECT_GT(request->options.shelf.memory_bytes, 0u);
  EXPECT_LE(request->options.shelf.memory_bytes, total / 2);
}

TEST(ServeRequestTest, a_prefix_may_be_written_in_any_way) {
  for (const char* way : {"a/b", "/a/b", "/a/b/", "//a/b//"}) {
    EXPECT_EQ(read_serve({{"path-prefix", way}})->options.path_prefix, "/a/b") << way;
  }
  EXPECT_EQ(read_serve({{"path-prefix", "/"}})->options.path_prefix, "");
  EXPECT_EQ(read_serve({{"path-prefix", "a?b"}}).error().where, "--path-prefix");
  EXPECT_EQ(read_serve({{"path-prefix", "a b"}}).error().where, "--path-prefix");
}

TEST(ServeRequestTest, numbers_are_checked) {
  EXPECT_EQ(read_serve({{"port", "0"}})->options.port, 0);
  EXPECT_EQ(read_serve({{"port", "65536"}}).error().where, "--port");
  EXPECT_EQ(read_serve({{"port", "http"}}).error().where, "--port");
  EXPECT_EQ(read_serve({{"threads", "0"}}).error().where, "--threads");
  EXPECT_EQ(read_serve({{"memory", "lots"}}).error().where, "--memory");
  EXPECT_EQ(read_serve({{"memory", "2G"}})->options.shelf.memory_bytes, std::uint64_t{2} << 30);
}

TEST(ServeRequestTest, several_hosts_can_be_allowed) {
  EXPECT_EQ(read_serve({{"allow-host", "a,b"}, {"allow-host", "c"}})->options.allowed_hosts,
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ServeRequestTest, a_folder_is_needed) {
  const auto request = read_serve({}, {});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace strobe::cli
