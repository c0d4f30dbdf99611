#include "dataplane/flow/owners.h"

#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::flow {

/// On the table for as long as it lives.
struct OwnerService::Question {
  explicit Question(OwnerService& asked) : service(asked), done(asked.loop_), id(++asked.last_id_) {
    service.open_.emplace(id, this);
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() { service.open_.erase(id); }

  OwnerService& service;
  Event done;
  std::uint64_t id;
  std::string path;
};

kernel::SocketDiag* OwnerService::sockets() {
  if (diag_ != nullptr || unable_) return diag_.get();
  auto opened = kernel::SocketDiag::open(loop_);
  if (opened) {
    diag_ = std::move(*opened);
    return diag_.get();
  }
  // Descriptors come back; a kernel without the module stays that way.
  unable_ = opened.error().code != Errc::no_descriptors;
  SLUICE_LOG(warning, "owner",
             "UID and PROCESS rules cannot match: the kernel does not tell whose a socket is "
             "(inet_diag, udp_diag): %s",
             describe(opened.error()).c_str());
  return nullptr;
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
  Question question(*this);
  const ProcessQuery asked{question.id, owner->inode};
  source_->ask(asked, worker_);
  const Status answered = co_await question.done.wait(until);
  if (!answered && answered.error().code == Errc::cancelled) co_return fail(answered.error());
  found.process_path = std::move(question.path);
  co_return found;
}

void OwnerService::answer(ProcessAnswer answer) {
  const auto asked = open_.find(answer.id);
  if (asked == open_.end()) return;  // too late
  asked->second->path = std::move(answer.path);
  asked->second->done.set();
}

}  // namespace sluice::flow
