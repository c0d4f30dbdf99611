// The directories that the tests of this room work in.
#pragma once

#include "tests/support/scratch.h"

namespace sluice::config_store {

using test::Scratch;

}  // namespace sluice::config_store
