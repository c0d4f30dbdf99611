// cli/own_programs.h - where the router's other programs lie, seen from this one.
//
//   build tree      ui/cli/sluice     BUILD_PLACE/PROGRAM, from the root of the tree
//   one directory   ./sluice          ./PROGRAM
//   installation    bin/sluice        libexec/sluice/PROGRAM
//
// Thread: any.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "proto/runtime/process/paths.h"
#include "ui/cli/exit_code.h"

namespace sluice::cli {

struct OwnProgram {
  const char* name;
  const char* build_place;
};

inline constexpr OwnProgram kControlPlane{kControlPlaneProgram, "controlplane/app"};
inline constexpr OwnProgram kNftHelper{kNftProgram, "dataplane/helper"};
inline constexpr OwnProgram kSupervisor{"sluice-supervisor", "ui/supervisor"};

/// Where `program` may be, best first, for a `sluice` in `directory`.
[[nodiscard]] std::vector<std::string> places_of(const OwnProgram& program,
                                                 const std::string& directory);

/// The best place that has it. Fails with refused, and names all places.
[[nodiscard]] std::expected<std::string, Failure> find_program(const OwnProgram& program);

}  // namespace sluice::cli
