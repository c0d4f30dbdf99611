// flow/limits.h - tunable numbers of flows, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dataplane/transport/limits.h"
#include "proto/common/clock.h"

namespace sluice::flow {

/// Bytes one flow may move in one turn per direction before others get theirs: a deep pipe's worth;
/// a bulk flow still costs one extra loop turn per MiB.
inline constexpr std::size_t kTurnBytes = 1024 * 1024;
/// Out-queue mark above which the other end is not read.
inline constexpr std::size_t kOutMark = 128 * 1024;
/// A read that fills this much in one call makes a direction bulk: splice from then on. Smaller
/// messages cost two system calls copied, five spliced.
inline constexpr std::size_t kBulkRead = 16 * 1024 - 1024;
/// A spliced read below this ends bulk again.
inline constexpr std::size_t kSmallSplice = 4 * 1024;
/// A spliced read above this asks for a deep pipe next: 0.14 ns a byte against 0.24 on loopback.
inline constexpr std::size_t kDeepSplice = 128 * 1024;
using transport::kPoolRetry;
/// A flow older than this is one that may outlive its peers. Most never get there and are spared
/// the six system calls of keep-alive.
inline constexpr Millis kLasting{10'000};
/// Clients accepted per turn before others get theirs, and the pause when descriptors ran out.
inline constexpr int kAcceptsPerTurn = 64;
inline constexpr Millis kAcceptRetry{100};
/// Least time between two warnings that they ran out.
inline constexpr Millis kAcceptWarning{10'000};
/// A client that does not take a few bytes of reply within this is gone.
inline constexpr Millis kReplyTimeout{10'000};
/// Between two looks at what a client says on a control connection that means nothing.
inline constexpr Millis kChatterPause{10};
/// REJECT-DROP holds a flow this long (features.md section 3).
inline constexpr Millis kDropHold{60'000};
/// Rule look-ups and server names (features.md section 8, "when DNS runs").
inline constexpr Millis kResolveTimeout{5'000};
/// Whose a local socket is: the flow waits meanwhile. A walk through the descriptors of some
/// hundred processes takes 5-20 ms.
inline constexpr Millis kOwnerTimeout{50};
/// Least time between two warnings that owners cannot be asked for while descriptors are out.
inline constexpr Millis kOwnerWarning{10'000};
/// Sniffing (features.md section 9): how long a stream's client may be silent, and then how long it
/// may take to say enough; the same for datagrams, of which a hello needs several.
inline constexpr Millis kSniffFirstByte{1'000};
inline constexpr Millis kSniffBudget{1'000};
inline constexpr Millis kSniffDatagrams{3'000};
/// A destination whose clients said nothing known more often than this, in a row, is spared so
/// long.
inline constexpr unsigned kSniffFailures = 5;
inline constexpr Millis kSniffSkip{600'000};
inline constexpr std::size_t kSniffDestinations = 128;
/// Reads below this are gathered in one block while a client is looked at.
inline constexpr std::size_t kSniffSmall = 2048;
/// A whole decision: a look at the client, then a look-up.
inline constexpr Millis kDecideTimeout = kSniffDatagrams + kResolveTimeout;
/// Counter rows of a worker that flows use at once (about 300 bytes each): 10,000 flows to as many
/// hosts; the rest is counted as "other".
inline constexpr std::size_t kCounterRows = 16'384;
/// Rows that no flow uses now, kept for those that come.
inline constexpr std::size_t kIdleCounterRows = 256;
/// Records of ended flows (about 600 bytes each) kept for those that come.
inline constexpr std::size_t kSpareRecords = 64;
/// How often counters move from flows to the ledger.
inline constexpr Millis kAccountInterval{1'000};
/// How often layers are told the time (rekeying, keep-alives).
inline constexpr Millis kTickInterval{1'000};

/// UDP: datagrams kept per session while it opens, and destinations remembered per client port.
inline constexpr std::size_t kOpeningPackets = 8;
inline constexpr std::size_t kDestinationsPerClient = 4096;
/// A destination that could not be served (a proxy down, no answer for its name) is tried again
/// after this, if the client still sends.
inline constexpr Millis kRetryDropped{1'000};
/// Packet ends of one client port: one per outbound, more only for destinations whose replies could
/// not be told apart. Past this they share one.
inline constexpr std::size_t kSessionsPerClient = 64;
/// UDP mappings of all workers together, where the manifest does not say. Each holds a descriptor
/// at least, of which a process usually has 20,000 here and UDP may take three quarters.
inline constexpr std::uint32_t kMappings = 8192;
/// Those of one client address. A client needs one per source port: some hundred while it resolves
/// names or opens many QUIC connections; an eighth of all leaves room for others beside a scan.
inline constexpr std::uint32_t kMappingsPerClient = 1024;
/// Silence that ends a mapping, before there is a manifest that says (features.md section 8).
inline constexpr Millis kUdpIdle{60'000};
/// Silence after which a mapping that asked a few questions only is over: twice the 5 s for which
/// resolvers wait (resolv.conf(5), timeout), so a late answer still arrives.
inline constexpr Millis kQuestionIdle{10'000};
/// Datagrams that such a mapping may have sent: A and AAAA, each asked twice. A handshake (DTLS,
/// QUIC on port 853) needs more and keeps its mapping for longer.
inline constexpr unsigned kQuestions = 4;
/// Least time between two warnings that mappings make room for others.
inline constexpr Millis kCrowdedWarning{10'000};
/// Cached sockets that answer in the name of a destination, of all workers together: a sixteenth of
/// what UDP may hold. A client that talks to more at once costs one bind(2) for each reply of the
/// rest. Each worker has at least a few.
inline constexpr std::size_t kReplySockets = 1024;
inline constexpr std::size_t kLeastReplySockets = 16;
/// Unused for this long they are closed: the next reply of that destination costs a bind(2) again.
inline constexpr Millis kReplySocketIdle{30'000};
/// ICMP messages to captured clients, of one listener on one worker: Linux tells 1,000 a second in
/// all (icmp_msgs_per_sec), and a client that is not told only waits longer.
inline constexpr unsigned kUnreachablePerSecond = 100;
/// Idle mappings are ended this often, all at once: they lie in the order of their last use, so a
/// sweep looks at those that end and at one more.
inline constexpr Millis kSweepInterval{1'000};

/// Least time between two warnings about one proxy of a type that is not built in, and the proxies
/// remembered for it.
inline constexpr Millis kUnbuiltWarning{10'000};
inline constexpr std::size_t kUnbuiltTold = 1024;

/// Names whose addresses a worker remembers, for as long as their TTL and stale while nobody
/// answers.
inline constexpr std::size_t kNamesPerWorker = 1024;

}  // namespace sluice::flow
