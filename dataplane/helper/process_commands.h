// helper/process_commands.h - what the data plane asks of sluice-proc, as plain values and as
// bytes.
//
//   SOCK_SEQPACKET socketpair, one frame per message, numbers big endian:
//     question  version(1) command(1) id(4) inode(4) budget_ms(2)
//     answer    version(1) command(1) id(4) errno(4) pid(4) size(2) path
//
// Each question gets one answer; those of one round may come in any order. The helper ends at end
// of file and at a frame that is no question.
//
// Thread: pure functions and plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/common/clock.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::proc {

inline constexpr std::uint8_t kVersion = 1;

enum class Command : std::uint8_t {
  find = 1,  ///< which process holds this socket, and what program it runs
};

/// Longer paths are answered with ENAMETOOLONG.
inline constexpr std::size_t kMaxPath_bytes = 1024;
inline constexpr std::size_t kQuestion_bytes = 12;
inline constexpr std::size_t kMaxAnswer_bytes = 16 + kMaxPath_bytes;
inline constexpr Millis kMaxBudget{1000};

struct Question {
  std::uint32_t id = 0;
  std::uint32_t inode = 0;  ///< of the socket, never 0
  Millis budget{};          ///< for the search; at most kMaxBudget
};

struct Answer {
  std::uint32_t id = 0;
  std::int32_t error = 0;  ///< errno; 0 = found. ENOENT: nobody holds it; ETIMEDOUT: the budget
  std::int32_t pid = 0;    ///< when found
  std::string path;        ///< of the executable when found; empty otherwise
};

/// Needs kQuestion_bytes of room.
void encode_question(const Question& question, Writer& out);
/// Errors: truncated, unsupported (version or command), malformed (inode 0, too large a budget,
/// bytes left over).
[[nodiscard]] Result<Question> decode_question(ByteView frame);

/// Needs kMaxAnswer_bytes of room and a path within kMaxPath_bytes.
void encode_answer(const Answer& answer, Writer& out);
/// Errors: truncated, unsupported, malformed (bytes left over; a pid or a path beside an errno;
/// a path that is too long, holds NUL or does not begin with a slash).
[[nodiscard]] Result<Answer> decode_answer(ByteView frame);

}  // namespace sluice::proc
