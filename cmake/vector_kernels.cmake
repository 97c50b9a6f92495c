# The host's vector kernels: simd/kernels.cc is compiled once for each instruction set of the processor and
# each type of element; the set is chosen at run time. They are optimised in every build, under a
# sanitizer only with -O1, which compiles quickly.
set(vector_options $<IF:$<CONFIG:RelWithDebInfo>,-O1,-O3> -fno-math-errno -fno-trapping-math)
if(STROBE_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Checks as calls would make these loops 3 times slower than inline ones. The stack that GCC 12 and 13 check
  # is not aligned for vectors of 64 bytes (PR 110027).
  list(APPEND vector_options "SHELL:--param asan-instrumentation-with-call-threshold=7000" "SHELL:--param asan-stack=0")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns about values that its own header leaves undefined on purpose (PR 105593).
  list(APPEND vector_options -Wno-uninitialized -Wno-maybe-uninitialized -Wno-psabi)
endif()

# strobe_vector_kernels(SET "NAME" bytes of a vector, rows and vectors of a product's tile, option...)
function(strobe_vector_kernels set name bytes tile_rows tile_vectors)
  # Options of an interface follow those of strobe_warnings, which says -ffp-contract=off.
  add_library(strobe_simd_${set} INTERFACE)
  target_compile_options(strobe_simd_${set} INTERFACE ${vector_options} ${ARGN})
  target_compile_definitions(strobe_simd_${set} INTERFACE STROBE_SIMD=simd_${set}
    STROBE_SIMD_BYTES=${bytes} STROBE_TILE_ROWS=${tile_rows} STROBE_TILE_VECTORS=${tile_vectors})
  foreach(type F32 F16 Bf16)
    set(part strobe_simd_${set}_${type})
    add_library(${part} OBJECT ${CMAKE_SOURCE_DIR}/src/strobe/bench/providers/cpu/simd/kernels.cc)
    target_include_directories(${part} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${part} PRIVATE strobe_warnings strobe_simd_${set})
    target_compile_definitions(${part} PRIVATE STROBE_TYPE=${type} STROBE_TABLE=k${type}Kernels)
    if(type STREQUAL F32)
      target_compile_definitions(${part} PRIVATE STROBE_SET_NAME="${name}")
    endif()
    target_sources(strobe_bench PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
endfunction()

# From AVX2 on the compiler may fuse a product with a sum; for NEON the source says where.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  strobe_vector_kernels(sse2 "SSE2" 16 4 2)
  strobe_vector_kernels(avx2 "AVX2" 32 4 3 -ffp-contract=fast -mavx2 -mfma)
  strobe_vector_kernels(avx512 "AVX-512" 64 8 3 -ffp-contract=fast -mavx512f -mavx512bw -mavx512dq
    -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
else()
  strobe_vector_kernels(neon "NEON" 16 8 3)
endif()
