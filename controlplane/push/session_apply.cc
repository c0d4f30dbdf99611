// The part of a session that brings the data plane up to date: bindings, then the manifest.
#include <algorithm>
#include <iterator>
#include <utility>

#include "controlplane/push/bounds.h"
#include "controlplane/push/session.h"
#include "proto/wire/manifest.h"
#include "proto/wire/manifest_bytes.h"
#include "proto/wire/names.h"

namespace sluice::push {
void Session::start_bindings() {
  bindings_ = std::make_shared<Bindings>();
  track(bindings_);
  bindings_->stream = stub_->PrepareAsyncBindNames(&bindings_->context, completions());
  bindings_->start([self = shared_from_this()](bool ok) {
    if (self->ended_now_) return;
    if (!ok) return self->end("BindNames: the data plane is gone");
    self->read_ack();
    self->owner_.events->all_bindings([weak = self->weak_from_this(), queue = self->owner_.queue](
                                          std::vector<contract::Binding> all) {
      queue->post([weak, all = std::move(all)]() mutable {
        if (const auto alive = weak.lock()) alive->replace_bindings(std::move(all));
      });
    });
  });
}

void Session::replace_bindings(std::vector<contract::Binding> all) {
  if (ended_now_ || replaced_) return;
  replaced_ = true;
  contract::BindingBatch batch;
  batch.number = ++number_;
  batch.replace = true;
  batch.add = std::move(all);
  // Posted in the order of the calls: what waits was passed before, so it is contained.
  for (PendingBind& pending : waiting_) in_flight_.push_back(std::move(pending.done));
  waiting_.clear();
  sending_ = true;
  write_parts(std::make_shared<std::vector<v1::BindingPart>>(wire::encode_parts(batch)), 0);
}

void Session::bind(PendingBind change) {
  waiting_.push_back(std::move(change));
  send_bindings();
}

/// Everything that waits, as one batch. While one is under way the next grows.
void Session::send_bindings() {
  if (ended_now_ || !replaced_ || sending_ || waiting_.empty()) return;
  contract::BindingBatch batch;
  batch.number = ++number_;
  std::size_t taken = 0;
  for (PendingBind& pending : waiting_) {
    // Removals come before additions within a batch: a change that removes what an earlier one
    // adds starts the next batch.
    if (taken != 0 && !pending.change.remove.empty()) break;
    auto& [number, replace, add, remove] = pending.change;
    batch.add.insert(batch.add.end(), std::make_move_iterator(add.begin()),
                     std::make_move_iterator(add.end()));
    batch.remove.insert(batch.remove.end(), remove.begin(), remove.end());
    in_flight_.push_back(std::move(pending.done));
    ++taken;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  sending_ = true;
  write_parts(std::make_shared<std::vector<v1::BindingPart>>(wire::encode_parts(batch)), 0);
}

void Session::write_parts(std::shared_ptr<std::vector<v1::BindingPart>> parts, std::size_t at) {
  if (at == parts->size()) return;
  bindings_->write((*parts)[at], [self = shared_from_this(), parts, at](bool ok) {
    if (ok && !self->ended_now_) self->write_parts(parts, at + 1);
  });
}

void Session::read_ack() {
  bindings_->read([self = shared_from_this()](bool ok) {
    if (self->ended_now_) return;
    if (!ok) return self->end("BindNames: the stream ended");
    if (!self->sending_ || self->bindings_->part.number() != self->number_)
      return self->end("BindNames: another batch was acknowledged than was sent");
    const bool first = self->number_ == self->hello_.last_binding + 1;
    self->sending_ = false;
    auto acknowledged = std::exchange(self->in_flight_, {});
    for (const Done<bool>& done : acknowledged) done(true);
    self->read_ack();
    self->send_bindings();
    if (first) self->apply_first();
  });
}

void Session::apply_first() {
  const auto finish = [self = shared_from_this()](const contract::Verdict& verdict) {
    if (self->ended_now_) return;
    self->verdict_ = verdict;
    self->start_counters();
    self->up_(self->hello_, verdict);
  };
  if (owner_.manifest == nullptr) return finish(verdict_);
  const auto manifest = std::exchange(owner_.manifest, nullptr);
  apply(*manifest, std::exchange(owner_.blobs, {}), finish);
}

/// One Apply on its way: parts are made as they are written, so nothing is held twice.
struct Session::Sending {
  std::shared_ptr<rpc::ClientWriter<v1::ApplyPart, v1::Verdict>> call;
  std::string manifest;
  std::vector<contract::BlobPtr> blobs;  ///< those that are missing there
  bool head_sent = false;
  std::size_t manifest_at = 0;
  std::size_t blob = 0;
  std::size_t blob_at = 0;

  /// The next part; false when all are sent.
  bool next(v1::ApplyPart& out);
};

bool Session::Sending::next(v1::ApplyPart& out) {
  if (!std::exchange(head_sent, true)) {
    out.mutable_head()->set_manifest_size(manifest.size());
    for (const contract::BlobPtr& each : blobs) {
      v1::BlobHead* head = out.mutable_head()->add_blobs();
      head->set_digest(each->digest.data(), each->digest.size());
      head->set_size(each->bytes.size());
    }
    return true;
  }
  if (manifest_at < manifest.size()) {
    const std::size_t size = std::min(kPiece_bytes, manifest.size() - manifest_at);
    out.set_manifest(manifest.data() + manifest_at, size);
    manifest_at += size;
    return true;
  }
  while (blob < blobs.size() && blob_at == blobs[blob]->bytes.size()) {
    ++blob;
    blob_at = 0;
  }
  if (blob == blobs.size()) return false;
  const auto& bytes = blobs[blob]->bytes;
  const std::size_t size = std::min(kPiece_bytes, bytes.size() - blob_at);
  out.set_blob(bytes.data() + blob_at, size);
  blob_at += size;
  return true;
}

void Session::apply(const contract::Manifest& manifest, const std::vector<contract::BlobPtr>& blobs,
                    Done<contract::Verdict> done) {
  has_applied_ = true;
  auto sending = std::make_shared<Sending>();
  sending->manifest = wire::manifest_to_bytes(manifest);
  for (const contract::BlobPtr& blob : blobs)
    if (std::ranges::find(hello_.blobs, blob->digest) == hello_.blobs.end())
      sending->blobs.push_back(blob);
  // From an accepted Apply on the data plane holds exactly these.
  auto held = contract::blobs_of(manifest);
  auto call = std::make_shared<rpc::ClientWriter<v1::ApplyPart, v1::Verdict>>();
  sending->call = call;
  call->set_deadline(kApplyTimeout);
  track(call);
  call->stream = stub_->PrepareAsyncApply(&call->context, &call->reply, completions());
  call->start([self = shared_from_this(), sending, held = std::move(held),
               done = std::move(done)](bool ok) mutable {
    sending->call->finish([self, sending, held = std::move(held), done = std::move(done)] {
      const auto finished = std::exchange(sending->call, nullptr);
      // Not taken: the Apply of a control plane before us is still judged, and what is held there
      // may be other blobs after that. All begins anew, with Hello.
      if (finished->status.error_code() == grpc::StatusCode::ABORTED) {
        self->has_applied_ = false;
        return self->end("Apply: " + finished->status.error_message());
      }
      // A refusal is a verdict. Without one nobody knows what runs there; a new session finds out.
      if (!finished->status.ok()) return self->end("Apply: " + finished->status.error_message());
      const auto verdict = wire::decode(finished->reply);
      if (!verdict) return self->end("Apply: " + verdict.error().to_string());
      if (verdict->accepted) self->hello_.blobs = held;
      done(*verdict);
    });
    if (ok) self->write_apply(sending);
  });
}

void Session::write_apply(const std::shared_ptr<Sending>& sending) {
  // A verdict that came early (a refusal) ends the writing: the next write then fails.
  if (sending->call == nullptr) return;
  v1::ApplyPart part;
  if (!sending->next(part)) {
    sending->call->writes_done([](bool) {});
    return;
  }
  sending->call->write(part, [self = shared_from_this(), sending](bool ok) {
    if (ok) self->write_apply(sending);
  });
}

}  // namespace sluice::push
