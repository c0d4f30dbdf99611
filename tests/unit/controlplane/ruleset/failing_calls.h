// Lets one call to the disk fail with ENOSPC: open, write, rename, mkdir or mmap.
#pragma once

namespace sluice::sets {

/// The call after `calls` good ones fails, once.
void fail_after(int calls);
/// No call fails from here on. Whether one did since fail_after().
bool fail_never();

}  // namespace sluice::sets
