#include "strobe/base/zstd_pack.h"

#include <zstd.h>

#include <memory>
#include <new>

#include "strobe/base/check.h"

namespace strobe {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

std::string pack_zstd(std::string_view text, PackEffort effort) {
  const int level = effort == PackEffort::kQuick ? ZSTD_CLEVEL_DEFAULT : ZSTD_maxCLevel();
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t bytes =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), text.data(), text.size());
  STROBE_CHECK(ZSTD_isError(bytes) == 0, "packing memory into memory cannot fail");
  packed.resize(bytes);
  return packed;
}

}  // namespace strobe
