// sniff/limits.h - how far the decoders look, each bound with its reason.
#pragma once

#include <cstddef>

namespace sluice::sniff {

/// Most bytes of a stream that a decoder asks for: Mihomo's bound, and far above real hellos
/// (2 KiB with a post-quantum key share and ECH).
inline constexpr std::size_t kMaxStream = std::size_t{64} * 1024;
/// Most bytes of an HTTP request, either version: Host mostly comes first, cookies are 8 KiB at
/// most.
inline constexpr std::size_t kMaxHttp = std::size_t{16} * 1024;
/// Fields looked at in one request, and extensions in one hello: twice what browsers send. With
/// the next one they bound the work of one look, however the peer cuts its bytes.
inline constexpr std::size_t kMaxFields = 128;
/// TLS records or HTTP/2 frames that one message is gathered from.
inline constexpr std::size_t kMaxPieces = 256;
/// HTTP/2 frames before the first HEADERS: SETTINGS, WINDOW_UPDATE and a few PRIORITY.
inline constexpr std::size_t kMaxFramesBefore = 16;
/// Longest frame that a server takes before it says otherwise (RFC 9113 section 4.2).
inline constexpr std::size_t kMaxFrame = 16'384;
/// Longest plaintext of a record (RFC 8446 section 5.1).
inline constexpr std::size_t kMaxRecord = 16'384;
/// Empty lines before a request; RFC 9112 section 2.2 asks servers to ignore one at least.
inline constexpr std::size_t kMaxEmptyLines = 4;
/// Longest method; the registry's longest has 17 letters.
inline constexpr std::size_t kMaxMethod = 24;
/// Longest name of an HTTP/1 field; the registry's longest has 43 letters.
inline constexpr std::size_t kMaxFieldName = 64;

/// Datagrams of one flow that are looked at: a hello of two, each sent twice, and some to spare.
inline constexpr unsigned kMaxDatagrams = 8;
/// Bytes of one ClientHello kept from datagrams.
inline constexpr std::size_t kMaxHello = 4096;
/// Longest Initial packet: clients begin with datagrams below 1,500 since they do not know the
/// path.
inline constexpr std::size_t kMaxInitial = 2048;
/// Coalesced packets, or records, of one datagram.
inline constexpr unsigned kMaxPackets = 4;

}  // namespace sluice::sniff
