#include "strobe/tensorboard/variant.h"

#include <gtest/gtest.h>

namespace strobe::tensorboard {
namespace {

TEST(VariantTest, communication_names_are_exact) {
  EXPECT_EQ(comm_library("nccl:all_reduce", Variant::kGpu), CommLibrary::kNccl);
  EXPECT_EQ(comm_library("gloo:broadcast", Variant::kGpu), CommLibrary::kGloo);
  EXPECT_EQ(comm_library("nccl:_all_gather_base", Variant::kGpu), CommLibrary::kNone);
  EXPECT_EQ(comm_library("nccl:all_to_all", Variant::kGpu), CommLibrary::kNone);
  EXPECT_EQ(comm_library("cncl:all_reduce", Variant::kGpu), CommLibrary::kNone);
  EXPECT_EQ(comm_library("cncl:all_reduce", Variant::kMluA), CommLibrary::kCncl);
  EXPECT_EQ(comm_library("nccl:all_reduce", Variant::kMluA), CommLibrary::kNone);
}

TEST(VariantTest, data_loaders_are_known_by_both_ends_of_their_name) {
  EXPECT_TRUE(is_data_loader("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
  EXPECT_FALSE(is_data_loader("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__init__"));
  EXPECT_TRUE(is_data_loader("enumerate(DataPipe)#Mapper"));
}

TEST(VariantTest, each_variant_knows_its_own_runtime_categories) {
  const auto knows = [](Variant variant, Category category) {
    return type_of(category, {.variant = variant}) == EventType::kRuntime;
  };
  EXPECT_TRUE(knows(Variant::kGpu, Category::kMtiaRuntime));
  EXPECT_FALSE(knows(Variant::kGpu, Category::kMluRuntime));
  EXPECT_FALSE(knows(Variant::kMluA, Category::kCudaRuntime));
  EXPECT_TRUE(knows(Variant::kMluA, Category::kPrivateUse1Runtime));
  EXPECT_TRUE(knows(Variant::kMluB, Category::kMluRuntime));
  EXPECT_FALSE(knows(Variant::kMluB, Category::kPrivateUse1Runtime));
  EXPECT_TRUE(knows(Variant::kMluC, Category::kPrivateUse1Runtime));
}

}  // namespace
}  // namespace strobe::tensorboard
