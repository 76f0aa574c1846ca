#include "ui/window/picture_file.h"

#include "core/record/safe_file.h"

#include <QBuffer>
#include <QPixmap>

namespace decodescope {

Result<void> savePicture(const QPixmap& picture, const std::string& path) {
    QByteArray png;
    QBuffer buffer(&png);
    if (!buffer.open(QBuffer::ReadWrite) || !picture.save(&buffer, "PNG"))
        return fail(ErrorCode::internal, "The picture could not be drawn.");
    return saveFile(path, std::string_view(png.constData(), static_cast<std::size_t>(png.size())));
}

} // namespace decodescope
