// provider/file_watch.h - tells when a file may have changed, whatever its editor does.
//
//   inotify on the file's directory, and on that of what a link leads to ── 200 ms ──> changed()
//   no such directory, no watches left in the kernel: a look every 5 s
//
// Written in place (told when the writer closes it), renamed over, deleted and made again, link
// turned: all end in one event for each burst. A file is read only after its writer closed it, so
// half a file is rarely seen. Directories that vanish are waited for, and so is what a link leads
// to.
//
// Owner: the provider. Thread: the loop's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/wait.h"
#include "proto/runtime/loop/watch.h"

struct inotify_event;

namespace sluice::provider {

class FileWatch final : private WatchSink, private Timer {
 public:
  /// `path` is absolute. `changed` outlives it; reset it, read the file, wait: so no change is
  /// missed.
  FileWatch(Loop& loop, std::string path, Event& changed);
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch() override = default;

  /// False: changes are found by looking.
  [[nodiscard]] bool told() const noexcept { return notify_ != nullptr; }

 private:
  /// One version of the file, as far as stat(2) tells; all zero while there is none.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
  };

  void on_ready() noexcept override;
  void fire() noexcept override;
  /// Watches the directories as they are now; from then on told().
  void aim();
  /// How much the events that wait concern us.
  enum class Concern : std::uint8_t { none, perhaps, surely };
  [[nodiscard]] Concern drain_events() noexcept;
  [[nodiscard]] Concern concern_of(const inotify_event& event) const noexcept;
  [[nodiscard]] Identity identity() const noexcept;

  Loop& loop_;
  std::string path_;
  std::string name_;         ///< last part of path_
  std::string target_name_;  ///< last part of what it leads to; equal without links
  bool linked_ = false;      ///< path_ is a link: others on its way may turn
  Event& changed_;
  std::unique_ptr<Watch> notify_;
  Concern pending_ = Concern::none;
  Identity seen_;  ///< when it was last looked at
};

}  // namespace sluice::provider
