# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DOUTPUT=files.h -DPREFIX=kThing -DFILES=a.js|b.css -P EmbedText.cmake
# A header with the text of each file as a zero-terminated array: kThingA, kThingB.
string(REPLACE "|" ";" files "${FILES}")
set(header "// Made by EmbedText.cmake.\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  string(SUBSTRING "${name}" 0 1 initial)
  string(TOUPPER "${initial}" initial)
  string(SUBSTRING "${name}" 1 -1 rest)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND header "inline constexpr char ${PREFIX}${initial}${rest}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE "${OUTPUT}" "${header}")
