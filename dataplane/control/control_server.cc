#include "dataplane/control/control_server.h"

#include <grpc/support/time.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include <map>
#include <random>
#include <utility>

#include "dataplane/control/apply_service.h"
#include "dataplane/control/binding_service.h"
#include "dataplane/control/bounds.h"
#include "dataplane/control/counter_service.h"
#include "dataplane/control/flow_service.h"
#include "dataplane/control/log_service.h"
#include "dataplane/control/memory_service.h"
#include "dataplane/control/name_service.h"
#include "dataplane/control/peers.h"
#include "dataplane/control/rule_service.h"
#include "proto/common/log.h"
#include "proto/wire/bounds.h"
#include "proto/wire/status.h"

namespace sluice::control {
namespace {

std::uint64_t random_epoch() {
  std::random_device source;
  return (static_cast<std::uint64_t>(source()) << 32) | source() | 1U;
}

/// Nothing is bound here: connections come from Peers.
std::unique_ptr<grpc::Server> start_server(Room& room) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(static_cast<int>(wire::kMaxMessage));
  // As it stands gRPC lets a fast sender fill some MiB ahead, which the heap then keeps.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kReadAhead_bytes);
  builder.RegisterService(&room.service);
  auto completions = builder.AddCompletionQueue();
  room.completions = completions.get();
  room.queue = std::make_shared<rpc::Queue>(std::move(completions));
  return builder.BuildAndStart();
}

}  // namespace

struct ControlServer::Parts final : ControlLink {
  Parts(Core& core, UniqueFd listener, Options given, recovery::Recovery found)
      : room{core, nullptr, {}, nullptr},
        options(std::move(given)),
        recovery(std::move(found)),
        epoch(random_epoch()),
        peers(std::move(listener), options.allowed),
        server(start_server(room)),
        apply(room, options.run_dir),
        names(room),
        bindings(room),
        counters(room, epoch),
        flows(room),
        rules(room),
        memory(room),
        log(room) {}

  bool ask(const contract::NameQuery& query) override { return names.ask(query); }
  void flows_closed(std::vector<contract::FlowInfo> closed) override {
    flows.flows_closed(std::move(closed));
  }

  void serve();
  void replay(rpc::Closure done);
  void let_in();
  void admit(UniqueFd socket, PeerCredentials peer);
  void on_hello(const std::shared_ptr<rpc::Unary<v1::HelloRequest, v1::HelloReply>>& call);
  [[nodiscard]] PeerCredentials peer_of(const std::string& name) const;

  Room room;
  Options options;
  recovery::Recovery recovery;
  std::uint64_t epoch;
  Peers peers;
  std::unique_ptr<grpc::Server> server;
  std::map<std::string, PeerCredentials> connected;  ///< by gRPC's name of the connection
  ApplyService apply;
  NameService names;
  BindingService bindings;
  CounterService counters;
  FlowService flows;
  RuleService rules;
  MemoryService memory;
  LogService log;
};

void ControlServer::Parts::serve() {
  rpc::serve(room.completions, room.service, &v1::DataPlane::AsyncService::RequestHello,
             [this](const auto& call) { on_hello(call); });
  rpc::serve(room.completions, room.service, &v1::DataPlane::AsyncService::RequestProbe,
             [](const std::shared_ptr<rpc::Unary<v1::ProbeRequest, v1::ProbeReply>>& call) {
               call->fail({grpc::StatusCode::UNIMPLEMENTED, "Probe is not offered yet"});
             });
  apply.serve();
  names.serve();
  bindings.serve();
  counters.serve();
  flows.serve();
  rules.serve();
  memory.serve();
  log.serve();
}

