# System libraries only; each is found here, once, and a missing one is reported by name.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
if(STROBE_TESTS OR STROBE_PERF OR STROBE_FUZZ)
  find_package(simdjson REQUIRED)  # an independent parser
endif()
find_package(PkgConfig REQUIRED)

add_library(strobe_compression INTERFACE)
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
target_link_libraries(strobe_compression INTERFACE ZLIB::ZLIB PkgConfig::ZSTD Threads::Threads)
find_path(ISAL_INCLUDE_DIR isa-l.h)
find_library(ISAL_LIBRARY isal)
if(ISAL_INCLUDE_DIR AND ISAL_LIBRARY)
  target_include_directories(strobe_compression SYSTEM INTERFACE ${ISAL_INCLUDE_DIR})
  target_link_libraries(strobe_compression INTERFACE ${ISAL_LIBRARY})
  target_compile_definitions(strobe_compression INTERFACE STROBE_HAVE_ISAL=1)
  message(STATUS "gzip: isa-l (${ISAL_LIBRARY})")
else()
  message(STATUS "gzip: zlib (libisal-dev would make it 1.3 times faster)")
endif()

add_library(strobe_lz4 INTERFACE)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
target_link_libraries(strobe_lz4 INTERFACE PkgConfig::LZ4)

# Headers only: strobe compiles the hash into itself.
add_library(strobe_xxhash INTERFACE)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
target_include_directories(strobe_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
# Its always_inline functions are called through pointers, which -Og does not inline.
target_compile_definitions(strobe_xxhash INTERFACE $<$<CONFIG:RelWithDebInfo>:XXH_NO_INLINE_HINTS=1>)

add_library(strobe_re2 INTERFACE)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
target_link_libraries(strobe_re2 INTERFACE PkgConfig::RE2)

# Headers only, and of one file only: distributions.
add_library(strobe_boost_math INTERFACE)
find_path(BOOST_MATH_INCLUDE_DIR boost/math/distributions/students_t.hpp REQUIRED)
target_include_directories(strobe_boost_math SYSTEM INTERFACE ${BOOST_MATH_INCLUDE_DIR})
# gcc would print long notes that versions before 10 passed one of its types differently.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/strobe/stats/p_values.cc PROPERTIES COMPILE_OPTIONS -Wno-psabi)

# Headers only, and of one file only: the parser of HTTP requests, sockets and timers.
add_library(strobe_boost_beast INTERFACE)
find_path(BOOST_BEAST_INCLUDE_DIR boost/beast/http/parser.hpp REQUIRED)
target_include_directories(strobe_boost_beast SYSTEM INTERFACE ${BOOST_BEAST_INCLUDE_DIR})
target_link_libraries(strobe_boost_beast INTERFACE Threads::Threads)

# Databases of profilers; of one file only.
find_package(SQLite3 REQUIRED)
