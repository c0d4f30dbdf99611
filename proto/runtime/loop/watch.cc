#include "proto/runtime/loop/watch.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "proto/runtime/loop/wait.h"

namespace sluice {

Result<std::unique_ptr<Watch>> Watch::make(Loop& loop, UniqueFd fd, Interest interest) {
  std::unique_ptr<Watch> watch(new Watch(loop, std::move(fd)));
  epoll_event event{};
  event.events = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET;
  if (interest == Interest::both) event.events |= EPOLLOUT;
  event.data.ptr = watch.get();
  if (::epoll_ctl(loop.epoll_fd(), EPOLL_CTL_ADD, watch->fd(), &event) != 0)
    return fail_errno(errno);
  return watch;
}

Watch::~Watch() {
  loop_.forget(*this);
  if (reader_ != nullptr) reader_->finish(fail(Errc::cancelled));
  if (writer_ != nullptr) writer_->finish(fail(Errc::cancelled));
}

void Watch::on_events(std::uint32_t events) noexcept {
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) hung_up_ = true;
  if ((events & EPOLLERR) != 0) error_ = true;
  if ((events & EPOLLPRI) != 0) urgent_ = true;
  if ((events & (EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) readable_ = true;
  if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) writable_ = true;
  if (sink_ != nullptr) {
    sink_->on_ready();
    return;
  }
  // finish() only queues; neither call can destroy this watch.
  if (readable_ && reader_ != nullptr) reader_->finish({});
  if (writable_ && writer_ != nullptr) writer_->finish({});
}

}  // namespace sluice
