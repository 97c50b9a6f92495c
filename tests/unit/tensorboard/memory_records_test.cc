#include "strobe/tensorboard/memory_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/forest_sketch.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;

class MemoryRecordsTest : public ::testing::Test {
 protected:
  MemoryRecordsTest() : root_(sketch_.tree(1)) {}

  MemoryRecords place() { return place_memory_records(sketch_.links.forest, sketch_.events); }

  // "parent/operator" of each record.
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const MemoryRecord& record : place().all) {
      const auto text = [&](StringId id) {
        return id.valid() ? std::string(sketch_.events.text(id)) : std::string("-");
      };
      names.push_back(text(record.parent_name) + "/" + text(record.op_name));
    }
    return names;
  }

  static MemoryArgs at(std::int64_t address) {
    MemoryArgs args;
    args.address = address;
    return args;
  }

  ForestSketch sketch_;
  NodeId root_;
};

TEST_F(MemoryRecordsTest, a_record_belongs_to_the_innermost_operator_around_it) {
  const NodeId outer = sketch_.add(root_, "outer", 0, 100);
  sketch_.add(outer, "inner", 10, 20);
  sketch_.memory("1", 5, 64);
  sketch_.memory("1", 10, 64);
  sketch_.memory("1", 20, 64);
  EXPECT_THAT(names(), ElementsAre("CallTreeRoot/outer", "outer/inner", "CallTreeRoot/outer"));
}

TEST_F(MemoryRecordsTest, the_search_only_moves_forward) {
  // The second operator starts inside the first; once the first has been entered, the cursor is
  // past it only when it ends, and skips what ended by then.
  const NodeId outer = sketch_.add(root_, "outer", 0, 100);
  sketch_.add(outer, "a", 10, 30);
  sketch_.add(outer, "b", 20, 25);
  sketch_.memory("1", 22, 64);
  sketch_.memory("1", 40, 64);
  EXPECT_THAT(names(), ElementsAre("outer/a", "CallTreeRoot/outer"));
}

TEST_F(MemoryRecordsTest, a_record_before_the_tree_is_dropped_and_one_behind_it_drops_the_rest) {
  sketch_.add(root_, "a", 10, 20);
  sketch_.memory("1", 5, 64);
  sketch_.memory("1", 10, 64);
  sketch_.memory("1", 20, 64);
  sketch_.memory("1", 21, 64);
  EXPECT_THAT(names(), ElementsAre("-/-", "CallTreeRoot/a", "-/-", "-/-"));
}

TEST_F(MemoryRecordsTest, what_is_no_operator_owns_nothing) {
  const NodeId step = sketch_.step(root_, 1, 0, 100);
  sketch_.add(step, "a", 10, 20);
  sketch_.memory("1", 5, 64);
  sketch_.memory("1", 15, 64);
  EXPECT_THAT(names(), ElementsAre("-/-", "ProfilerStep#1/a"));
}

TEST_F(MemoryRecordsTest, nodes_on_the_way_are_visited_and_others_are_not) {
  const NodeId outer = sketch_.add(root_, "outer", 0, 100);
  const NodeId inner = sketch_.add(outer, "inner", 10, 20);
  const NodeId other = sketch_.add(outer, "other", 30, 40);
  sketch_.memory("1", 15, 64);
  sketch_.memory("1", 25, 64);
  const MemoryRecords records = place();
  EXPECT_TRUE(records.is_visited[root_.index()]);
  EXPECT_TRUE(records.is_visited[outer.index()]);
  EXPECT_TRUE(records.is_visited[inner.index()]);
  EXPECT_FALSE(records.is_visited[other.index()]);
}

TEST_F(MemoryRecordsTest, threads_written_as_text_match_no_tree) {
  sketch_.add(root_, "a", 10, 20);
  sketch_.memory("\"1\"", 15, 64);
  sketch_.memory("2", 15, 64);
  EXPECT_THAT(names(), ElementsAre("-/-", "-/-"));
}

TEST_F(MemoryRecordsTest, threads_are_searched_independently) {
  sketch_.add(root_, "a", 10, 20);
  sketch_.add(sketch_.tree(2), "b", 12, 30);
  sketch_.memory("1", 19, 64);
  sketch_.memory("2", 20, 64);
  sketch_.memory("1", 25, 64);
  sketch_.memory("2", 26, 64);
  EXPECT_THAT(names(), ElementsAre("CallTreeRoot/a", "CallTreeRoot/b", "-/-", "CallTreeRoot/b"));
}

TEST_F(MemoryRecordsTest, a_release_is_named_after_its_allocation_and_not_after_where_it_happens) {
  sketch_.add(root_, "a", 10, 20);
  sketch_.add(root_, "b", 20, 30);
  sketch_.memory("1", 15, 64, at(0x10));
  sketch_.memory("1", 25, -64, at(0x10));
  sketch_.memory("1", 26, -64, at(0x10));
  sketch_.memory("1", 27, -64);
  EXPECT_THAT(names(), ElementsAre("CallTreeRoot/a", "CallTreeRoot/a", "-/-", "-/-"));
  EXPECT_EQ(place().by_operator.size(), 2u) << "b holds the releases, without their names";
}

MemoryArgs device(std::int64_t type, std::int64_t id) {
  MemoryArgs args;
  args.device_type = type;
  args.device_id = id;
  return args;
}

TEST(MemoryDeviceTest, each_variant_names_the_device_types_it_knows) {
  const auto name = [](Variant variant, std::int64_t type) {
    return memory_device(device(type, 3), rules_of(variant));
  };
  EXPECT_EQ(name(Variant::kGpu, 0), "CPU");
  EXPECT_EQ(name(Variant::kGpu, 1), "GPU3");
  EXPECT_EQ(name(Variant::kGpu, 20), "");
  EXPECT_EQ(name(Variant::kMluA, 1), "");
  EXPECT_EQ(name(Variant::kMluA, 20), "MLU3");
  for (const Variant variant : {Variant::kMluB, Variant::kMluC}) {
    EXPECT_EQ(name(variant, 1), "GPU3");
    EXPECT_EQ(name(variant, 20), "MLU3");
  }
}

TEST(MemoryDeviceTest, devices_the_plugin_had_no_name_for_are_called_after_their_vendor) {
  const VariantRules& rules = rules_of(Variant::kGpu);
  EXPECT_EQ(any_memory_device(device(1, 0), rules), "GPU0");
  EXPECT_EQ(any_memory_device(device(6, 2), rules), "HIP2");
  EXPECT_EQ(any_memory_device(device(33, 2), rules), "Device33:2");
}

TEST(MemoryDeviceTest, the_default_device_is_the_first_accelerator_by_name) {
  const VariantRules& gpu = rules_of(Variant::kGpu);
  EXPECT_EQ(default_memory_device({"CPU", "GPU10", "GPU2"}, gpu), "GPU10");
  EXPECT_EQ(default_memory_device({"CPU"}, gpu), "CPU");
  EXPECT_EQ(default_memory_device({}, gpu), "CPU");
  EXPECT_EQ(default_memory_device({"CPU", "MLU1"}, rules_of(Variant::kMluA)), "MLU1");
}

}  // namespace
}  // namespace strobe::tensorboard
