// stats/settings.h - what a user may choose about statistics: the keys of `sluice: stats:`.
#pragma once

#include "controlplane/model/general.h"

namespace sluice::stats {

using Settings = model::Statistics;
using Storage = model::StatsStorage;

}  // namespace sluice::stats
