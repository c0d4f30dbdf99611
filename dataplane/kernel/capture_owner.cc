#include "dataplane/kernel/capture_owner.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "dataplane/kernel/bridge_filter.h"
#include "dataplane/kernel/conntrack.h"
#include "dataplane/kernel/lan_addresses.h"
#include "dataplane/kernel/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::kernel {

namespace {

std::vector<std::string> device_names(const nft::CaptureTable& table) {
  std::vector<std::string> names;
  for (const nft::LanDevice& device : table.lan) names.push_back(device.name);
  return names;
}

/// Entries of the former redirect lead nowhere once it is off or leads to other ports.
bool strands_dns(const nft::CaptureTable& former, const nft::CaptureTable& next) {
  return former.dns_redirect && (!next.dns_redirect || former.lan != next.lan);
}

}  // namespace

CaptureOwner::~CaptureOwner() {
  leave();
}

void CaptureOwner::lose_helper() noexcept {
  if (helper_ && helper_->lost()) helper_->kill();
  helper_.reset();  // end of file ends the helper; the kernel removes its table
  in_kernel_ = false;
}

Status CaptureOwner::start_helper(Refusal& why) {
  Result<NftHelper> started = source_.start_nft_helper();
  if (!started) {
    why = {started.error().sys, "cannot start sluice-nft: " + describe(started.error())};
    return fail(started.error());
  }
  helper_.emplace(std::move(*started));
  return {};
}

/// Removes a plain table of our name, and waits for that of a helper that is just dying.
Status CaptureOwner::claim_table(Refusal& why) {
  const Moment deadline = monotonic_now() + kOwnerGoneTimeout;
  for (;;) {
    const Status status = helper_->cleanup(why);
    if (status || status.error().sys != EPERM || monotonic_now() > deadline) return status;
    ::poll(nullptr, 0, static_cast<int>(kOwnerGonePoll.count));
  }
}

Status CaptureOwner::ensure_helper(Refusal& why) {
  if (helper_ && !helper_->lost()) return {};
  clean_routes();
  lose_helper();
  if (Status s = start_helper(why); !s) return s;
  Status ready = cleaned_ ? Status{} : helper_->probe(why);
  if (ready) ready = claim_table(why);
  if (!ready) {
    lose_helper();
    return ready;
  }
  cleaned_ = true;
  return {};
}

/// Rules and routes of an earlier run: they outlive it, and need no helper to go.
void CaptureOwner::clean_routes() noexcept {
  if (std::exchange(routes_clean_, true)) return;
  routes_.clean_leftovers({});
  for (const RouteKeys& keys : leftovers_) routes_.clean_leftovers(keys);
}

Status CaptureOwner::lay_routes(const nft::CaptureTable& table, const RouteNumbers& numbers,
                                Refusal& why) {
  const Result<std::vector<Prefix>> subnets = lan_subnets(routes_.socket(), device_names(table));
  const Status status =
      subnets ? routes_.lay({numbers, table.marks}, *subnets) : fail(subnets.error());
  if (!status) why = {status.error().sys, "policy routes: " + describe(status.error())};
  return status;
}

Status CaptureOwner::fill_sets(Refusal& why) {
  for (const nft::SetId set : {nft::SetId::prefixes, nft::SetId::addresses}) {
    if (Status s = helper_->add(set, kept(set), why); !s) return s;
  }
  return {};
}

/// Table, and for a fresh table its elements. The guard of a configuration that has none goes.
Status CaptureOwner::push(const nft::CaptureTable& table, Refusal& why) {
  const bool fresh = !in_kernel_;
  if (Status s = helper_->apply(table, why); !s) return s;
  if (fresh) {
    if (Status s = fill_sets(why); !s) {
      lose_helper();
      return s;
    }
  }
  const Status open = table.fail_closed ? Status{} : helper_->remove_guard(why);
  if (!open && helper_->lost()) {
    lose_helper();  // and the table with it
    return open;
  }
  if (!open) SLUICE_LOG(warning, "kernel", "step=remove-guard %s", why.text.c_str());
  in_kernel_ = true;
  return {};
}

