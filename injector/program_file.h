// Finds the program a shell would run and says what kind of file it is.
#pragma once

#include <span>
#include <string>

#include "injector/launch_plan.h"
#include "schemas/result.h"

namespace perfscope {

// As execvp searches: a name with '/' is a path, others are looked up in `path_list` (PATH). Errors:
// InputMissing, with "not found" apart from "not executable" and "is a folder".
Result<std::string> findProgram(const std::string& name, const std::string& path_list);

// Pure: true for an ELF image (its first bytes, 4 KiB suffice) of a program without PT_INTERP. False for
// scripts, truncated or odd files: they are not known to be static.
bool isStaticElf(std::span<const unsigned char> head);

// Reads the file's head and mode; traits of an unreadable file are all false.
ProgramTraits programTraits(const std::string& path);

}  // namespace perfscope
