#include "controlplane/provider/curl_multi.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>

#include "controlplane/provider/bounds.h"

namespace sluice::provider {
namespace {

constexpr int kEventBatch = 16;

/// Once a process; libcurl's first use must not be on two threads at a time.
bool library_ready() noexcept {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

std::uint32_t events_of(int what) noexcept {
  std::uint32_t events = 0;
  if ((what & CURL_POLL_IN) != 0) events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
  return events;
}

int action_of(std::uint32_t events) noexcept {
  int action = 0;
  if ((events & EPOLLIN) != 0) action |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) action |= CURL_CSELECT_OUT;
  // Reading or writing tells libcurl what happened.
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) action |= CURL_CSELECT_IN | CURL_CSELECT_OUT;
  return action;
}

}  // namespace

Result<std::unique_ptr<CurlMulti>> CurlMulti::make(Loop& loop) {
  if (!library_ready()) return fail(Errc::system);
  UniqueFd set(::epoll_create1(EPOLL_CLOEXEC));
  if (!set.valid()) return fail_errno(errno);
  std::unique_ptr<CurlMulti> out(new CurlMulti(loop));
  auto watch = Watch::make(loop, std::move(set));
  if (!watch) return fail(watch.error());
  out->set_ = std::move(*watch);
  out->set_->set_sink(out.get());
  out->multi_.reset(curl_multi_init());
  CURLM* const multi = out->multi_.get();
  if (multi == nullptr) return fail(Errc::no_room);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, out.get());
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, out.get());
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(kParallelFetches));
  return out;
}

CurlMulti::~CurlMulti() {
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
  multi_.reset();  // leaves the set while that is there
}

Status CurlMulti::add(CURL* easy, TransferEnd& end) noexcept {
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &end);
  if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK) return fail(Errc::no_room);
  return {};
}

void CurlMulti::remove(CURL* easy) noexcept {
  curl_multi_remove_handle(multi_.get(), easy);
}

int CurlMulti::on_socket(CURL*, curl_socket_t fd, int what, void* self, void* known) noexcept {
  auto& multi = *static_cast<CurlMulti*>(self);
  const int set = multi.set_->fd();
  if (what == CURL_POLL_REMOVE) {
    // It may have been closed already, which took it out of the set.
    (void)::epoll_ctl(set, EPOLL_CTL_DEL, fd, nullptr);
    return 0;
  }
  epoll_event event{};
  event.events = events_of(what);
  event.data.fd = fd;
  // A number that was closed and opened again is known to libcurl, and new to the set.
  const bool changed = known != nullptr && ::epoll_ctl(set, EPOLL_CTL_MOD, fd, &event) == 0;
  if (!changed && ::epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0) return -1;
  curl_multi_assign(multi.multi_.get(), fd, &multi);  // `known` from now on
  return 0;
}

int CurlMulti::on_timer(CURLM*, long after_ms, void* self) noexcept {
  auto& multi = *static_cast<CurlMulti*>(self);
  if (after_ms < 0)
    multi.disarm();
  else
    multi.loop_.arm(multi, multi.loop_.now() + Millis{after_ms});
  return 0;
}

void CurlMulti::fire() noexcept {
  int running = 0;
  curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
  collect();
}

void CurlMulti::look() noexcept {
  std::array<epoll_event, kEventBatch> events;
  const int count = ::epoll_wait(set_->fd(), events.data(), kEventBatch, 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    int running = 0;
    curl_multi_socket_action(multi_.get(), event.data.fd, action_of(event.events), &running);
  }
  collect();
  // An empty set makes the next edge; a set with events left would stay silent.
  if (count > 0) loop_.requeue(*this);
}

void CurlMulti::collect() noexcept {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* end = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &end);
    reinterpret_cast<TransferEnd*>(end)->ended(code);
  }
}

}  // namespace sluice::provider
