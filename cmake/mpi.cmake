# libstrobe_mpi.so: what `strobe fleet` speaks with its other processes through, if mpirun or srun started
# several. It is compiled against the MPI of this machine.
if(NOT STROBE_MPI)
  message(STATUS "fleet on many machines: left out, STROBE_MPI is off")
  return()
endif()
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "fleet on many machines: left out, no MPI is found (libopenmpi-dev)")
  return()
endif()
message(STATUS "fleet on many machines: ${MPI_CXX_LIBRARIES}")
add_library(strobe_mpi SHARED src/strobe/fleet/world/mpi/plugin.cc)
target_include_directories(strobe_mpi PRIVATE src)
target_link_libraries(strobe_mpi PRIVATE strobe_warnings MPI::MPI_CXX)
target_compile_definitions(strobe_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # the old C++ calls
set_target_properties(strobe_mpi PROPERTIES CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS strobe_mpi LIBRARY DESTINATION lib/strobe COMPONENT mpi)