/// Bindings, then the snapshot: no listener opens before its names are known.
void ControlServer::Parts::replay(rpc::Closure done) {
  for (const std::string& message : recovery.messages)
    SLUICE_LOG(warning, "control", "step=recover %s", message.c_str());
  bindings.replay(std::move(recovery.bindings), std::move(recovery.log),
                  [this, done = std::move(done)] {
                    if (!recovery.snapshot) {
                      done();
                      return;
                    }
                    auto snapshot = std::move(*recovery.snapshot);
                    recovery.snapshot.reset();
                    apply.replay(std::move(snapshot), std::move(recovery.choices), done);
                  });
}

void ControlServer::Parts::let_in() {
  // Shutdown waits for calls that only the control thread can finish: hence on the other thread.
  peers.start(
      [this](UniqueFd socket, PeerCredentials peer) { admit(std::move(socket), peer); },
      [this] {
        server->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                      gpr_time_from_millis(kStopGrace.count, GPR_TIMESPAN)));
        // After the ends of all calls: nothing starts an operation any more.
        room.queue->post([queue = room.queue] { queue->shut_down(); });
      });
}

void ControlServer::Parts::admit(UniqueFd socket, PeerCredentials peer) {
  // Numbers of descriptors are used again, so a newer connection replaces an older entry: the
  // older one is gone, or its number would not be free.
  room.queue->post([this, fd = std::make_shared<UniqueFd>(std::move(socket)), peer] {
    connected["fd:" + std::to_string(fd->get())] = peer;
    grpc::AddInsecureChannelFromFd(server.get(), fd->release());
  });
}

PeerCredentials ControlServer::Parts::peer_of(const std::string& name) const {
  const auto found = connected.find(name);
  return found == connected.end() ? PeerCredentials{} : found->second;
}

void ControlServer::Parts::on_hello(
    const std::shared_ptr<rpc::Unary<v1::HelloRequest, v1::HelloReply>>& call) {
  const v1::HelloRequest& request = call->request;
  if (request.version() < contract::kOldestVersion || request.version() > contract::kVersion) {
    call->fail({grpc::StatusCode::FAILED_PRECONDITION,
                "version: " + std::to_string(request.version()) + " is not between " +
                    std::to_string(contract::kOldestVersion) + " and " +
                    std::to_string(contract::kVersion) + "; upgrade the older program"});
    return;
  }
  const PeerCredentials peer = peer_of(call->context.peer());
  SLUICE_LOG(debug, "control", "step=hello pid=%d uid=%u program=%.*s", peer.pid, peer.uid,
             SLUICE_SV(std::string_view(request.program()).substr(0, 100)));
  contract::HelloReply reply = room.core.hello();
  reply.version = contract::kVersion;
  reply.oldest_version = contract::kOldestVersion;
  reply.program = options.program;
  reply.epoch = epoch;
  reply.blobs = apply.held();
  reply.last_binding = bindings.last_number();
  v1::HelloReply message;
  wire::encode(reply, &message);
  call->reply(message);
}

ControlServer::ControlServer(Core& core, UniqueFd listener, Options options,
                             recovery::Recovery recovery)
    : parts_(std::make_unique<Parts>(core, std::move(listener), std::move(options),
                                     std::move(recovery))) {}

ControlServer::~ControlServer() {
  Parts& parts = *parts_;
  if (parts.server) {
    parts.server->Shutdown();
    parts.room.queue->shut_down();
    parts.room.queue->run();
  }
}

void ControlServer::run() {
  Parts& parts = *parts_;
  parts.room.core.attach(&parts);
  parts.serve();
  parts.replay([&parts] { parts.let_in(); });
  parts.room.queue->run();
  parts.peers.join();
  parts.room.core.attach(nullptr);
  parts.server.reset();
}

void ControlServer::stop() {
  parts_->peers.stop();
}

bool ControlServer::finish_counters(std::function<void()> done) {
  return post([parts = parts_.get(), done = std::move(done)] { parts->counters.finish(done); });
}

bool ControlServer::post(std::function<void()> work) {
  return parts_->room.queue->post(std::move(work));
}

}  // namespace sluice::control
