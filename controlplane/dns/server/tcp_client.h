// dns/server/tcp_client.h - one TCP connection of a client: pipelined queries, replies as they
// come.
//
// RFC 7766: replies may overtake each other; a client that has ended its side still gets the
// answers it waits for. Reading stops while too many wait or too much is unsent.
//
// Owner: TcpPort; pending answers hold it too. Thread: the DNS loop's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "controlplane/dns/server/reply_path.h"
#include "controlplane/dns/server/responder.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/task_set.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/net/socket.h"

namespace sluice::dns {

class TcpClient final : public ReplyPath, public std::enable_shared_from_this<TcpClient> {
 public:
  TcpClient(Socket socket, const Endpoint& from, Responder& responder)
      : socket_(std::move(socket)),
        from_(from),
        responder_(responder),
        changed_(socket_.loop()),
        tasks_(socket_.loop()) {}

  /// Ends when the client does, when it is idle, or by close(). Keep the client alive meanwhile.
  [[nodiscard]] Task<void> serve();
  void send(ByteView message) noexcept override;
  void close() noexcept;

 private:
  [[nodiscard]] bool may_read() const noexcept;
  void answer(ByteView packet);
  void queue(ByteView message);
  Task<void> flush();
  /// Until what is pending has been answered and sent.
  Task<void> drain();

  Socket socket_;
  Endpoint from_;
  Responder& responder_;
  std::size_t pending_ = 0;
  std::vector<std::byte> out_;  // whole frames, the first may be partly written
  bool flushing_ = false;
  CancelScope scope_;
  Event changed_;  // something was answered or sent
  TaskSet tasks_;
};

}  // namespace sluice::dns
