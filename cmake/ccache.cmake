# A compiler cache when the machine has one; -DCMAKE_CXX_COMPILER_LAUNCHER= turns it off.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    # ccache requires this sloppiness before it caches with precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM} CACHE STRING "Runs the compiler")
  endif()
endif()
