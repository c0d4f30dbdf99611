// wire/bounds.h - how large a message of the contract may be. Every decoder refuses more.
//
// Source: ours. Wide enough for what users have (100,000 rules, a /14 of fake addresses), small
// enough that a hostile message costs no more memory than one large configuration.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::wire {

inline constexpr std::size_t kMaxMessage = 512 * 1024;         ///< bytes of one gRPC message
inline constexpr std::size_t kMaxPiece = 256 * 1024;           ///< bytes of one manifest/blob piece
inline constexpr std::size_t kMaxManifest = 64 * 1024 * 1024;  ///< bytes, serialized
inline constexpr std::size_t kMaxBlobs = 4096;                 ///< of one Apply
inline constexpr std::uint64_t kMaxBlobTotal = 256ULL * 1024 * 1024;  ///< bytes, all of one Apply

inline constexpr std::size_t kMaxLabel = 1024;    ///< bytes of a name that people gave
inline constexpr std::size_t kMaxText = 8192;     ///< bytes of a payload or a sentence
inline constexpr std::size_t kMaxDevice = 15;     ///< IFNAMSIZ - 1
inline constexpr std::size_t kMaxSecret = 1024;   ///< bytes of a user name or password
inline constexpr std::size_t kMaxHostPort = 320;  ///< bytes of "name:port"

inline constexpr std::size_t kMaxOutbounds = 65'536;
inline constexpr std::size_t kMaxMembers = 65'536;
inline constexpr std::size_t kMaxRules = 1'000'000;
inline constexpr std::size_t kMaxListeners = 1'024;
inline constexpr std::size_t kMaxUsers = 16'384;      ///< of one listener
inline constexpr std::size_t kMaxPrefixes = 65'536;   ///< of one list
inline constexpr std::size_t kMaxPortRanges = 4'096;  ///< of one sniffed protocol
inline constexpr std::size_t kMaxDevices = 256;
inline constexpr std::int64_t kMaxTimeout_ms = 30LL * 24 * 3600 * 1000;

inline constexpr std::size_t kMaxChain = 64;           ///< names of one flow's chain
inline constexpr std::size_t kMaxAnswers = 256;        ///< of one message
inline constexpr std::size_t kMaxAddresses = 64;       ///< of one answer
inline constexpr std::size_t kMaxLastGood = 16;        ///< of one binding
inline constexpr std::size_t kMaxPartBindings = 2048;  ///< of one message, added or removed
inline constexpr std::size_t kMaxBatchBindings = 262'144;
inline constexpr std::size_t kMaxChoices = 4096;
inline constexpr std::size_t kMaxPageRules = 16'384;  ///< lines; at most 20 bytes each and 5 if off
inline constexpr std::size_t kMaxSwitches = 16'384;   ///< lines of one SetRules
inline constexpr std::size_t kMaxFlowIds = 4096;
inline constexpr std::size_t kMaxPageFlows =
    4096;                                        ///< of one message; pages stay below kMaxMessage
inline constexpr std::size_t kMaxDeltas = 4096;  ///< of one counter batch
inline constexpr std::size_t kMaxPools = 64;     ///< of one memory report
inline constexpr std::size_t kMaxSteps = 256;
inline constexpr std::size_t kMaxRecords = 1024;

}  // namespace sluice::wire
