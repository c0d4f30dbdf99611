#include "dataplane/flow/listener_set.h"

#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {

void ListenerSet::open(ListenerShare share) {
  const std::string name = share.entrance.listener;
  Entry entry;
  Status failed;
  if (share.udp.valid()) {
    auto udp = TproxyUdp::make(engine_, std::move(share.udp), name);
    if (udp) entry.udp = std::move(*udp);
    if (!udp) failed = fail(udp.error());
  }
  if (share.tcp.valid()) {
    auto tcp = Acceptor::make(engine_, std::move(share.tcp), std::move(share.entrance));
    if (tcp) entry.tcp = std::move(*tcp);
    if (!tcp) failed = fail(tcp.error());
  }
  if (!failed)
    SLUICE_LOG(error, "listener", "%s: a worker cannot serve it: %s", name.c_str(),
               describe(failed.error()).c_str());
  if (const auto former = by_name_.find(name); former != by_name_.end()) {
    if (entry.udp && former->second.udp) former->second.udp->hand_over(*entry.udp);
    if (former->second.tcp) former->second.tcp->drain();
  }
  by_name_.insert_or_assign(name, std::move(entry));
}

void ListenerSet::close(const std::string& name) {
  by_name_.erase(name);
}
void ListenerSet::close_all() {
  by_name_.clear();
}

void ListenerSet::report_dscp(bool on) noexcept {
  for (auto& [name, entry] : by_name_)
    if (entry.udp) entry.udp->report_dscp(on);
}

}  // namespace sluice::flow
