# Linux aarch64 by Debian's cross compiler (g++-aarch64-linux-gnu). Programs run by qemu where ctest runs them (qemu-user-static).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(TILEDB_QEMU qemu-aarch64-static)
if(TILEDB_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TILEDB_QEMU} -L /usr/aarch64-linux-gnu)
endif()
