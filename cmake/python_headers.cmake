# STROBE_PYTHON_INCLUDE: the headers of Debian's Python, or else of the first python3 on the path; "" without.
set(STROBE_PYTHON_INCLUDE)
if(NOT STROBE_PYTHON_MODULE OR STROBE_SANITIZE OR STROBE_FUZZ)
  return()
endif()
find_program(STROBE_PYTHON_PROGRAM python3 HINTS /usr/bin)
if(STROBE_PYTHON_PROGRAM)
  # 3.11 is the first whose stable interface has buffers.
  execute_process(COMMAND ${STROBE_PYTHON_PROGRAM} -c
    "import sys, sysconfig; print(sysconfig.get_path('include') if sys.version_info >= (3, 11) else '')"
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(folder AND EXISTS ${folder}/Python.h)
    set(STROBE_PYTHON_INCLUDE ${folder})
  endif()
endif()
if(STROBE_PYTHON_INCLUDE)
  message(STATUS "python: ${STROBE_PYTHON_INCLUDE}")
else()
  message(STATUS "python: left out, Python.h of Python 3.11 or newer is not found (package python3-dev)")
endif()
