#include "dataplane/kernel/process_client.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <utility>

#include "dataplane/kernel/kill_helper.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::kernel {

Result<std::unique_ptr<ProcessClient>> ProcessClient::make(Loop& loop, ProcHelper helper,
                                                           ProcessSink& sink) {
  if (::fcntl(helper.socket.get(), F_SETFL, O_NONBLOCK) != 0) return fail_errno(errno);
  auto watch = Watch::make(loop, std::move(helper.socket));
  if (!watch) return fail(watch.error());
  std::unique_ptr<ProcessClient> client(new ProcessClient(std::move(*watch), helper.pid, sink));
  client->watch_->set_sink(client.get());
  return client;
}

Status ProcessClient::ask(const proc::Question& question) noexcept {
  std::array<std::byte, proc::kQuestion_bytes> wire{};
  Writer out{wire};
  proc::encode_question(question, out);
  return send_message(watch_->fd(), out.written());
}

void ProcessClient::kill() noexcept {
  kill_helper(watch_->fd(), pid_);
}

void ProcessClient::read() noexcept {
  std::array<std::byte, proc::kMaxAnswer_bytes> wire{};
  for (;;) {
    const Result<ReceivedMessage> message = receive_message(watch_->fd(), wire);
    if (!message && message.error().code == Errc::no_room) {
      watch_->clear_readable();
      return;
    }
    if (!message || message->size == 0) return sink_.process_lost();
    Result<proc::Answer> answer = proc::decode_answer(ByteView(wire).first(message->size));
    if (!answer) return sink_.process_lost();
    sink_.process_answer(std::move(*answer));
  }
}

}  // namespace sluice::kernel
