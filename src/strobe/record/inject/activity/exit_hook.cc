#include "strobe/record/inject/activity/exit_hook.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// A library calls a function of another one through a table of addresses, which the loader fills in
// by name. The entries for _exit are overwritten here.

namespace strobe::record {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kCalledAddress = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t kTakenAddress = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint32_t kCalledAddress = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t kTakenAddress = R_AARCH64_GLOB_DAT;
#endif

std::atomic<void (*)()> the_last_deed = nullptr;  // NOLINT: _exit() has no place for it

[[noreturn]] void leave(int status) noexcept {
  if (auto* last_deed = the_last_deed.load(); last_deed != nullptr) last_deed();
  ::_exit(status);
}

// What the loader knows of one library.
struct Library {
  std::uintptr_t base = 0;
  std::uintptr_t sealed_begin = 0;  // read-only since the loader has filled it in
  std::uintptr_t sealed_end = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> called;
  std::span<const ElfW(Rela)> others;
};

template <class T>
const T* pointer_to(std::uintptr_t base, ElfW(Addr) address) noexcept {
  // The loader adds the base to the addresses of its own table, except for the kernel's library.
  return reinterpret_cast<const T*>(address < base ? address + base : address);
}

Library library_of(const dl_phdr_info& info) noexcept {
  Library library;
  library.base = info.dlpi_addr;
  const ElfW(Dyn)* entry = nullptr;
  for (const ElfW(Phdr) & part : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const std::uintptr_t begin = library.base + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) entry = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (part.p_type != PT_GNU_RELRO) continue;
    library.sealed_begin = begin;
    library.sealed_end = begin + part.p_memsz;
  }
  const ElfW(Rela)* called = nullptr;
  const ElfW(Rela)* others = nullptr;
  std::size_t called_bytes = 0;
  std::size_t other_bytes = 0;
  std::size_t without_name = 0;  // they come first
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) address = entry->d_un.d_ptr;
    const std::size_t size = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) library.symbols = pointer_to<ElfW(Sym)>(library.base, address);
    if (entry->d_tag == DT_STRTAB) library.names = pointer_to<char>(library.base, address);
    if (entry->d_tag == DT_JMPREL) called = pointer_to<ElfW(Rela)>(library.base, address);
    if (entry->d_tag == DT_RELA) others = pointer_to<ElfW(Rela)>(library.base, address);
    if (entry->d_tag == DT_PLTRELSZ) called_bytes = size;
    if (entry->d_tag == DT_RELASZ) other_bytes = size;
    if (entry->d_tag == DT_RELACOUNT) without_name = size;
  }
  if (called != nullptr) library.called = std::span(called, called_bytes / sizeof *called);
  const std::size_t other_count = other_bytes / sizeof *others;
  if (others != nullptr && without_name <= other_count) {
    library.others = std::span(others, other_count).subspan(without_name);
  }
  return library;
}

void overwrite(const Library& library, std::uintptr_t place) noexcept {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* const sealed = reinterpret_cast<void*>(place / page * page);
  const bool is_sealed = place >= library.sealed_begin && place < library.sealed_end;
  if (is_sealed && ::mprotect(sealed, page, PROT_READ | PROT_WRITE) != 0) return;
  std::atomic_ref(*reinterpret_cast<std::uintptr_t*>(place))
      .store(reinterpret_cast<std::uintptr_t>(&leave));
  if (is_sealed) ::mprotect(sealed, page, PROT_READ);
}

void overwrite_in(const Library& library, std::span<const ElfW(Rela)> addresses) noexcept {
  for (const ElfW(Rela) & one : addresses) {
    const auto kind = static_cast<std::uint32_t>(ELF64_R_TYPE(one.r_info));
    if (kind != kCalledAddress && kind != kTakenAddress) continue;
    const std::string_view name = library.names + library.symbols[ELF64_R_SYM(one.r_info)].st_name;
    if (name == "_exit" || name == "_Exit") overwrite(library, library.base + one.r_offset);
  }
}

bool is_own(const dl_phdr_info& info) noexcept {
  const auto own = reinterpret_cast<std::uintptr_t>(&leave);
  for (const ElfW(Phdr) & part : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const std::uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && own >= begin && own < begin + part.p_memsz) return true;
  }
  return false;
}

int overwrite_in_library(dl_phdr_info* info, std::size_t, void*) noexcept {
  if (is_own(*info)) return 0;
  const Library library = library_of(*info);
  if (library.symbols == nullptr || library.names == nullptr) return 0;
  overwrite_in(library, library.called);
  overwrite_in(library, library.others);
  return 0;
}

}  // namespace

void run_before_exit_without_handlers(void (*before)()) noexcept {
  the_last_deed = before;
  ::dl_iterate_phdr(overwrite_in_library, nullptr);
}

}  // namespace strobe::record
