#include "dataplane/flow/owners.h"

#include <utility>

#include "dataplane/flow/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {

kernel::SocketDiag* OwnerService::sockets() {
  if (diag_ != nullptr || unable_) return diag_.get();
  auto opened = kernel::SocketDiag::open(loop_);
  if (opened) {
    diag_ = std::move(*opened);
    return diag_.get();
  }
  // Descriptors and memory come back; a kernel without the module stays that way.
  const Errc code = opened.error().code;
  unable_ = code != Errc::no_descriptors && code != Errc::no_room;
  warn(opened.error());
  return nullptr;
}

/// Once when it stays that way, else once in a while.
void OwnerService::warn(const Error& error) {
  if (unable_) {
    SLUICE_LOG(warning, "owner",
               "UID and PROCESS rules cannot match: the kernel does not tell whose a socket is "
               "(inet_diag, udp_diag): %s",
               describe(error).c_str());
    return;
  }
  const Moment now = loop_.now();
  if (now < quiet_until_) return;
  quiet_until_ = now + kOwnerWarning;
  SLUICE_LOG(warning, "owner", "UID and PROCESS rules match no new flow for now: %s",
             describe(error).c_str());
}

Task<Result<FoundOwner>> OwnerService::find(kernel::SocketQuery query, bool process, Until until) {
  FoundOwner found;
  kernel::SocketDiag* diag = sockets();
  if (diag == nullptr) co_return found;
  const Result<kernel::SocketOwner> owner = co_await diag->find(query, until);
  if (!owner && owner.error().code == Errc::cancelled) co_return fail(owner.error());
  if (!owner) co_return found;
  found.uid = owner->uid;
  if (!process || source_ == nullptr) co_return found;
  Paths::Question question(questions_);
  const ProcessQuery asked{question.id(), owner->inode};
  source_->ask(asked, worker_);
  const Status answered = co_await question.wait(until);
  if (!answered && answered.error().code == Errc::cancelled) co_return fail(answered.error());
  found.process_path = std::move(question.value);
  co_return found;
}

void OwnerService::answer(ProcessAnswer answer) {
  Paths::Question* asked = questions_.find(answer.id);
  if (asked == nullptr) return;  // too late
  asked->value = std::move(answer.path);
  asked->finish();
}

}  // namespace sluice::flow
