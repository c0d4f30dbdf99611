#include "ui/supervisor/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "proto/runtime/process/descriptors.h"
#include "proto/runtime/process/supervisor_link.h"

namespace sluice::supervisor {

namespace {

constexpr std::size_t kCopyBytes = 16U << 10U;

Status copy(int from, int to) {
  std::array<char, kCopyBytes> block;
  off_t done = 0;
  for (;;) {
    const ssize_t got = ::pread(from, block.data(), block.size(), done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno);
    if (got == 0) return {};
    if (static_cast<std::size_t>(done + got) > kMaxConfigBytes)
      return fail(Errc::too_large, Side::us, EFBIG);
    for (ssize_t put = 0; put < got;) {
      const ssize_t n = ::write(to, block.data() + put, static_cast<std::size_t>(got - put));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail_errno(errno);
      put += n;
    }
    done += got;
  }
}

/// The temporary file becomes what the old one was; a user without the right to give files away
/// keeps its own.
Status copy_owner(const std::string& path, int to) {
  struct stat old{};
  if (::stat(path.c_str(), &old) != 0) return errno == ENOENT ? Status{} : fail_errno(errno);
  if (::fchown(to, old.st_uid, old.st_gid) != 0 && ::geteuid() == 0) return fail_errno(errno);
  if (::fchmod(to, old.st_mode & 07777) != 0) return fail_errno(errno);
  return {};
}

/// Makes the rename last beyond a power cut.
void sync_directory(const std::string& path) {
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) (void)::fsync(fd.get());
}

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
  std::string temporary = path_ + ".XXXXXX";
  const UniqueFd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return fail_errno(errno);
  Status status = copy(content, file.get());
  if (status) status = copy_owner(path_, file.get());
  if (status && ::fsync(file.get()) != 0) status = fail_errno(errno);
  if (status && ::rename(temporary.c_str(), path_.c_str()) != 0) status = fail_errno(errno);
  if (!status) {
    ::unlink(temporary.c_str());
    return status;
  }
  sync_directory(path_);
  return {};
}

Status ConfigFile::serve_one(int socket) const {
  std::array<std::byte, kSupervisorRequestBytes> request{};
  Result<ReceivedMessage> message = receive_message(socket, request);
  if (!message) return fail(message.error());
  if (message->size == 0) return fail(Errc::closed);
  const Result<SupervisorOperation> operation =
      decode_request(ByteView(request).first(message->size));
  if (!operation) return fail(operation.error());
  std::array<std::byte, kSupervisorReplyBytes> wire{};
  Writer out{wire};
  if (*operation == SupervisorOperation::open_config) {
    const Result<UniqueFd> file = open();
    encode_reply({*operation, file ? 0 : file.error().sys}, out);
    if (!file) return send_message(socket, wire);
    const std::array<int, 1> fds{file->get()};
    return send_message(socket, wire, fds);
  }
  const Status replaced = message->fd_count == 1 ? replace(message->fds[0].get())
                                                 : Status(fail(Errc::invalid, Side::us, EBADF));
  encode_reply({*operation, wire_errno(replaced)}, out);
  return send_message(socket, wire);
}

}  // namespace sluice::supervisor
