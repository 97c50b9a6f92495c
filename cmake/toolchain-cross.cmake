# Cross build for STROBE_CROSS_PROCESSOR (x86_64 or aarch64) on a Debian machine of the other kind.
# tools/cross_check unpacks the libraries into STROBE_SYSROOT and uses this; the C and C++ libraries
# are the cross compiler's own. Tests run under qemu.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES STROBE_SYSROOT STROBE_CROSS_PROCESSOR)
set(triple ${STROBE_CROSS_PROCESSOR}-linux-gnu)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${STROBE_CROSS_PROCESSOR})
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})

set(CMAKE_FIND_ROOT_PATH ${STROBE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(library_dir ${STROBE_SYSROOT}/usr/lib/${triple})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${STROBE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${library_dir}/pkgconfig:${STROBE_SYSROOT}/usr/share/pkgconfig)
set(library_path ${library_dir}:${STROBE_SYSROOT}/lib/${triple})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${library_path}")
set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-${STROBE_CROSS_PROCESSOR}-static -L /usr/${triple} -E LD_LIBRARY_PATH=${library_path})
