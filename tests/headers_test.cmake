# Each header compiles alone: includes what it uses. Usage: cmake -DROOT=... -DBUILD=... -P headers_test.cmake
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE HEADERS RELATIVE ${ROOT} ${ROOT}/schemas/*.h ${ROOT}/analysis/*.h ${ROOT}/injector/*.h ${ROOT}/cli/*.h)
load_cache(${BUILD} READ_WITH_PREFIX FROM_ CMAKE_CXX_COMPILER)
if(NOT FROM_CMAKE_CXX_COMPILER)
  file(STRINGS ${BUILD}/CMakeCache.txt line REGEX "^CMAKE_CXX_COMPILER:")
  string(REGEX REPLACE "^[^=]*=" "" FROM_CMAKE_CXX_COMPILER "${line}")
endif()
list(LENGTH HEADERS count)
list(JOIN HEADERS "\n" lines)
file(WRITE ${BUILD}/headers.txt "${lines}\n")
# -include of an otherwise empty file, so that `#pragma once` in a main file gives no warning.
execute_process(
  COMMAND xargs -a ${BUILD}/headers.txt -P 2 -I@ ${FROM_CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror
          -I. -I${BUILD}/generated -include @ -x c++ /dev/null
  WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "headers: one of ${count} headers does not compile alone (see above)")
endif()
message("headers: ${count} headers compile alone")
