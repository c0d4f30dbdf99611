#include "dataplane/helper/process_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "dataplane/helper/process_commands.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::proc {
namespace {

constexpr std::size_t kMaxRound = 64;  // questions that one walk answers

struct Round {
  std::vector<Question> questions;
  std::vector<Wanted> wanted;  // one for each question
  Moment deadline{};           // the latest of theirs
};

/// Waits for a question and takes those behind it. An empty round is end of file.
Result<Round> take_round(int peer) {
  Round round;
  std::array<std::byte, kQuestion_bytes> frame{};
  do {
    const Result<ReceivedMessage> message = receive_message(peer, frame);
    if (!message) return fail(message.error());
    if (message->size == 0) return Round{};
    const Result<Question> question = decode_question(ByteView(frame).first(message->size));
    // The peer is the data plane of the same build: a bad frame means that it is broken or taken
    // over.
    if (!question) return fail(question.error());
    round.deadline = std::max(round.deadline, monotonic_now() + question->budget);
    round.wanted.push_back({question->inode, 0});
    round.questions.push_back(*question);
  } while (round.questions.size() < kMaxRound && wait_readable(peer, 0));
  return round;
}

Answer answer_to(const Question& question, const Wanted& found, bool whole,
                 const ProcessFinder& finder) {
  Answer answer;
  answer.id = question.id;
  if (found.pid == 0) {
    answer.error = whole ? ENOENT : ETIMEDOUT;
    return answer;
  }
  Result<std::string> path = finder.executable(found.pid);
  if (!path) {
    answer.error = path.error().sys != 0 ? path.error().sys : EIO;
    return answer;
  }
  answer.pid = found.pid;
  answer.path = std::move(*path);
  return answer;
}

}  // namespace

Status serve(int peer, ProcessFinder& finder) {
  for (;;) {
    Result<Round> round = take_round(peer);
    if (!round) return fail(round.error());
    if (round->questions.empty()) return {};
    const bool whole = finder.find(round->wanted, round->deadline);
    for (std::size_t i = 0; i < round->questions.size(); ++i) {
      std::array<std::byte, kMaxAnswer_bytes> wire;
      Writer out{wire};
      encode_answer(answer_to(round->questions[i], round->wanted[i], whole, finder), out);
      if (Status sent = send_message(peer, out.written()); !sent) return sent;
    }
  }
}

}  // namespace sluice::proc
