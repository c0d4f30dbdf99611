// loop/pending_table.h - questions whose answers come later, by number.
//
//   PendingTable<Answer>::Question question(table);      // in the asking coroutine's frame
//   send(question.id());
//   const Status answered = co_await question.wait(until);
//                                             if (auto* asked = table.find(id)) {
//                                               asked->value = ...;
//                                               asked->finish();
//                                             }
//
// A question is on the table for as long as it lives: an answer that comes after its asker gave up,
// or that nobody asked for, finds nothing. Numbers are never used twice, until Id wraps around.
//
// Owner: who sends the questions; it outlives them. Thread: the loop's.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "proto/runtime/loop/wait.h"

namespace sluice {

template <class T, class Id = std::uint64_t>
class PendingTable {
 public:
  class Question {
   public:
    explicit Question(PendingTable& table, T initial = {})
        : value(std::move(initial)), table_(table), done_(table.loop_), id_(++table.last_id_) {
      table_.open_.emplace(id_, this);
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    ~Question() { table_.open_.erase(id_); }

    [[nodiscard]] Id id() const noexcept { return id_; }
    /// Errors: timeout, cancelled.
    [[nodiscard]] Event::Await wait(Until until) noexcept { return done_.wait(until); }
    /// `value` holds the answer.
    void finish() noexcept { done_.set(); }

    T value;

   private:
    PendingTable& table_;
    Event done_;
    Id id_;
  };

  explicit PendingTable(Loop& loop) noexcept : loop_(loop) {}
  PendingTable(const PendingTable&) = delete;
  PendingTable& operator=(const PendingTable&) = delete;

  /// nullptr: nobody waits for it.
  [[nodiscard]] Question* find(Id id) noexcept {
    const auto found = open_.find(id);
    return found == open_.end() ? nullptr : found->second;
  }

 private:
  Loop& loop_;
  Id last_id_ = 0;
  std::unordered_map<Id, Question*> open_;
};

}  // namespace sluice
