#include "strobe/record/inject/activity/nvtx_callbacks.h"

#include <atomic>
#include <bit>

namespace strobe::record {
namespace {

std::atomic<NvtxRanges*> the_ranges = nullptr;  // NOLINT: NVTX calls without a pointer of ours

NvtxRanges& attached() noexcept { return *the_ranges.load(std::memory_order_relaxed); }

NvtxMessage message_of(const NvtxAttributes& attributes) noexcept {
  NvtxMessage message;
  message.value = attributes.message;
  switch (static_cast<NvtxMessageType>(attributes.message_type)) {
    case NvtxMessageType::kText:
      message.kind = NvtxMessage::Kind::kText;
      break;
    case NvtxMessageType::kWide:
      message.kind = NvtxMessage::Kind::kWide;
      break;
    case NvtxMessageType::kRegistered:
      message.kind = NvtxMessage::Kind::kRegistered;
      break;
    default:
      break;
  }
  return message;
}

void read_payload(const NvtxAttributes& attributes, NvtxEvent& event) noexcept {
  const NvtxAttributes::Payload& payload = attributes.payload;
  switch (static_cast<NvtxPayloadType>(attributes.payload_type)) {
    case NvtxPayloadType::kUnsigned64:
      event.payload_type = wire::PayloadType::kUnsigned;
      event.payload = payload.unsigned_64;
      break;
    case NvtxPayloadType::kUnsigned32:
      event.payload_type = wire::PayloadType::kUnsigned;
      event.payload = payload.unsigned_32;
      break;
    case NvtxPayloadType::kSigned64:
      event.payload_type = wire::PayloadType::kSigned;
      event.payload = static_cast<std::uint64_t>(payload.signed_64);
      break;
    case NvtxPayloadType::kSigned32:
      event.payload_type = wire::PayloadType::kSigned;
      event.payload = static_cast<std::uint64_t>(std::int64_t{payload.signed_32});
      break;
    case NvtxPayloadType::kReal64:
      event.payload_type = wire::PayloadType::kReal;
      event.payload = std::bit_cast<std::uint64_t>(payload.real_64);
      break;
    case NvtxPayloadType::kReal32:
      event.payload_type = wire::PayloadType::kReal;
      event.payload = std::bit_cast<std::uint64_t>(double{payload.real_32});
      break;
    default:  // data of the program's own layout
      break;
  }
}

NvtxEvent event_of(const NvtxAttributes* attributes) noexcept {
  NvtxEvent event;
  if (attributes == nullptr) return event;
  event.message = message_of(*attributes);
  event.category = attributes->category;
  read_payload(*attributes, event);
  return event;
}

NvtxEvent event_of(const char* text) noexcept {
  NvtxEvent event;
  event.message = NvtxMessage::text(text);
  return event;
}

NvtxEvent event_of(const wchar_t* text) noexcept {
  NvtxEvent event;
  event.message = NvtxMessage::wide(text);
  return event;
}

NvtxMessage message_of(const char* text) noexcept { return NvtxMessage::text(text); }
NvtxMessage message_of(const wchar_t* text) noexcept { return NvtxMessage::wide(text); }

NvtxHandle handle_of(const void* domain) noexcept { return reinterpret_cast<NvtxHandle>(domain); }
void* pointer_of(NvtxHandle handle) noexcept {
  return reinterpret_cast<void*>(handle);  // NOLINT: NVTX only gives it back
}

template <class Message>
void mark(Message message) noexcept {
  attached().mark(0, event_of(message));
}
template <class Message>
std::uint64_t range_start(Message message) noexcept {
  return attached().start(0, event_of(message));
}
template <class Message>
int range_push(Message message) noexcept {
  return attached().push(0, event_of(message));
}
void range_end(std::uint64_t id) noexcept { attached().end(id); }
int range_pop() noexcept { return attached().pop(0); }
template <class Text>
void category_named(std::uint32_t category, const Text* name) noexcept {
  attached().name_category(0, category, message_of(name));
}
template <class Text>
void thread_named(std::uint32_t thread_id, const Text* name) noexcept {
  attached().name_thread(thread_id, message_of(name));
}

void domain_mark(const void* domain, const NvtxAttributes* attributes) noexcept {
  attached().mark(handle_of(domain), event_of(attributes));
}
std::uint64_t domain_range_start(const void* domain, const NvtxAttributes* attributes) noexcept {
  return attached().start(handle_of(domain), event_of(attributes));
}
void domain_range_end(const void*, std::uint64_t id) noexcept { attached().end(id); }
int domain_range_push(const void* domain, const NvtxAttributes* attributes) noexcept {
  return attached().push(handle_of(domain), event_of(attributes));
}
int domain_range_pop(const void* domain) noexcept { return attached().pop(handle_of(domain)); }
template <class Text>
void domain_category_named(const void* domain, std::uint32_t category, const Text* name) noexcept {
  attached().name_category(handle_of(domain), category, message_of(name));
}
template <class Text>
void* text_registered(const void*, const Text* text) noexcept {
  return pointer_of(attached().register_text(message_of(text)));
}
template <class Text>
void* domain_made(const Text* name) noexcept {
  return pointer_of(attached().make_domain(message_of(name)));
}
void domain_destroyed(const void*) noexcept {}  // its name may come back, and its ranges stay
void initialized(const void*) noexcept {}

struct Handler {
  unsigned function;
  NvtxFunction handler;
};

template <class Function>
Handler handles(unsigned function, Function handler) noexcept {
  return {function, reinterpret_cast<NvtxFunction>(handler)};
}

template <std::size_t kCount>
bool fill_in(const NvtxCallbackTable& table, NvtxModule module,
             const Handler (&handlers)[kCount]) noexcept {
  NvtxFunction** functions = nullptr;
  unsigned count = 0;
  if (table.functions_of(static_cast<std::int32_t>(module), &functions, &count) == 0) return false;
  for (const Handler& handler : handlers) {
    if (handler.function < count && functions[handler.function] != nullptr) {
      *functions[handler.function] = handler.handler;
    }
  }
  return true;
}

bool fill_in_core(const NvtxCallbackTable& table) noexcept {
  using Attributes = const NvtxAttributes*;
  const Handler handlers[] = {
      handles(kNvtxMarkEx, mark<Attributes>),
      handles(kNvtxMarkA, mark<const char*>),
      handles(kNvtxMarkW, mark<const wchar_t*>),
      handles(kNvtxRangeStartEx, range_start<Attributes>),
      handles(kNvtxRangeStartA, range_start<const char*>),
      handles(kNvtxRangeStartW, range_start<const wchar_t*>),
      handles(kNvtxRangeEnd, range_end),
      handles(kNvtxRangePushEx, range_push<Attributes>),
      handles(kNvtxRangePushA, range_push<const char*>),
      handles(kNvtxRangePushW, range_push<const wchar_t*>),
      handles(kNvtxRangePop, range_pop),
      handles(kNvtxNameCategoryA, category_named<char>),
      handles(kNvtxNameCategoryW, category_named<wchar_t>),
      handles(kNvtxNameOsThreadA, thread_named<char>),
      handles(kNvtxNameOsThreadW, thread_named<wchar_t>),
  };
  return fill_in(table, NvtxModule::kCore, handlers);
}

bool fill_in_core2(const NvtxCallbackTable& table) noexcept {
  const Handler handlers[] = {
      handles(kNvtxDomainMarkEx, domain_mark),
      handles(kNvtxDomainRangeStartEx, domain_range_start),
      handles(kNvtxDomainRangeEnd, domain_range_end),
      handles(kNvtxDomainRangePushEx, domain_range_push),
      handles(kNvtxDomainRangePop, domain_range_pop),
      handles(kNvtxDomainNameCategoryA, domain_category_named<char>),
      handles(kNvtxDomainNameCategoryW, domain_category_named<wchar_t>),
      handles(kNvtxDomainRegisterStringA, text_registered<char>),
      handles(kNvtxDomainRegisterStringW, text_registered<wchar_t>),
      handles(kNvtxDomainCreateA, domain_made<char>),
      handles(kNvtxDomainCreateW, domain_made<wchar_t>),
      handles(kNvtxDomainDestroy, domain_destroyed),
      handles(kNvtxInitialize, initialized),
  };
  return fill_in(table, NvtxModule::kCore2, handlers);
}

}  // namespace

bool nvtx_is_abandoned() noexcept {
  const NvtxRanges* ranges = the_ranges.load(std::memory_order_acquire);
  return ranges != nullptr && ranges->is_abandoned();
}

bool attach_nvtx(NvtxRanges& ranges, NvtxExportTables tables) noexcept {
  if (tables == nullptr) return false;
  const auto* table = static_cast<const NvtxCallbackTable*>(tables(kNvtxCallbacks));
  if (table == nullptr || table->bytes < sizeof(NvtxCallbackTable)) return false;
  if (!nvtx_is_abandoned()) the_ranges.store(&ranges, std::memory_order_release);
  const bool has_core = fill_in_core(*table);
  return fill_in_core2(*table) || has_core;
}

}  // namespace strobe::record
