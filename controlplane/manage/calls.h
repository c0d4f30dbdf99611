// manage/calls.h - the table of calls: which message goes to which function of the Service.
#pragma once

#include <memory>

#include "controlplane/manage/hub.h"

namespace sluice::manage {

/// Every call of the service waits for clients from now on. Under the hub's mutex.
void serve_all_locked(const std::shared_ptr<Hub>& hub);

}  // namespace sluice::manage
