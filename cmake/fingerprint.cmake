# One number for all sources that decide how a file becomes a Trace, or what is made of one: entries cached by
# another version of these sources are not trusted.
#   cmake -DROOT=<src/strobe> -DFOLDERS=<a,b,...> -DNAME=<folder> -DOUTPUT=<header> -P fingerprint.cmake
string(REPLACE "," ";" folders "${FOLDERS}")
set(hashes)
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND hashes "${file} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 all "${hashes}")
string(SUBSTRING "${all}" 0 16 fingerprint)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#pragma once

#include <cstdint>

namespace strobe::@NAME@ {

inline constexpr std::uint64_t kFingerprint = 0x@fingerprint@u;

}  // namespace strobe::@NAME@
]] @ONLY)