Status CaptureOwner::apply(const nft::CaptureTable& table, Refusal& why,
                           const RouteNumbers& numbers) {
  if (Status s = ensure_helper(why); !s) return s;
  if (Status s = lay_routes(table, numbers, why); !s) return s;
  const Status pushed = push(table, why);
  if (!pushed) {
    routes_.take_back();
    // A refused transaction left the former table; a lost helper took it along.
    Refusal ignored;
    if (desired_ && !active() && !recover(ignored))
      SLUICE_LOG(error, "kernel", "step=rollback %s", ignored.text.c_str());
    return pushed;
  }
  routes_.settle();
  if (desired_ && strands_dns(*desired_, table)) forget_dns(desired_->marks);
  if (table.mode == nft::Mode::tproxy && bridge_filter_active() && !desired_)
    SLUICE_LOG(
        warning, "kernel",
        "bridge-nf-call-iptables is 1: TPROXY fails for clients behind a bridge; set it to 0 "
        "or use mode: redirect");
  desired_ = table;
  numbers_ = numbers;
  return {};
}

void CaptureOwner::forget_dns(const nft::Marks& marks) noexcept {
  const Status status = forget_dns_connections(marks);
  if (!status)
    SLUICE_LOG(warning, "kernel", "step=forget-dns %s: clients may wait for their next socket",
               describe(status.error()).c_str());
}

Status CaptureOwner::set_dns_redirect(bool on, Refusal& why) {
  if (!desired_ || !desired_->dns_hijack) return {};
  const bool was = desired_->dns_redirect;
  // Kept first: should the helper be gone, recover() builds what is wanted now.
  desired_->dns_redirect = on;
  if (helper_ && in_kernel_) {
    if (Status s = helper_->set_dns_redirect(on, why); !s) return s;
  }
  if (was && !on) forget_dns(desired_->marks);
  return {};
}

Status CaptureOwner::add_direct(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why) {
  if (helper_ && in_kernel_) {
    if (Status s = helper_->add(set, prefixes, why); !s) return s;
  }
  kept(set).insert(kept(set).end(), prefixes.begin(), prefixes.end());
  return {};
}

Status CaptureOwner::remove_direct(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why) {
  if (helper_ && in_kernel_) {
    if (Status s = helper_->remove(set, prefixes, why); !s) return s;
  }
  std::erase_if(kept(set), [&](const Prefix& prefix) {
    return std::ranges::find(prefixes, prefix) != prefixes.end();
  });
  return {};
}

Status CaptureOwner::recover(Refusal& why) {
  lose_helper();
  if (!desired_) return {};
  if (Status s = ensure_helper(why); !s) return s;
  if (Status s = lay_routes(*desired_, numbers_, why); !s) return s;
  routes_.settle();
  return push(*desired_, why);
}

Status CaptureOwner::refresh_lan() {
  if (!desired_) return {};
  Refusal why;
  const Status laid = lay_routes(*desired_, numbers_, why);
  if (laid) routes_.settle();
  return laid;
}

Status CaptureOwner::open_guard(Refusal& why) {
  if (Status s = ensure_helper(why); !s) return s;
  return helper_->remove_guard(why);
}

void CaptureOwner::stop() noexcept {
  Refusal why;
  if (helper_ && !helper_->lost() && !helper_->remove_guard(why))
    SLUICE_LOG(warning, "kernel", "step=stop %s", why.text.c_str());
  leave();
}

void CaptureOwner::leave() noexcept {
  Refusal why;
  const bool had_dns = desired_ && desired_->dns_redirect;
  // By command, so that the table is gone before what it made is forgotten.
  if (helper_ && !helper_->lost() && !helper_->tear_down(why))
    SLUICE_LOG(warning, "kernel", "step=leave %s", why.text.c_str());
  lose_helper();
  routes_.remove();
  if (had_dns) forget_dns(desired_->marks);
  desired_.reset();
}

}  // namespace sluice::kernel
