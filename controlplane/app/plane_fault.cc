#include "controlplane/app/plane_fault.h"

#include "proto/common/error_text.h"

namespace sluice::control_plane {

using manage::Fault;
using manage::FaultKind;

Fault plane_fault(const Error& error) {
  switch (error.code) {
    case Errc::unreachable:
    case Errc::cancelled:
      return {FaultKind::unavailable, "the data plane is away; try again in a moment"};
    case Errc::timeout:
      return {FaultKind::unavailable, "the data plane did not answer in time; try again"};
    case Errc::not_found:
      return {FaultKind::not_found, "the data plane knows no such thing"};
    case Errc::invalid:
      return {FaultKind::invalid, "the data plane finds no sense in this"};
    case Errc::not_built:
      return {FaultKind::refused, "the data plane is an older one that cannot do this; restart it"};
    case Errc::denied:
      return {FaultKind::refused, "the data plane has no configuration yet; try again in a moment"};
    default:
      return {FaultKind::internal, describe(error)};
  }
}

Fault plane_away() {
  return plane_fault({Errc::unreachable});
}

}  // namespace sluice::control_plane
