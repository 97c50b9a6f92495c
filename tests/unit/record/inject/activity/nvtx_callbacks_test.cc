#include "strobe/record/inject/activity/nvtx_callbacks.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/unit/record/inject/activity/nvtx_written_file.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#define STROBE_HAVE_NVTX_HEADER 1
#endif

namespace strobe::record {
namespace {

using wire::PayloadType;
using wire::RangeWhat;

#ifdef STROBE_HAVE_NVTX_HEADER
// Our own declarations are those of the vendor.
static_assert(sizeof(NvtxAttributes) == sizeof(nvtxEventAttributes_t));
static_assert(offsetof(NvtxAttributes, category) == offsetof(nvtxEventAttributes_t, category));
static_assert(offsetof(NvtxAttributes, payload_type) ==
              offsetof(nvtxEventAttributes_t, payloadType));
static_assert(offsetof(NvtxAttributes, payload) == offsetof(nvtxEventAttributes_t, payload));
static_assert(offsetof(NvtxAttributes, message_type) ==
              offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(NvtxAttributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(sizeof(NvtxCallbackTable) == sizeof(NvtxExportTableCallbacks));
static_assert(kNvtxCallbacks == NVTX_ETID_CALLBACKS);
static_assert(static_cast<int>(NvtxModule::kCore) == NVTX_CB_MODULE_CORE);
static_assert(static_cast<int>(NvtxModule::kCore2) == NVTX_CB_MODULE_CORE2);
static_assert(static_cast<int>(NvtxMessageType::kRegistered) == NVTX_MESSAGE_TYPE_REGISTERED);
static_assert(static_cast<int>(NvtxPayloadType::kReal32) == NVTX_PAYLOAD_TYPE_FLOAT);
static_assert(int{kNvtxRangePushEx} == NVTX_CBID_CORE_RangePushEx);
static_assert(int{kNvtxNameOsThreadW} == NVTX_CBID_CORE_NameOsThreadW);
static_assert(int{kNvtxDomainRangePop} == NVTX_CBID_CORE2_DomainRangePop);
static_assert(int{kNvtxDomainNameCategoryA} == NVTX_CBID_CORE2_DomainNameCategoryA);
static_assert(int{kNvtxInitialize} == NVTX_CBID_CORE2_Initialize);
#endif

// A copy of NVTX: the pointers that a program calls through, and the tables that lead to them.
struct NvtxCopy {
  std::array<NvtxFunction, 16> core = {};
  std::array<NvtxFunction, 16> core2 = {};
  std::array<NvtxFunction*, 17> core_table = {};
  std::array<NvtxFunction*, 17> core2_table = {};
  NvtxCallbackTable callbacks = {};

  NvtxCopy() {
    for (std::size_t i = 1; i < core.size(); ++i) {
      core_table[i] = &core[i];
      core2_table[i] = &core2[i];
    }
    callbacks = {sizeof(NvtxCallbackTable), functions_of};
  }
  static int functions_of(std::int32_t module, NvtxFunction*** functions, unsigned* count);
  static const void* tables(std::uint32_t which);

  template <class Function>
  Function* call(unsigned number) const {
    return reinterpret_cast<Function*>(core.at(number));
  }
  template <class Function>
  Function* call2(unsigned number) const {
    return reinterpret_cast<Function*>(core2.at(number));
  }
};

NvtxCopy* the_copy = nullptr;

int NvtxCopy::functions_of(std::int32_t module, NvtxFunction*** functions, unsigned* count) {
  *count = 16;
  *functions = module == 1 ? the_copy->core_table.data() : the_copy->core2_table.data();
  return module == 1 || module == 5 ? 1 : 0;
}

const void* NvtxCopy::tables(std::uint32_t which) {
  return which == kNvtxCallbacks ? &the_copy->callbacks : nullptr;
}

// What is attached stays attached: its parts live as long as the process.
struct AttachedRanges {
  testing::TemporaryFolder folder;
  wire::RunFileWriter file;
  ThreadNumbers threads{file};
  NvtxRanges ranges;
};

class NvtxCallbacksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    the_copy = &copy_;
    static std::vector<std::unique_ptr<AttachedRanges>> all;
    attached_ = all.emplace_back(std::make_unique<AttachedRanges>()).get();
    ASSERT_TRUE(attached_->file.open((attached_->folder / "1.strobe").string()));
    attached_->ranges.open(attached_->file, attached_->threads, false);
    ASSERT_TRUE(attach_nvtx(attached_->ranges, NvtxCopy::tables));
  }
  WrittenFile written() {
    attached_->ranges.finish();
    attached_->file.close();
    return read_written(attached_->folder / "1.strobe");
  }

  NvtxCopy copy_;
  AttachedRanges* attached_ = nullptr;
};

NvtxAttributes attributes_of(const char* text) {
  NvtxAttributes attributes = {};
  attributes.version = 3;
  attributes.size = sizeof attributes;
  attributes.message_type = static_cast<std::int32_t>(NvtxMessageType::kText);
  attributes.message = text;
  return attributes;
}

TEST_F(NvtxCallbacksTest, texts_of_both_widths_make_ranges_of_every_kind) {
  EXPECT_EQ(copy_.call<int(const char*)>(kNvtxRangePushA)("narrow"), 0);
  EXPECT_EQ(copy_.call<int(const wchar_t*)>(kNvtxRangePushW)(L"wide \u03B1"), 1);
  EXPECT_EQ(copy_.call<int()>(kNvtxRangePop)(), 1);
  EXPECT_EQ(copy_.call<int()>(kNvtxRangePop)(), 0);
  copy_.call<void(const char*)>(kNvtxMarkA)("mark");
  copy_.call<void(const wchar_t*)>(kNvtxMarkW)(L"wide mark");
  const auto first = copy_.call<std::uint64_t(const char*)>(kNvtxRangeStartA)("free");
  const auto second = copy_.call<std::uint64_t(const wchar_t*)>(kNvtxRangeStartW)(L"wide free");
  copy_.call<void(std::uint64_t)>(kNvtxRangeEnd)(first);
  copy_.call<void(std::uint64_t)>(kNvtxRangeEnd)(second);
  const WrittenFile file = written();
  EXPECT_EQ(file.ranges.size(), 6u);
  EXPECT_EQ(file.only("wide \xCE\xB1").what, RangeWhat::kNested);
  EXPECT_EQ(file.only("wide mark").what, RangeWhat::kMark);
  EXPECT_EQ(file.only("wide free").what, RangeWhat::kFree);
}

TEST_F(NvtxCallbacksTest, payloads_of_every_type_arrive) {
  const auto mark = [&](const char* name, NvtxPayloadType type, NvtxAttributes::Payload payload) {
    NvtxAttributes attributes = attributes_of(name);
    attributes.payload_type = static_cast<std::int32_t>(type);
    attributes.payload = payload;
    copy_.call<void(const NvtxAttributes*)>(kNvtxMarkEx)(&attributes);
  };
  mark("unsigned 64", NvtxPayloadType::kUnsigned64, {.unsigned_64 = ~std::uint64_t{0}});
  mark("signed 64", NvtxPayloadType::kSigned64, {.signed_64 = -2});
  mark("real 64", NvtxPayloadType::kReal64, {.real_64 = 0.5});
  mark("unsigned 32", NvtxPayloadType::kUnsigned32, {.unsigned_32 = 0xFFFFFFFF});
  mark("signed 32", NvtxPayloadType::kSigned32, {.signed_32 = -3});
  mark("real 32", NvtxPayloadType::kReal32, {.real_32 = 0.25F});
  mark("own layout", static_cast<NvtxPayloadType>(0x7FBD0009), {.unsigned_64 = 1});
  const WrittenFile file = written();
  const auto expect = [&](const char* name, PayloadType type, std::uint64_t value) {
    EXPECT_EQ(file.only(name).payload_type, type) << name;
    EXPECT_EQ(file.only(name).payload, value) << name;
  };
  expect("unsigned 64", PayloadType::kUnsigned, ~std::uint64_t{0});
  expect("signed 64", PayloadType::kSigned, static_cast<std::uint64_t>(-2));
  expect("real 64", PayloadType::kReal, std::bit_cast<std::uint64_t>(0.5));
  expect("unsigned 32", PayloadType::kUnsigned, 0xFFFFFFFF);
  expect("signed 32", PayloadType::kSigned, static_cast<std::uint64_t>(-3));
  expect("real 32", PayloadType::kReal, std::bit_cast<std::uint64_t>(0.25));
  expect("own layout", PayloadType::kNone, 0);
}

TEST_F(NvtxCallbacksTest, domains_registered_texts_and_categories_work_together) {
  void* domain = copy_.call2<void*(const char*)>(kNvtxDomainCreateA)("storage");
  void* text = copy_.call2<void*(void*, const char*)>(kNvtxDomainRegisterStringA)(domain, "read");
  void* wide_text =
      copy_.call2<void*(void*, const wchar_t*)>(kNvtxDomainRegisterStringW)(domain, L"write");
  copy_.call2<void(void*, std::uint32_t, const char*)>(kNvtxDomainNameCategoryA)(domain, 7, "disk");
  NvtxAttributes attributes = attributes_of(nullptr);
  attributes.category = 7;
  attributes.message_type = static_cast<std::int32_t>(NvtxMessageType::kRegistered);
  attributes.message = text;
  using Push = int(void*, const NvtxAttributes*);
  EXPECT_EQ(copy_.call2<Push>(kNvtxDomainRangePushEx)(domain, &attributes), 0);
  attributes.message = wide_text;
  EXPECT_EQ(copy_.call2<Push>(kNvtxDomainRangePushEx)(domain, &attributes), 1);
  EXPECT_EQ(copy_.call2<int(void*)>(kNvtxDomainRangePop)(domain), 1);
  EXPECT_EQ(copy_.call2<int(void*)>(kNvtxDomainRangePop)(domain), 0);
  const WrittenFile file = written();
  EXPECT_EQ(file.only("read").domain, "storage");
  EXPECT_EQ(file.only("read").category, "disk");
  EXPECT_EQ(file.only("write").domain, "storage");
}

TEST_F(NvtxCallbacksTest, a_range_without_attributes_is_a_range_without_a_name) {
  EXPECT_EQ(copy_.call<int(const NvtxAttributes*)>(kNvtxRangePushEx)(nullptr), 0);
  EXPECT_EQ(copy_.call<int()>(kNvtxRangePop)(), 0);
  EXPECT_EQ(written().counts(), (std::map<std::string, int>{{"", 1}}));
}

TEST_F(NvtxCallbacksTest, resources_stay_with_nobody) {
  EXPECT_EQ(copy_.core2.at(6), nullptr);
  EXPECT_EQ(copy_.core2.at(7), nullptr);
  for (unsigned i = 1; i < 16; ++i) EXPECT_NE(copy_.core.at(i), nullptr) << i;
}

TEST_F(NvtxCallbacksTest, a_copy_that_offers_nothing_is_left_alone) {
  EXPECT_FALSE(attach_nvtx(attached_->ranges, nullptr));
  NvtxExportTables none = [](std::uint32_t) -> const void* { return nullptr; };
  EXPECT_FALSE(attach_nvtx(attached_->ranges, none));
  copy_.callbacks.bytes = 8;
  EXPECT_FALSE(attach_nvtx(attached_->ranges, NvtxCopy::tables));
}

TEST_F(NvtxCallbacksTest, a_copy_with_fewer_functions_gets_those_it_has) {
  NvtxCopy old;
  old.core_table[kNvtxNameOsThreadW] = nullptr;
  the_copy = &old;
  EXPECT_TRUE(attach_nvtx(attached_->ranges, NvtxCopy::tables));
  EXPECT_EQ(old.core.at(kNvtxNameOsThreadW), nullptr);
  EXPECT_NE(old.core.at(kNvtxNameOsThreadA), nullptr);
}

}  // namespace
}  // namespace strobe::record
