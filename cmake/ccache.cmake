# A compiler cache when the machine has one; -DCMAKE_CXX_COMPILER_LAUNCHER= turns it off.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM} CACHE STRING "Runs the compiler")
  endif()
endif()
