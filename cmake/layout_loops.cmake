# The loop that reads an event by its layout, for processors with AVX2; it is chosen at run time
# (docs/decisions/0016-loops-for-wider-vectors.md). Optimised in every build, so that the compiler leaves no
# function of a header behind that the linker could use elsewhere; tools/check_own_code looks for them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(src/strobe/readers/layout_loops_avx2.cc PROPERTIES
    COMPILE_OPTIONS "-O3;-mavx2;-mbmi;-mbmi2" SKIP_PRECOMPILE_HEADERS ON)
else()
  set_source_files_properties(src/strobe/readers/layout_loops_avx2.cc PROPERTIES HEADER_FILE_ONLY ON)
endif()
