# The host's vector kernels, once for each instruction set; which one runs is asked of the machine. They
# are optimised in every build. On x86-64 the compiler may fuse a product with a sum; for NEON the source
# says where.
set(simd ${CMAKE_SOURCE_DIR}/src/strobe/bench/providers/cpu/simd)
set(vector_options -O3 -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 takes what its own header leaves undefined on purpose for a mistake (PR 105593).
  list(APPEND vector_options -Wno-uninitialized -Wno-maybe-uninitialized -Wno-psabi)
endif()
set_source_files_properties(${simd}/kernels_neon.cc ${simd}/kernels_sse2.cc PROPERTIES
  COMPILE_OPTIONS "${vector_options}" SKIP_PRECOMPILE_HEADERS ON)
list(APPEND vector_options -ffp-contract=fast)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${simd}/kernels_avx2.cc PROPERTIES
    COMPILE_OPTIONS "${vector_options};-mavx2;-mfma" SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${simd}/kernels_avx512.cc PROPERTIES
    COMPILE_OPTIONS "${vector_options};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx2;-mfma;-mprefer-vector-width=512"
    SKIP_PRECOMPILE_HEADERS ON)
endif()
