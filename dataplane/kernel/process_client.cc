#include "dataplane/kernel/process_client.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <utility>

#include "proto/runtime/process/descriptors.h"

namespace sluice::kernel {

Result<std::unique_ptr<ProcessClient>> ProcessClient::make(Loop& loop, UniqueFd socket,
                                                           ProcessSink& sink) {
  if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) return fail_errno(errno);
  auto watch = Watch::make(loop, std::move(socket));
  if (!watch) return fail(watch.error());
  std::unique_ptr<ProcessClient> client(new ProcessClient(std::move(*watch), sink));
  client->watch_->set_sink(client.get());
  return client;
}

Status ProcessClient::ask(const proc::Question& question) noexcept {
  std::array<std::byte, proc::kQuestion_bytes> wire{};
  Writer out{wire};
  proc::encode_question(question, out);
  return send_message(watch_->fd(), out.written());
}

void ProcessClient::on_ready() noexcept {
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
