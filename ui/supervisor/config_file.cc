#include "ui/supervisor/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "proto/common/config_size.h"
#include "proto/common/whole_file.h"
#include "proto/runtime/process/descriptors.h"
#include "proto/runtime/process/supervisor_link.h"

namespace sluice::supervisor {

namespace {

/// Every refusal has an errno on the wire.
int wire_errno(const Status& status) noexcept {
  if (status) return 0;
  return status.error().sys != 0 ? status.error().sys : EINVAL;
}

}  // namespace

Result<UniqueFd> ConfigFile::open() const {
  UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return fail_errno(errno);
  return file;
}

Status ConfigFile::replace(int content) const {
  // Only a regular file is read: a pipe could make us wait for ever.
  struct stat info{};
  if (::fstat(content, &info) != 0) return fail_errno(errno);
  if (!S_ISREG(info.st_mode)) return fail(Errc::invalid, Side::us, EINVAL);
  // The sender has written it: its end is where the position is.
  if (::lseek(content, 0, SEEK_SET) != 0) return fail_errno(errno);
  const Result<std::string> text = read_whole(content, kMaxConfigBytes);
  if (!text) return fail(text.error());
  // It already runs: what could only be refused now is done instead.
  const Replaced replaced = replace_file_for_owner(path_, *text);
  if (!replaced) return fail_errno(replaced.error().sys);
  return {};
}

Status ConfigFile::serve_one(int socket) const {
  std::array<std::byte, kSupervisorRequestBytes> request{};
  Result<ReceivedMessage> message = receive_message(socket, request);
  if (!message) return fail(message.error());
  if (message->size == 0) return fail(Errc::closed);
  const Result<SupervisorRequest> asked = decode_request(ByteView(request).first(message->size));
  if (!asked) return fail(asked.error());
  std::array<std::byte, kSupervisorReplyBytes> wire{};
  Writer out{wire};
  if (asked->operation == SupervisorOperation::open_config) {
    const Result<UniqueFd> file = open();
    encode_reply({*asked, file ? 0 : file.error().sys}, out);
    if (!file) return send_message(socket, wire);
    const std::array<int, 1> fds{file->get()};
    return send_message(socket, wire, fds);
  }
  const Status replaced = message->fd_count == 1 ? replace(message->fds[0].get())
                                                 : Status(fail(Errc::invalid, Side::us, EBADF));
  encode_reply({*asked, wire_errno(replaced)}, out);
  return send_message(socket, wire);
}

}  // namespace sluice::supervisor
