// app/plane_fault.h - what a failed call to the data plane means for the user.
#pragma once

#include "controlplane/manage/answer.h"
#include "proto/common/result.h"

namespace sluice::control_plane {

[[nodiscard]] manage::Fault plane_fault(const Error& error);
/// Nothing was asked: there is no connection.
[[nodiscard]] manage::Fault plane_away();

}  // namespace sluice::control_plane
