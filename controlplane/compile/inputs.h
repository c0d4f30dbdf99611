// compile/inputs.h - what compile asks others for while it works.
#pragma once

#include "controlplane/compile/set_input.h"
#include "controlplane/compile/zone_input.h"

namespace sluice::compile {

/// Both outlive the call that they are given to.
struct Inputs {
  SetInput& sets;
  ZoneInput& zones;
};

}  // namespace sluice::compile
