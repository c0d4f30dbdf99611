// convert/convert_files.h - `sluice rules convert IN OUT`: the files around a conversion.
//
// IN is read whole, within the bound of rule files; OUT is replaced when all of it is written, or
// left as it was. "-" is standard input or output.
#pragma once

#include <expected>

#include "ui/cli/command_line.h"
#include "ui/cli/exit_code.h"

namespace sluice::cli {

/// Says on standard error what was left out, and what was done on standard output, or on standard
/// error too when OUT is there. Failures: usage, refused, not_found.
[[nodiscard]] std::expected<void, Failure> convert_files(const ConvertWords& words);

}  // namespace sluice::cli
