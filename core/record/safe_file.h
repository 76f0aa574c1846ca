#pragma once

#include "core/base/error.h"
#include "core/record/disk.h"

#include <memory>
#include <string>
#include <string_view>

/// Whole files that are either the old one or the new one, whatever happens in between: a full disk, a crash, a
/// power cut. Mode 0600 (reliability.md sections 3 and 9).
namespace decodescope {

enum class Backup { none, keepOne }; ///< keepOne: the file that is replaced stays as PATH.bak
enum class Existing { replace, refuse };

/// Writes `content` as the whole of `path`. After an error the file at `path` is as it was. Fails with ErrorCode::io. A
/// device or a pipe is written into.
[[nodiscard]] Result<void> saveFile(const std::string& path, std::string_view content, Backup backup = Backup::none,
                                    std::shared_ptr<DiskCalls> calls = systemDiskCalls());

/// Gives a whole and synced file its final name, in one step; what had that name is replaced. After an error both are
/// as they were. Fails with ErrorCode::io.
[[nodiscard]] Result<void> putInPlace(const std::string& file, const std::string& path,
                                      std::shared_ptr<DiskCalls> calls = systemDiskCalls());

/// Makes a folder and those above it that are missing, mode 0700. Nothing when it is there.
[[nodiscard]] Result<void> makePrivateFolder(const std::string& path);

/// Copies a recording, also one that is still being written: the copy ends with the last whole line.
[[nodiscard]] Result<void> copyRecording(const std::string& from, const std::string& to, Existing existing,
                                         std::shared_ptr<DiskCalls> calls = systemDiskCalls());

} // namespace decodescope
