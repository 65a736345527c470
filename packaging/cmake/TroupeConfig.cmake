# find_package(Troupe) gives the target Troupe::troupe, with the headers for plugins in C and C++, the target Troupe::host, with the headers
# and the library for hosts in C and C++, the function troupe_add_plugin, and
#   Troupe_COMMAND        the command troupe
#   Troupe_PLUGINS_DIR    the directory with the plugins for all users

get_filename_component(_troupe_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Troupe_COMMAND "${_troupe_prefix}/bin/troupe")
set(Troupe_PLUGINS_DIR "${_troupe_prefix}/lib/troupe/plugins")

if(NOT TARGET Troupe::troupe)
  add_library(Troupe::troupe INTERFACE IMPORTED)
  set_target_properties(Troupe::troupe PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_troupe_prefix}/include/troupe")
endif()
if(NOT TARGET Troupe::host)
  add_library(Troupe::host SHARED IMPORTED)
  set_target_properties(Troupe::host PROPERTIES
    IMPORTED_LOCATION "${_troupe_prefix}/lib/libTroupe.so" IMPORTED_SONAME libTroupe.so
    INTERFACE_INCLUDE_DIRECTORIES "${_troupe_prefix}/include/troupe")
endif()
unset(_troupe_prefix)

# troupe_add_plugin(NAME LANGUAGE c|c++|swift SOURCES FILE...)
# Adds the target NAME, which builds the plugin NAME.so in the current binary directory.
function(troupe_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "" "LANGUAGE" "SOURCES")
  if(plugin_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "troupe_add_plugin(${name}): unexpected argument ${plugin_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT plugin_SOURCES)
    message(FATAL_ERROR "troupe_add_plugin(${name}): SOURCES is missing; name the source files behind it")
  endif()
  if(plugin_LANGUAGE STREQUAL "c" OR plugin_LANGUAGE STREQUAL "c++")
    add_library(${name} MODULE ${plugin_SOURCES})
    target_link_libraries(${name} PRIVATE Troupe::troupe)
    set_target_properties(${name} PROPERTIES
      PREFIX "" OUTPUT_NAME "${name}" SUFFIX ".so" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  elseif(plugin_LANGUAGE STREQUAL "swift")
    _troupe_add_swift_plugin(${name} ${plugin_SOURCES})
  else()
    message(FATAL_ERROR "troupe_add_plugin(${name}): LANGUAGE is \"${plugin_LANGUAGE}\"; write c, c++ or swift")
  endif()
endfunction()

# Calls the compiler itself, so that a project needs no generator that supports Swift.
function(_troupe_add_swift_plugin name)
  find_program(Troupe_SWIFTC swiftc REQUIRED)
  execute_process(COMMAND "${Troupe_COMMAND}" flags --plugin --json
    OUTPUT_VARIABLE flags ERROR_VARIABLE problem RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "troupe_add_plugin(${name}): ${problem}")
  endif()
  set(options "")
  string(JSON count LENGTH "${flags}")
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON flag GET "${flags}" ${index})
    list(APPEND options "${flag}")
  endforeach()
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  string(MAKE_C_IDENTIFIER "${name}" module)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.so")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${Troupe_SWIFTC}" -O -swift-version 6 ${options} -module-name ${module} -o "${output}" ${ARGN}
    DEPENDS ${ARGN} COMMENT "Building the Swift plugin ${name}.so" VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${output}")
endfunction()
