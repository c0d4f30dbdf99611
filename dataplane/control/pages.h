// control/pages.h - an answer that travels in several messages.
#pragma once

#include <deque>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "proto/rpc/server_call.h"

namespace sluice::control {

/// Writes page after page, then ends the call. Thread: the control thread.
template <class Request, class Page>
void write_pages(const std::shared_ptr<rpc::ServerStream<Request, Page>>& call,
                 std::shared_ptr<std::deque<Page>> pages) {
  if (pages->empty()) {
    call->finish(grpc::Status::OK);
    return;
  }
  const Page page = std::move(pages->front());
  pages->pop_front();
  call->write(page, [weak = std::weak_ptr(call), pages](bool ok) {
    if (ok) write_pages(weak.lock(), pages);
  });
}

template <class Request, class Page>
void write_pages(const std::shared_ptr<rpc::ServerStream<Request, Page>>& call,
                 std::vector<Page> pages) {
  write_pages(call, std::make_shared<std::deque<Page>>(std::make_move_iterator(pages.begin()),
                                                       std::make_move_iterator(pages.end())));
}

}  // namespace sluice::control
